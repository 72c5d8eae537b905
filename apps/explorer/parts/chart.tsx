// A chart of Observable Plot that takes the width it is given and follows it.

import * as Plot from "@observablehq/plot";
import { useEffect, useRef, useState } from "preact/hooks";

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
      {caption && <figcaption>{caption}</figcaption>}
    </figure>
  );
}
