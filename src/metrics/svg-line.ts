// The line through points, without those that the eye would not miss.

const LINE_TOLERANCE = 0.15; // px that a line may stray from its points

export type Point = readonly [x: number, y: number];

/**
 * The points that matter to the eye (Ramer, Douglas and Peucker): between two kept points, the farthest from their
 * line is kept too if it is farther than the tolerance. A precision-recall curve has thousands that do not matter.
 */
export function simplify(points: readonly Point[]): Point[] {
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
