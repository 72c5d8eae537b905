// Numbers and tables as people read them, in one style.

/** 12,345, of a whole number; `toLocaleString` takes 15 ms when it is first called. */
export function counted(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** `1 label`, `2 labels`. */
export function plural(count: number, noun: string): string {
  return `${counted(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** 93.61 % */
export function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}

/** Where six digits are cut off a number so close to the middle of two, `toPrecision` tells which of them is nearer. */
const NEAR_MIDDLE = 1e-4;

/**
 * A probability in millionths, where these are its six significant digits and surely the nearest; -1 otherwise. Multiplying and
 * rounding takes a third of the time of `toPrecision`, and most probabilities are above a tenth.
 */
export function millionthsOf(probability: number): number {
  if (!(probability >= 0.1 && probability < 0.9999995)) return -1;
  const millions = probability * 1e6;
  const nearest = Math.round(millions);
  return Math.abs(millions - nearest) < 0.5 - NEAR_MIDDLE ? nearest : -1;
}

/** A probability with six significant digits. */
export function probabilityText(probability: number): string {
  const millionths = millionthsOf(probability);
  return String(millionths >= 0 ? millionths / 1e6 : Number(probability.toPrecision(6)));
}

/** 4.2 s, 1:03 min */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  const pad = (n: number) => String(n).padStart(2, "0");
  if (minutes < 60) return `${minutes}:${pad(whole % 60)} min`;
  return `${Math.floor(minutes / 60)}:${pad(minutes % 60)} h`;
}

/** 3.4 GB, 120 MB */
export function bytesText(bytes: number): string {
  if (bytes >= 1e9) return `${Number((bytes / 1e9).toPrecision(3))} GB`;
  return `${bytes >= 1e6 || bytes === 0 ? Math.round(bytes / 1e6) : Number((bytes / 1e6).toPrecision(1))} MB`;
}

/** Rows as aligned columns: the first to the left, the others to the right unless `left` says so. */
export function table(rows: readonly (readonly string[])[], left: readonly number[] = [0]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (let c = 0; c < row.length; c++) widths[c] = Math.max(widths[c] ?? 0, [...row[c]].length);
  }
  const lines = rows.map((row) =>
    row
      .map((cell, c) => {
        const space = " ".repeat(widths[c] - [...cell].length);
        return left.includes(c) ? cell + space : space + cell;
      })
      .join("  ")
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join("");
}
