// The assignment problem: gives every row a column of its own so that the sum of values is greatest. Shortest augmenting
// paths with potentials (the Hungarian method as Jonker and Volgenant run it), in rows^2 * columns steps.

/** [rows] the column of each row; `values` is [rows][columns], and columns must be no fewer than rows. */
export function bestAssignment(values: Float64Array, rows: number, columns: number): Int32Array {
  if (columns < rows) throw new RangeError(`${rows} rows do not fit into ${columns} columns`);
  // Column `columns` stands for "no column": each row enters from it.
  const rowPotential = new Float64Array(rows);
  const columnPotential = new Float64Array(columns + 1);
  const rowOf = new Int32Array(columns + 1).fill(-1);
  const distance = new Float64Array(columns);
  const before = new Int32Array(columns); // the column reached before this one on the shortest path
  const done = new Uint8Array(columns + 1);
  for (let row = 0; row < rows; row++) {
    distance.fill(Number.POSITIVE_INFINITY);
    done.fill(0);
    rowOf[columns] = row;
    let column = columns;
    while (rowOf[column] >= 0) {
      done[column] = 1;
      const r = rowOf[column];
      let nearest = -1;
      for (let c = 0; c < columns; c++) {
        if (done[c]) continue;
        const cost = -values[r * columns + c] - rowPotential[r] - columnPotential[c];
        if (cost < distance[c]) {
          distance[c] = cost;
          before[c] = column;
        }
        if (nearest < 0 || distance[c] < distance[nearest]) nearest = c;
      }
      const step = distance[nearest];
      for (let c = 0; c <= columns; c++) {
        if (done[c]) {
          rowPotential[rowOf[c]] += step;
          columnPotential[c] -= step;
        } else if (c < columns) distance[c] -= step;
      }
      column = nearest;
    }
    while (column !== columns) {
      rowOf[column] = rowOf[before[column]];
      column = before[column];
    }
  }
  const columnOf = new Int32Array(rows);
  for (let c = 0; c < columns; c++) if (rowOf[c] >= 0) columnOf[rowOf[c]] = c;
  return columnOf;
}
