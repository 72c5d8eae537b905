// A chart of Observable Plot that takes the width it is given and follows it.

import * as Plot from "@observablehq/plot";
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { pngOf, saveFile, svgText } from "../save.js";

export type Chart = ReturnType<typeof Plot.plot>;

/** Margins in px that keep the titles of the axes clear of their last ticks. */
export const roomForTitles = { marginTop: 30, marginBottom: 44, marginLeft: 52 } as const;

export function ChartFigure(props: {
  /** What it shows, for those who cannot see it. */
  label: string;
  caption?: string;
  height?: number;
  options: (width: number, height: number) => Plot.PlotOptions;
  /** Redraw when one of these changes. */
  inputs: readonly unknown[];
  /** Called with the drawn chart; returns what undoes it. */
  onDraw?: (chart: Chart) => (() => void) | undefined;
}) {
  const { label, caption, height = 220, options, inputs, onDraw } = props;
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = place.current;
    if (!element || width < 60) return;
    const chart = Plot.plot({
      width,
      height,
      style: { background: "transparent", fontFamily: "inherit", fontSize: "12px", overflow: "visible" },
      ...options(width, height),
    });
    chart.setAttribute("aria-hidden", "true"); // the figure's label says it
    element.replaceChildren(chart);
    return onDraw?.(chart);
  }, [width, height, ...inputs]);
  return (
    <figure class="chart">
      <div ref={place} role="img" aria-label={label} style={{ minHeight: `${height}px` }} />
      <figcaption>
        {caption} <SaveChart place={place} name={label} />
      </figcaption>
    </figure>
  );
}

/** The chart as it is drawn, as a file. */
function SaveChart({ place, name }: { place: RefObject<HTMLDivElement | null>; name: string }) {
  const file = name.split(/[.:,]/, 1)[0].toLowerCase().replace(/\W+/g, "-");
  const drawn = (): SVGElement | null => place.current?.querySelector("svg") ?? null;
  return (
    <span class="save">
      <button
        type="button"
        class="link small"
        onClick={() => {
          const chart = drawn();
          if (chart) saveFile(`${file}.svg`, svgText(chart), "image/svg+xml");
        }}
      >
        SVG
      </button>{" "}
      <button
        type="button"
        class="link small"
        onClick={async () => {
          const chart = drawn();
          if (chart) saveFile(`${file}.png`, await pngOf(chart), "image/png");
        }}
      >
        PNG
      </button>
    </span>
  );
}
