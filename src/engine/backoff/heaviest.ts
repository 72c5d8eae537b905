// The heaviest of many: a binary heap of limited room with the lightest on top, and what a mass must exceed to enter.

import { grown } from "../trellis.js";

export class Heaviest {
  /** [room] `count` in use. */
  private mass: Float64Array = new Float64Array(64);
  keys: Int32Array = new Int32Array(64);
  count = 0;
  private room = 0;
  /** Nothing at or below this enters. */
  floor = Number.POSITIVE_INFINITY;

  /** Empties it; without room nothing enters. */
  clear(room: number): void {
    this.room = room;
    this.count = 0;
    this.floor = room === 0 ? Number.POSITIVE_INFINITY : 0;
    if (this.mass.length >= room) return;
    this.mass = grown(this.mass, room);
    this.keys = grown(this.keys, room);
  }

  /** Takes in a mass above the floor, in place of the lightest if it is full; returns the new floor. */
  offer(mass: number, key: number): number {
    const { mass: masses, keys, room } = this;
    let i: number;
    if (this.count < room) {
      i = this.count++;
      while (i > 0) {
        const up = (i - 1) >> 1;
        if (masses[up] <= mass) break;
        masses[i] = masses[up];
        keys[i] = keys[up];
        i = up;
      }
    } else {
      i = 0;
      for (;;) {
        let child = 2 * i + 1;
        if (child >= room) break;
        if (child + 1 < room && masses[child + 1] < masses[child]) child++;
        if (masses[child] >= mass) break;
        masses[i] = masses[child];
        keys[i] = keys[child];
        i = child;
      }
    }
    masses[i] = mass;
    keys[i] = key;
    if (this.count === room) this.floor = masses[0];
    return this.floor;
  }
}
