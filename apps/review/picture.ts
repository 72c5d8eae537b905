// A one-bit picture of an item, drawn as the model saw it.

import type { ItemView } from "../../src/cli/review/protocol.js";

/** The dark bits of a picture as runs along its rows. */
export function picture(
  { width, height, bits }: NonNullable<ItemView["images"]>[number],
  i: number,
  of: number,
): SVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.style.setProperty("--aspect", String(width / height));
  svg.style.setProperty("--count", String(of));
  svg.setAttribute("shape-rendering", "crispEdges");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `Picture ${i + 1} of ${of}`);
  let runs = "";
  for (let y = 0; y < height; y++) {
    for (const run of bits.slice(y * width, (y + 1) * width).matchAll(/1+/g)) {
      runs += `M${run.index} ${y}h${run[0].length}v1h${-run[0].length}z`;
    }
  }
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", runs);
  svg.append(path);
  return svg;
}
