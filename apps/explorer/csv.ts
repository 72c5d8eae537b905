// Tables as CSV.

/** Rows as RFC 4180 has them: cells with a comma, a quote or a line end stand between quotes. */
export function csvOf(rows: readonly (readonly (string | number | boolean)[])[]): string {
  const cell = (value: string | number | boolean): string => {
    const text = String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
