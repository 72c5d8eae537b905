// Walks down a tree along lists of numbers, and the rows of the nodes met: what a position of an input has for features. See
// `TreeWalks` in ../../backend.ts, and `WalkField` for what is asked for.

import { WalkField } from "../layout";
import { addWeights, childOf, nodeAt, rowOfNode } from "./space";
import { int, setInt } from "./state";

/** Writes the rows met to `rows`, and where those of each position and class begin to `starts`. */
export function findWalks(work: usize): void {
  const tree = <usize>int(work, WalkField.tree);
  const roots = <usize>int(work, WalkField.roots);
  const kinds = int(work, WalkField.kinds);
  const classes = int(work, WalkField.classes);
  const lastClass = int(work, WalkField.lastClass);
  const positions = int(work, WalkField.positions);
  const positionStart = <usize>int(work, WalkField.positionStart);
  const kind = <usize>int(work, WalkField.kind);
  const walkStart = <usize>int(work, WalkField.walkStart);
  const least = <usize>int(work, WalkField.least);
  const numbers = <usize>int(work, WalkField.numbers);
  const rows = <usize>int(work, WalkField.rows);
  const starts = <usize>int(work, WalkField.starts);
  let found = 0;
  for (let j = 0; j < positions; j++) {
    const last = int(positionStart, j + 1);
    for (let q = 0; q < classes; q++) {
      setInt(starts, j * classes + q, found);
      if (q > lastClass) continue;
      for (let walk = int(positionStart, j); walk < last; walk++) {
        let node = int(roots, q * kinds + int(kind, walk));
        const end = int(walkStart, walk + 1);
        let i = int(walkStart, walk);
        const first = i + int(least, walk);
        while (node >= 0) {
          if (i >= first) {
            const row = rowOfNode(tree, node);
            if (row >= 0) setInt(rows, found++, row);
          }
          if (i == end) break;
          node = childOf(tree, node, int(numbers, i++));
        }
      }
    }
  }
  setInt(starts, positions * classes, found);
}

/** Adds the weights of the nodes met to scores, in a tree that carries them: findWalks and scoreSlots in one. */
export function scoreWalks(work: usize): void {
  const tree = <usize>int(work, WalkField.tree);
  const roots = <usize>int(work, WalkField.roots);
  const kinds = int(work, WalkField.kinds);
  const classes = int(work, WalkField.classes);
  const lastClass = min(classes - 1, int(work, WalkField.lastClass));
  const positions = int(work, WalkField.positions);
  const positionStart = <usize>int(work, WalkField.positionStart);
  const kind = <usize>int(work, WalkField.kind);
  const walkStart = <usize>int(work, WalkField.walkStart);
  const least = <usize>int(work, WalkField.least);
  const numbers = <usize>int(work, WalkField.numbers);
  const symbolCount = int(work, WalkField.symbolCount);
  const size = <usize>symbolCount << 3;
  let scores = <usize>int(work, WalkField.scores);
  for (let j = 0; j < positions; j++) {
    const last = int(positionStart, j + 1);
    for (let walk = int(positionStart, j); walk < last; walk++) {
      const from = int(walkStart, walk);
      const end = int(walkStart, walk + 1);
      const first = from + int(least, walk);
      for (let q = 0; q <= lastClass; q++) {
        let node = int(roots, q * kinds + int(kind, walk));
        const own = scores + <usize>q * size;
        for (let i = from; node >= 0; ) {
          if (i >= first) addWeights(nodeAt(tree, node), own, 0, symbolCount);
          if (i == end) break;
          node = childOf(tree, node, int(numbers, i++));
        }
      }
    }
    scores += <usize>classes * size;
  }
}
