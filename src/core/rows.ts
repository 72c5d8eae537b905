// Rows: vectors of weights over the symbols. A row table says which (row, symbol) pairs have a weight: entries
// start[r] .. start[r+1]-1 belong to row r, and a row with an entry for every symbol is dense. The weights themselves
// are one flat array beside the table, so that a learner sees nothing but numbers.
//
// A row tree finds the rows of a context. Its nodes are suffixes, read backwards: from the root, the child by the latest
// event, then the child by the one before it, and so on. The nodes met on the way down are the rows of all suffixes of
// the context; the deepest is the row of the longest one. The root's row is the row of `⋆`.

export interface RowTable {
  symbolCount: number;
  /** [rowCount + 1] first entry of each row. */
  start: Int32Array;
  /** [entries] symbol of each entry, rising within a row. */
  symbols: Int32Array;
}

export function rowCount(table: RowTable): number {
  return table.start.length - 1;
}

/** Where the weight of a symbol stands in a row, or -1. */
export function entryOf(table: RowTable, row: number, symbol: number): number {
  let low = table.start[row];
  let high = table.start[row + 1];
  if (high - low === table.symbolCount) return low + symbol;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (table.symbols[middle] < symbol) low = middle + 1;
    else high = middle;
  }
  return low < table.start[row + 1] && table.symbols[low] === symbol ? low : -1;
}

/** Builds a row table row by row. */
export class RowTableBuilder {
  private readonly starts: number[] = [0];
  private readonly symbolList: number[] = [];

  constructor(readonly symbolCount: number) {}

  get rows(): number {
    return this.starts.length - 1;
  }

  get entries(): number {
    return this.symbolList.length;
  }

  /** Adds a row with these symbols (rising), and returns its number. */
  add(symbols: Iterable<number>): number {
    for (const symbol of symbols) this.symbolList.push(symbol);
    this.starts.push(this.symbolList.length);
    return this.starts.length - 2;
  }

  /** Adds a row with every symbol. */
  addDense(): number {
    for (let symbol = 0; symbol < this.symbolCount; symbol++) this.symbolList.push(symbol);
    this.starts.push(this.symbolList.length);
    return this.starts.length - 2;
  }

  build(): RowTable {
    return {
      symbolCount: this.symbolCount,
      start: Int32Array.from(this.starts),
      symbols: Int32Array.from(this.symbolList),
    };
  }
}

export interface RowTree {
  /** [nodes] the row of a node, or -1. */
  row: Int32Array;
  /** [nodes + 1] where the children of a node begin. */
  childStart: Int32Array;
  /** [children] the event that leads to a child, rising within a node. */
  childEvent: Int32Array;
  /** [children] the child. */
  childNode: Int32Array;
}

/** The child of a node by an event, or -1. */
export function childOf(tree: RowTree, node: number, event: number): number {
  const { childStart, childEvent } = tree;
  const end = childStart[node + 1];
  let low = childStart[node];
  let high = end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (childEvent[middle] < event) low = middle + 1;
    else high = middle;
  }
  return low < end && childEvent[low] === event ? tree.childNode[low] : -1;
}

/** Builds a row tree; `add` walks a backwards suffix, making the nodes that are missing. */
export class RowTreeBuilder {
  private readonly children: Map<number, number>[] = [new Map()];
  private readonly rows: number[] = [-1];

  get nodes(): number {
    return this.rows.length;
  }

  /** The node of an event below a node, made if it is missing. */
  child(node: number, event: number): number {
    const known = this.children[node].get(event);
    if (known !== undefined) return known;
    const made = this.rows.length;
    this.children[node].set(event, made);
    this.children.push(new Map());
    this.rows.push(-1);
    return made;
  }

  rowOf(node: number): number {
    return this.rows[node];
  }

  setRow(node: number, row: number): void {
    this.rows[node] = row;
  }

  build(): RowTree {
    const count = this.rows.length;
    const childStart = new Int32Array(count + 1);
    const childEvent = new Int32Array(count - 1);
    const childNode = new Int32Array(count - 1);
    let c = 0;
    for (let node = 0; node < count; node++) {
      for (const [event, child] of [...this.children[node]].sort((a, b) => a[0] - b[0])) {
        childEvent[c] = event;
        childNode[c++] = child;
      }
      childStart[node + 1] = c;
    }
    return { row: Int32Array.from(this.rows), childStart, childEvent, childNode };
  }
}
