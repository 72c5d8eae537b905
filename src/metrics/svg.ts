// Line plots as SVG text, without dependencies: precision-recall curves, learning curves, context lengths.
// Series are named at the right edge, each near the end of its line, so names never cover data. The picture follows the
// reader's light or dark setting, has a title and a description for screen readers, and can be put into a page many
// times over: it uses no ids.

import { type Point, simplify } from "./svg-line.js";
import { type Axis, isDrawable, type Scale, scaleOf, tickCount, widen } from "./svg-scale.js";
import { escapeText, FONT_SIZE, textWidth, wrapText } from "./svg-text.js";

export interface Series {
  name: string;
  /** In the order in which they are joined. A point that is not finite (or past 1e100) leaves a gap. */
  points: readonly Point[];
  /** Any CSS colour. Default: the next of five that stay apart for colour-blind readers. */
  color?: string;
  /** Default: false for the first five series, true for the next five, whose colours repeat. */
  dashed?: boolean;
  /** A shaded range around the line, such as the lowest and highest of several runs. */
  band?: readonly (readonly [x: number, low: number, high: number])[];
}

export interface LinePlot {
  title: string;
  /** For screen readers. Default: a sentence made of the labels and each series' first and last value. */
  description?: string;
  x: Axis;
  y: Axis;
  series: readonly Series[];
  /** Pixels. Default: 720. */
  width?: number;
  /** Pixels. Default: 420. */
  height?: number;
}

// Blue, vermilion, green, plum and ink or straw. Under simulated protanopia, deuteranopia and tritanopia any two differ
// by at least 19 in CIELAB, and each has a contrast of at least 3 to the background.
const LIGHT_COLORS = ["#0072b2", "#d55e00", "#00a67d", "#8a1c5f", "#2b2b2b"];
const DARK_COLORS = ["#4aa8e6", "#f08a4b", "#57e0b5", "#b8479c", "#f4e285"];

const LINE_HEIGHT = 15; // px
const SWATCH = 18; // px
const TITLE_SIZE = 16; // px
const TITLE_LINE_HEIGHT = 21; // px
const MARKED_POINTS = 15; // Solid lines through at most so many points show each of them.

/** Stands in the first line of every picture: by it our files are known from others. */
export const PLOT_MARK = 'class="stargram-plot"';

