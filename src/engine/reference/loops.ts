// The loops of training beside inference, in plain TypeScript; see `Loops` for what each does.

import { mixed } from "../../util/bits.js";
import type { GradientArrays, Loops } from "../backend.js";
import { childOf } from "../rows.js";

export const referenceLoops: Loops = {
  denseRows: () => undefined,
  freezeTree: () => undefined,
  scoreWalks() {
    throw new Error("a tree of another backend");
  },

  findWalks(tree, { positions, positionStart, kind, start, least, numbers, kinds }, roots, lastClass, to) {
    let found = 0;
    for (let j = 0; j < positions; j++) {
      for (let q = 0; q < roots.classes; q++) {
        to.start[j * roots.classes + q] = found;
        if (q > lastClass) continue;
        for (let walk = positionStart[j]; walk < positionStart[j + 1]; walk++) {
          let node = roots.nodes[q * kinds + kind[walk]];
          for (let i = start[walk]; node >= 0; i++) {
            if (i >= start[walk] + least[walk] && tree.row[node] >= 0) to.ids[found++] = tree.row[node];
            if (i === start[walk + 1]) break;
            node = childOf(tree, node, numbers[i]);
          }
        }
      }
    }
    to.start[positions * roots.classes] = found;
  },

  scoreSlots(scores, length, from, { start, ids, map, values }, table, weights) {
    const { symbolCount, symbols, start: tableStart } = table;
    for (let i = 0; i < length; i++) {
      const base = i * symbolCount;
      for (let a = start[from + i]; a < start[from + i + 1]; a++) {
        const row = map ? map[ids[a]] : ids[a];
        if (row < 0) continue;
        const value = values ? values[a] : 1;
        const end = tableStart[row + 1];
        for (let e = tableStart[row]; e < end; e++) scores[base + symbols[e]] += value * weights[e];
      }
    }
  },

  countSlots(slotCounts, length, from, { start, ids, map, values }, table, gradient) {
    const { symbolCount, symbols, start: tableStart } = table;
    const out = gradient.values;
    for (let i = 0; i < length; i++) {
      const base = i * symbolCount;
      for (let a = start[from + i]; a < start[from + i + 1]; a++) {
        const row = map ? map[ids[a]] : ids[a];
        if (row < 0) continue;
        touchRow(row, gradient);
        const value = values ? values[a] : 1;
        const end = tableStart[row + 1];
        for (let e = tableStart[row]; e < end; e++) out[e] += value * slotCounts[base + symbols[e]];
      }
    }
  },

  touch(rows, count, gradient) {
    for (let r = 0; r < count; r++) touchRow(rows[r], gradient);
  },

  truncate({ touched, touchedCount, values }, table, threshold, seed) {
    const unit = threshold / 2 ** 32;
    for (let i = 0; i < touchedCount; i++) {
      const row = touched[i];
      let state = seedOfRow(seed, row);
      for (let e = table.start[row]; e < table.start[row + 1]; e++) {
        const size = Math.abs(values[e]);
        if (size === 0 || size >= threshold) continue;
        state ^= state << 13; // xorshift32
        state ^= state >>> 17;
        state ^= state << 5;
        values[e] = size > (state >>> 0) * unit ? Math.sign(values[e]) * threshold : 0;
      }
    }
  },

  step({ weights, squares, sums, settled }, gradient, table, { step, rate: eta, delta, l1, l2 }) {
    const { touched, touchedCount, isTouched, values } = gradient;
    for (let i = 0; i < touchedCount; i++) {
      const row = touched[i];
      isTouched[row] = 0;
      const rest = step - settled[row];
      settled[row] = step;
      const end = table.start[row + 1];
      for (let e = table.start[row]; e < end; e++) {
        const g = values[e];
        let w = weights[e];
        if (g === 0 && w === 0) continue;
        values[e] = 0;
        sums[e] += w * rest;
        const square = squares[e] + g * g;
        squares[e] = square;
        const rate = eta / Math.sqrt(delta + square);
        w += rate * g;
        if (l1 > 0) {
          const shrink = rest * rate * l1;
          w = w > shrink ? w - shrink : w < -shrink ? w + shrink : 0;
        }
        weights[e] = w / (1 + rest * rate * l2);
      }
    }
    gradient.touchedCount = 0;
  },
};

/** Where the random numbers of a row begin: the seed and its number, mixed; never 0. */
function seedOfRow(seed: number, row: number): number {
  return mixed(seed ^ Math.imul(row, 0xcc9e2d51)) || 1;
}

function touchRow(row: number, gradient: GradientArrays): void {
  if (gradient.isTouched[row]) return;
  gradient.isTouched[row] = 1;
  gradient.touched[gradient.touchedCount++] = row;
}
