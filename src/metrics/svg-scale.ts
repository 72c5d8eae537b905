// Scales of plots: a domain laid over pixels, with ticks at round numbers.
//   place(v) = from + (v - low) / (high - low) · (to - from)

const SMALLEST = 1e-100; // What is nearer to 0 is drawn as 0.
const LARGEST = 1e100;
const FAR = 10_000; // px; coordinates stay within, as some viewers fail on huge numbers

export interface Axis {
  label: string;
  /** From, to. Default: what the data span; for y, widened to round numbers. Data outside are cut off. */
  domain?: readonly [number, number];
  /** How a tick is written. `percent` writes 0.95 as 95 %. Default: `number`. */
  format?: "number" | "percent" | ((value: number) => string);
}

export interface Scale {
  domain: readonly [number, number];
  ticks: number[];
  text(value: number): string;
  /** Pixels from the left or the top of the picture. */
  place(value: number): number;
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

export function tickCount(pixels: number, spacing: number): number {
  return Math.max(2, pixels / spacing);
}

/** The span between the round numbers around it. */
export function widen(span: readonly [number, number], count: number): [number, number] {
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
export function scaleOf(axis: Axis, span: readonly [number, number], from: number, to: number, spacing: number): Scale {
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
export function isDrawable(value: number): boolean {
  return Math.abs(value) <= LARGEST;
}
