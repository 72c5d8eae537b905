// How often the person took what the model thought best, on the page: a line, and a table by label behind it.

import type { Agreement } from "../../src/cli/review/protocol.js";
import { count, element, make } from "./dom.js";

export function showAgreement({ best, other, own, labels }: Agreement): void {
  const all = best + other + own;
  element("agreement").hidden = all === 0;
  if (all === 0) return;
  const rest = other > 0 ? `, another candidate in ${count(other)}` : "";
  element("agreed").textContent = `The model’s best answer was taken in ${share(best, all)}${rest}`;
  const table = element("by-label");
  table.hidden = labels.length === 0;
  const rows = labels.map(({ label, proposed, kept, added }) =>
    row("td", [label || "span", count(proposed), proposed > 0 ? share(kept, proposed) : "", count(added)]),
  );
  table.replaceChildren(row("th", ["Label", "Proposed", "Kept", "Added by you"]), ...rows);
}

function share(part: number, all: number): string {
  return `${count(part)} of ${count(all)} (${Math.round((100 * part) / all)} %)`;
}

function row(name: "td" | "th", texts: readonly string[]): HTMLTableRowElement {
  const made = make("tr", "");
  made.append(
    ...texts.map((text) => {
      const cell = make(name, "");
      if (name === "th") cell.setAttribute("scope", "col");
      cell.textContent = text;
      return cell;
    }),
  );
  return made;
}
