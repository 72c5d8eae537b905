// Orders in which the signs of a cipher text may be read, where it stands in lines of equal length, as people write them:
//   lines  lines-back  snake         line by line; from the right; from the left and the right in turn
//   columns  columns-back  columns-snake
//   diagonals  diagonals-snake  antidiagonals  spiral
//   step-1-2                         one line down and two columns to the right each time, around the edges
//   columnar-3-1-2                   the text was written in lines under as many columns, which were then taken in this order
// Parts of so many lines are read one after the other: 9:step-1-2/9:step-1-2/lines. `back/` before all reads it backwards.

import { InputError } from "../../util/errors.js";

/** A text in lines; the last one may be shorter. */
export interface Grid {
  width: number;
  /** Signs in all. */
  count: number;
}

export function rowsOf({ width, count }: Grid): number {
  return Math.ceil(count / width);
}

/** Visits the cells of a part, line and column. */
type Route = (rows: number, width: number, visit: (row: number, column: number) => void) => void;

const routes: Record<string, Route> = {
  lines: (rows, width, visit) => {
    for (let i = 0; i < rows; i++) for (let j = 0; j < width; j++) visit(i, j);
  },
  "lines-back": (rows, width, visit) => {
    for (let i = 0; i < rows; i++) for (let j = width - 1; j >= 0; j--) visit(i, j);
  },
  snake: (rows, width, visit) => {
    for (let i = 0; i < rows; i++) for (let j = 0; j < width; j++) visit(i, i % 2 === 0 ? j : width - 1 - j);
  },
  columns: (rows, width, visit) => {
    for (let j = 0; j < width; j++) for (let i = 0; i < rows; i++) visit(i, j);
  },
  "columns-back": (rows, width, visit) => {
    for (let j = width - 1; j >= 0; j--) for (let i = 0; i < rows; i++) visit(i, j);
  },
  "columns-snake": (rows, width, visit) => {
    for (let j = 0; j < width; j++) for (let i = 0; i < rows; i++) visit(j % 2 === 0 ? i : rows - 1 - i, j);
  },
  diagonals: (rows, width, visit) => {
    for (let sum = 0; sum < rows + width - 1; sum++) {
      for (let i = Math.max(0, sum - width + 1); i <= Math.min(sum, rows - 1); i++) visit(i, sum - i);
    }
  },
  "diagonals-snake": (rows, width, visit) => {
    for (let sum = 0; sum < rows + width - 1; sum++) {
      const first = Math.max(0, sum - width + 1);
      const last = Math.min(sum, rows - 1);
      for (let k = 0; k <= last - first; k++) {
        const i = sum % 2 === 0 ? first + k : last - k;
        visit(i, sum - i);
      }
    }
  },
  antidiagonals: (rows, width, visit) => {
    for (let sum = 0; sum < rows + width - 1; sum++) {
      for (let i = Math.max(0, sum - width + 1); i <= Math.min(sum, rows - 1); i++) visit(i, width - 1 - sum + i);
    }
  },
  spiral: (rows, width, visit) => {
    let [top, bottom, left, right] = [0, rows - 1, 0, width - 1];
    while (top <= bottom && left <= right) {
      for (let j = left; j <= right; j++) visit(top, j);
      for (let i = top + 1; i <= bottom; i++) visit(i, right);
      if (top < bottom) for (let j = right - 1; j >= left; j--) visit(bottom, j);
      if (left < right) for (let i = bottom - 1; i > top; i--) visit(i, left);
      [top, bottom, left, right] = [top + 1, bottom - 1, left + 1, right - 1];
    }
  },
};

/** Names of the readings that need no numbers. */
export const routeNames = Object.keys(routes);

/** So many lines down and columns to the right each time; from a cell that was read before, to the first that was not. */
function stepping(down: number, right: number): Route {
  return (rows, width, visit) => {
    const isRead = new Uint8Array(rows * width);
    let i = 0;
    let j = 0;
    let unread = 0;
    for (let n = 0; n < rows * width; n++) {
      if (isRead[i * width + j]) {
        while (isRead[unread]) unread++;
        i = Math.floor(unread / width);
        j = unread % width;
      }
      isRead[i * width + j] = 1;
      visit(i, j);
      i = (i + down) % rows;
      j = (j + right) % width;
    }
  };
}

/** The places of a text in the order of a reading. */
export function readingOrder(reading: string, grid: Grid): Int32Array {
  const parts = reading.split("/");
  const isBack = parts[0] === "back";
  if (isBack) parts.shift();
  const order =
    parts.length === 1 && parts[0].startsWith("columnar-") ? columnar(parts[0], grid) : byParts(parts, grid);
  return isBack ? order.reverse() : order;
}

function wrong(reading: string, reason: string): InputError {
  return new InputError(`option \`reading\` has \`${reading}\`: ${reason}`, {
    hint: "such as columns, snake, spiral, step-1-2, columnar-3-1-2, or parts of some lines: 9:step-1-2/9:step-1-2/lines",
  });
}

function byParts(parts: readonly string[], { width, count }: Grid): Int32Array {
  const rows = rowsOf({ width, count });
  const order = new Int32Array(count);
  let read = 0;
  let first = 0;
  if (parts.length === 0) throw wrong("back", "what is read backwards?");
  parts.forEach((part, p) => {
    const [, lines, way] = /^(?:(\d+):)?(.+)$/.exec(part) ?? [part, undefined, ""];
    const isLast = p === parts.length - 1;
    if (lines === undefined && !isLast) throw wrong(part, "all parts but the last need a number of lines");
    const own = lines === undefined ? rows - first : Number(lines);
    if (own < 1 || first + own > rows || (isLast && first + own < rows)) {
      throw wrong(part, `the text has ${rows} lines, and all parts together must have as many`);
    }
    routeOf(way)(own, width, (i, j) => {
      const place = (first + i) * width + j;
      if (place < count) order[read++] = place;
    });
    first += own;
  });
  return order;
}

function routeOf(way: string): Route {
  const step = /^step-(\d{1,4})-(\d{1,4})$/.exec(way);
  if (step) return stepping(Number(step[1]), Number(step[2]));
  if (!Object.hasOwn(routes, way)) throw wrong(way, "not a way of reading");
  return routes[way];
}

function columnar(reading: string, { count }: Grid): Int32Array {
  const columns = reading
    .split("-")
    .slice(1)
    .map((column) => Number(column) - 1);
  const isOrder = [...columns].sort((a, b) => a - b).every((column, i) => column === i);
  if (!isOrder || columns.length < 2) throw wrong(reading, "each of the columns must be named once");
  if (columns.length > count) throw wrong(reading, `there are only ${count} signs`);
  return columnarOrder(columns, count);
}

/** Places of a text that was written in lines under columns, and then taken column by column, in the order of `columns`. */
export function columnarOrder(columns: ArrayLike<number>, count: number): Int32Array {
  const width = columns.length;
  const order = new Int32Array(count);
  let place = 0;
  for (let k = 0; k < width; k++) {
    for (let at = columns[k]; at < count; at += width) order[at] = place++;
  }
  return order;
}
