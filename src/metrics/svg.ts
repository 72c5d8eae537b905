// Line plots as SVG text, without dependencies: precision-recall curves, learning curves, context lengths.
// Series are named at the right edge, each near the end of its line, so names never cover data. The picture follows the
// reader's light or dark setting, has a title and a description for screen readers, and can be put into a page many
// times over: it uses no ids.

export type Point = readonly [x: number, y: number];

export interface Axis {
  label: string;
  /** From, to. Default: what the data span; for y, widened to round numbers. Data outside are cut off. */
  domain?: readonly [number, number];
  /** How a tick is written. `percent` writes 0.95 as 95 %. Default: `number`. */
  format?: "number" | "percent" | ((value: number) => string);
}

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

const FONT_SIZE = 12; // px
const LINE_HEIGHT = 15; // px
const SWATCH = 18; // px
const TITLE_SIZE = 16; // px
const TITLE_LINE_HEIGHT = 21; // px
const MARKED_POINTS = 15; // Solid lines through at most so many points show each of them.
const LINE_TOLERANCE = 0.15; // px that a line may stray from its points
const SMALLEST = 1e-100; // What is nearer to 0 is drawn as 0.
const LARGEST = 1e100;
const FAR = 10_000; // px; coordinates stay within, as some viewers fail on huge numbers

interface Scale {
  domain: readonly [number, number];
  ticks: number[];
  text(value: number): string;
  /** Pixels from the left or the top of the picture. */
  place(value: number): number;
}

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

/** Round numbers (1, 2 or 5 times a power of ten apart) from `low` to `high`, about `count` of them. */
export function niceTicks(low: number, high: number, count: number): number[] {
  const step = niceStep(high - low, count);
  const first = Math.ceil(low / step - 1e-9); // The tolerance keeps ticks at the ends in spite of rounding.
  const ticks = Math.min(1000, Math.floor(high / step + 1e-9) - first + 1);
  return Array.from({ length: Math.max(0, ticks) }, (_, i) => Number(((first + i) * step).toPrecision(12)) + 0);
}

/** The round step that comes nearest to `count` ticks. */
function niceStep(span: number, count: number): number {
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const lead = rough / power; // 1 ≤ lead < 10
  return power * (lead < Math.SQRT2 ? 1 : lead < Math.sqrt(10) ? 2 : lead < Math.sqrt(50) ? 5 : 10);
}

function tickCount(pixels: number, spacing: number): number {
  return Math.max(2, pixels / spacing);
}

/** The span between the round numbers around it. */
function widen(span: readonly [number, number], count: number): [number, number] {
  const [low, high] = nonEmpty(span);
  const step = niceStep(high - low, count);
  return [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
}

/** The span itself, or one around it where it is a single number (or so near to one that rounding would show). */
function nonEmpty([low, high]: readonly [number, number]): [number, number] {
  const size = Math.max(Math.abs(low), Math.abs(high));
  const margin = high - low > 1e-12 * size + SMALLEST ? 0 : size > SMALLEST ? size / 2 : 1;
  return [low - margin, high + margin];
}

/** The domain of the axis, or else `span`, laid over the pixels from `from` to `to`. */
function scaleOf(axis: Axis, span: readonly [number, number], from: number, to: number, spacing: number): Scale {
  if (axis.domain && !(axis.domain.every(isDrawable) && axis.domain[0] <= axis.domain[1])) {
    throw new RangeError(`the domain of “${axis.label}” cannot go from ${axis.domain.join(" to ")}`);
  }
  const [low, high] = nonEmpty(axis.domain ?? span);
  const count = tickCount(Math.abs(to - from), spacing);
  return {
    domain: [low, high],
    ticks: niceTicks(low, high, count),
    text: tickText(axis.format ?? "number", niceStep(high - low, count)),
    place: (value) => Math.max(-FAR, Math.min(FAR, from + ((value - low) / (high - low)) * (to - from))),
  };
}

function tickText(format: NonNullable<Axis["format"]>, step: number): (value: number) => string {
  if (typeof format === "function") return format;
  const factor = format === "percent" ? 100 : 1;
  const decimals = Math.max(0, -Math.floor(Math.log10(step * factor) + 1e-9));
  const unit = format === "percent" ? "\u202f%" : "";
  return (value) => {
    const scaled = value * factor;
    if (scaled !== 0 && (Math.abs(scaled) >= 1e9 || decimals > 6)) return String(Number(scaled.toPrecision(6))) + unit;
    const [whole, fraction] = Math.abs(scaled).toFixed(decimals).split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, whole.length > 4 ? "," : "");
    return (scaled < 0 ? "−" : "") + grouped + (fraction ? `.${fraction}` : "") + unit;
  };
}

/** Finite, and so far from the largest number that differences stay finite too. */
function isDrawable(value: number): boolean {
  return Math.abs(value) <= LARGEST;
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

/**
 * The points that matter to the eye (Ramer, Douglas and Peucker): between two kept points, the farthest from their
 * line is kept too if it is farther than the tolerance. A precision-recall curve has thousands that do not matter.
 */
function simplify(points: readonly Point[]): Point[] {
  const keep = new Uint8Array(points.length);
  keep[0] = 1;
  keep[points.length - 1] = 1;
  const ranges: [number, number][] = [[0, points.length - 1]];
  for (let range = ranges.pop(); range; range = ranges.pop()) {
    const [first, last] = range;
    let farthest = -1;
    let distance = LINE_TOLERANCE;
    for (let i = first + 1; i < last; i++) {
      const d = distanceToSegment(points[i], points[first], points[last]);
      if (d > distance) {
        distance = d;
        farthest = i;
      }
    }
    if (farthest < 0) continue;
    keep[farthest] = 1;
    ranges.push([first, farthest], [farthest, last]);
  }
  return points.filter((_, i) => keep[i]);
}

function distanceToSegment([x, y]: Point, [x0, y0]: Point, [x1, y1]: Point): number {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length2 = dx * dx + dy * dy;
  const along = length2 === 0 ? 0 : Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) * dy) / length2));
  return Math.hypot(x - x0 - along * dx, y - y0 - along * dy);
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

/** An estimate for common sans-serif fonts, in pixels; there is no font here to measure with. */
function textWidth(text: string): number {
  let ems = 0;
  for (const character of text) {
    if (/[ijlIft.,:;'|!()[\]\u202f]/.test(character)) ems += 0.34;
    else if (/[mwMW@%]/.test(character)) ems += 0.9;
    else if (/\p{Lu}/u.test(character)) ems += 0.7;
    else if (/[\u2e80-\uffef]|[\u{1f000}-\u{3ffff}]/u.test(character)) ems += 1;
    else ems += 0.62;
  }
  return ems * FONT_SIZE;
}

/** Breaks at spaces so that lines stay within `width` pixels; a word that is longer stays whole. */
function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const longer = lines.length ? `${lines[lines.length - 1]} ${word}` : word;
    if (lines.length && textWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Text for XML content and attributes; characters that XML cannot hold become U+FFFD. */
function escapeText(text: string): string {
  return text
    .replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");
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