/** The picture as a complete SVG document. */
export function linePlot(plot: LinePlot): string {
  const { title, x, y, series, width = 720, height = 420 } = plot;
  const names = series.map(({ name }) => wrapText(name, width * 0.3));
  const nameWidth = Math.max(0, ...names.flat().map((line) => textWidth(line)));
  const titleLines = wrapText(title, ((width - 32) * FONT_SIZE) / (TITLE_SIZE * 1.1)); // Bold is wider.
  const top = 51 + titleLines.length * TITLE_LINE_HEIGHT;
  const bottom = height - 52;
  const right = width - (nameWidth > 0 ? nameWidth + SWATCH + 28 : 24);

  const yScale = scaleOf(y, widen(spanOf(series, 1), tickCount(bottom - top, 48)), bottom, top, 48);
  const left = 24 + Math.max(...yScale.ticks.map((tick) => textWidth(yScale.text(tick))));
  const xScale = scaleOf(x, spanOf(series, 0), left, right, 88);

  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" ${PLOT_MARK} role="img" aria-label="${escapeText(title)}" ` +
      `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<title>${escapeText(title)}</title>`,
    `<desc>${escapeText(plot.description ?? describe(plot, xScale, yScale))}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    ...titleLines.map(
      (line, i) => `<text class="title" x="16" y="${28 + i * TITLE_LINE_HEIGHT}">${escapeText(line)}</text>`,
    ),
    `<text class="label" x="16" y="${top - 18}">${escapeText(y.label)}</text>`,
    `<text class="label" x="${round((left + right) / 2)}" y="${height - 12}" text-anchor="middle">${escapeText(x.label)}</text>`,
    ...grid(xScale, yScale, { left, right, top, bottom }),
    // A nested picture cuts off what lies outside the domain; the margin leaves the line's full width at the edges.
    `<svg x="${round(left - 4)}" y="${top - 4}" width="${round(right - left + 8)}" height="${bottom - top + 8}" ` +
      `viewBox="${round(left - 4)} ${top - 4} ${round(right - left + 8)} ${bottom - top + 8}">`,
    ...series.map((one, i) => drawBand(one, i, xScale, yScale)),
    ...series.map((one, i) => drawLine(one, i, xScale, yScale)),
    "</svg>",
    ...drawNames(series, names, yScale, right, top, bottom),
    "</svg>",
  ];
  return `${parts.filter((part) => part !== "").join("\n")}\n`;
}

/** The smallest and largest coordinate (0: x, 1: y) of lines and bands. */
function spanOf(series: readonly Series[], coordinate: 0 | 1): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  const take = (value: number) => {
    if (!isDrawable(value)) return;
    low = Math.min(low, value);
    high = Math.max(high, value);
  };
  for (const { points, band = [] } of series) {
    for (const point of points) take(point[coordinate]);
    for (const [x, bottom, top] of band) {
      for (const value of coordinate === 0 ? [x] : [bottom, top]) take(value);
    }
  }
  return low <= high ? [low, high] : [0, 1];
}

interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

function grid(xScale: Scale, yScale: Scale, { left, right, top, bottom }: Frame): string[] {
  const vertical = xScale.ticks.map((tick) => `M${round(xScale.place(tick))} ${top}V${bottom}`);
  const horizontal = yScale.ticks.map((tick) => `M${round(left)} ${round(yScale.place(tick))}H${round(right)}`);
  return [
    `<path class="grid" d="${[...vertical, ...horizontal].join("")}"/>`,
    `<path class="axis" d="M${round(left)} ${bottom}H${round(right)}"/>`,
    ...xScale.ticks.map(
      (tick) =>
        `<text class="tick" x="${round(xScale.place(tick))}" y="${bottom + 18}" text-anchor="middle">` +
        `${escapeText(xScale.text(tick))}</text>`,
    ),
    ...yScale.ticks.map(
      (tick) =>
        `<text class="tick" x="${round(left - 8)}" y="${round(yScale.place(tick) + 4)}" text-anchor="end">` +
        `${escapeText(yScale.text(tick))}</text>`,
    ),
  ];
}

function drawBand({ band = [], color }: Series, index: number, xScale: Scale, yScale: Scale): string {
  const finite = band.filter((values) => values.every(isDrawable));
  if (finite.length === 0) return "";
  const edge = (coordinate: 1 | 2) =>
    finite.map((values) => `${round(xScale.place(values[0]))} ${round(yScale.place(values[coordinate]))}`);
  const outline = [...edge(2), ...edge(1).reverse()].join("L");
  return `<path class="band fill${index % LIGHT_COLORS.length}"${inlineColor("fill", color)} d="M${outline}Z"/>`;
}

function drawLine({ points, color, dashed }: Series, index: number, xScale: Scale, yScale: Scale): string {
  const runs: Point[][] = [[]]; // In pixels, parted at gaps.
  for (const point of points) {
    const run = runs[runs.length - 1];
    const place: Point = [round(xScale.place(point[0])), round(yScale.place(point[1]))];
    if (!point.every(isDrawable)) runs.push([]);
    else if (run.at(-1)?.[0] !== place[0] || run.at(-1)?.[1] !== place[1]) run.push(place);
  }
  const hue = index % LIGHT_COLORS.length;
  const shapes: string[] = [];
  const path = runs.map((run) => pathOf(simplify(run))).join("");
  const dash = isDashed(dashed, index) ? ' stroke-dasharray="6 4"' : "";
  if (path) shapes.push(`<path class="line stroke${hue}"${inlineColor("stroke", color)}${dash} d="${path}"/>`);
  const marks = runs.flat();
  if (marks.length <= MARKED_POINTS && !dash) {
    for (const [x, y] of marks) {
      shapes.push(`<circle class="fill${hue}"${inlineColor("fill", color)} cx="${x}" cy="${y}" r="2.75"/>`);
    }
  }
  return shapes.join("\n");
}

function pathOf(points: readonly Point[]): string {
  return points.map(([x, y], i) => `${i ? "L" : "M"}${x} ${y}`).join("");
}

/** Each name as near to the height where its line ends as the others allow, beside a sample of the line. */
function drawNames(
  series: readonly Series[],
  names: readonly string[][],
  yScale: Scale,
  right: number,
  top: number,
  bottom: number,
): string[] {
  const wanted = series.map(({ points }) => {
    const last = points.findLast((point) => point.every(isDrawable));
    return last ? Math.min(bottom, Math.max(top, yScale.place(last[1]))) : bottom;
  });
  const heights = names.map((lines) => lines.length * LINE_HEIGHT + 4);
  const places = spread(wanted, heights, top - 8, bottom + 8);
  return series.flatMap(({ color, dashed }, i) => {
    if (names[i].every((line) => line === "")) return [];
    const start = right + 12;
    const dash = isDashed(dashed, i) ? ' stroke-dasharray="5 3"' : "";
    const firstLine = places[i] - ((names[i].length - 1) * LINE_HEIGHT) / 2;
    return [
      `<path class="line stroke${i % LIGHT_COLORS.length}"${inlineColor("stroke", color)}${dash} ` +
        `d="M${round(start)} ${round(firstLine)}h${SWATCH}"/>`,
      ...names[i].map(
        (line, n) =>
          `<text class="name" x="${round(start + SWATCH + 6)}" y="${round(firstLine + n * LINE_HEIGHT + 4)}">` +
          `${escapeText(line)}</text>`,
      ),
    ];
  });
}

/**
 * Centres for boxes of the given heights, in the order of their wanted centres, without overlap and between `top` and
 * `bottom` as far as they fit: pushed down from the top, then back up from the bottom.
 */
function spread(wanted: readonly number[], heights: readonly number[], top: number, bottom: number): number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b] || a - b);
  const centres = [...wanted];
  let edge = top;
  for (const i of order) {
    centres[i] = Math.max(centres[i], edge + heights[i] / 2);
    edge = centres[i] + heights[i] / 2;
  }
  edge = bottom;
  for (const i of order.reverse()) {
    centres[i] = Math.min(centres[i], edge - heights[i] / 2);
    edge = centres[i] - heights[i] / 2;
  }
  return centres;
}

function isDashed(dashed: boolean | undefined, index: number): boolean {
  return dashed ?? Math.floor(index / LIGHT_COLORS.length) % 2 === 1;
}

/** A style, because style sheets win over attributes. */
function inlineColor(property: "fill" | "stroke", color: string | undefined): string {
  return color === undefined ? "" : ` style="${property}:${escapeText(color)}"`;
}

function describe({ x, y, series }: LinePlot, xScale: Scale, yScale: Scale): string {
  const lines = series.map(({ name, points }) => {
    const finite = points.filter((point) => point.every(isDrawable));
    if (finite.length === 0) return `${name}: no data`;
    const [first, last] = [finite[0], finite[finite.length - 1]];
    const at = (point: Point) => `${precise(point[1])} at ${precise(point[0])}`;
    return finite.length === 1 ? `${name}: ${at(first)}` : `${name}: from ${at(first)} to ${at(last)}`;
  });
  const range = ({ domain: [low, high], text }: Scale) => `${text(low)} to ${text(high)}`;
  return `${y.label} (${range(yScale)}) against ${x.label} (${range(xScale)}). ${lines.join("; ")}.`;
}

function precise(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/** Tenths of a pixel. */
function round(value: number): number {
  return Math.round(value * 10) / 10 + 0;
}

function colorRules(colors: readonly string[]): string {
  return colors
    .map((color, i) => `.stargram-plot .stroke${i}{stroke:${color}}.stargram-plot .fill${i}{fill:${color}}`)
    .join("");
}

const STYLE = [
  `.stargram-plot{font:${FONT_SIZE}px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}`,
  ".stargram-plot .paper{fill:#fff}",
  ".stargram-plot text{fill:#1f2328}",
  `.stargram-plot .title{font-size:${TITLE_SIZE}px;font-weight:600}`,
  ".stargram-plot .tick,.stargram-plot .label{fill:#57606a}",
  ".stargram-plot .tick{font-variant-numeric:tabular-nums}",
  ".stargram-plot path{fill:none}",
  ".stargram-plot .grid{stroke:#e4e7eb}",
  ".stargram-plot .axis{stroke:#8c959f}",
  ".stargram-plot .line{stroke-width:2;stroke-linejoin:round;stroke-linecap:butt}",
  colorRules(LIGHT_COLORS),
  ".stargram-plot .band{opacity:.16}",
  "@media (prefers-color-scheme:dark){",
  ".stargram-plot .paper{fill:#14171c}",
  ".stargram-plot text{fill:#e6e9ed}",
  ".stargram-plot .tick,.stargram-plot .label{fill:#a2abb5}",
  ".stargram-plot .grid{stroke:#2a2f37}",
  ".stargram-plot .axis{stroke:#6b7480}",
  colorRules(DARK_COLORS),
  "}",
].join("\n");
