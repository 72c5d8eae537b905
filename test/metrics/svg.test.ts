// Line plots: well-formed, points where the ticks say, names apart from each other and from the data.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LinePlot, linePlot } from "../../src/metrics/svg.js";
import { niceTicks } from "../../src/metrics/svg-scale.js";

const plain: LinePlot = {
  title: "A plot",
  x: { label: "Recall", domain: [0, 1] },
  y: { label: "Precision", domain: [0, 1], format: "percent" },
  series: [
    {
      name: "first",
      points: [
        [0, 1],
        [0.6, 0.8],
        [1, 0.2],
      ],
    },
  ],
};

function attributes(element: string): Record<string, string> {
  return Object.fromEntries([...element.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
}

function elements(svg: string, start: string): Record<string, string>[] {
  return [...svg.matchAll(new RegExp(`<${start}[^>]*>`, "g"))].map(([element]) => attributes(element));
}

/** Tick text to its place on the axis. */
function tickPlaces(svg: string, anchor: "middle" | "end"): Map<string, number> {
  const ticks = svg.matchAll(/<text class="tick" x="([^"]*)" y="([^"]*)" text-anchor="(\w+)">([^<]*)</g);
  const mine = [...ticks].filter((tick) => tick[3] === anchor);
  // The text of a y tick sits 4 px below the middle of the line.
  return new Map(mine.map(([, x, y, , text]) => [text, anchor === "middle" ? Number(x) : Number(y) - 4]));
}

/** Throws unless tags nest, attributes are quoted and no stray `<` or `&` is left. */
function checkXml(xml: string): void {
  const open: string[] = [];
  const rest = xml.replace(
    /<(\/?)([a-z]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>/g,
    (_, close, name, _attributes, single) => {
      if (close) expect(open.pop()).toBe(name);
      else if (!single) open.push(name);
      return "";
    },
  );
  expect(open).toEqual([]);
  expect(rest).not.toMatch(/[<>]/);
  expect(xml).not.toMatch(/&(?!(?:amp|lt|gt|quot);)/);
  // The characters that XML 1.0 allows.
  expect(xml).toMatch(/^[\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
}

describe("linePlot", () => {
  it("puts points where the ticks say", () => {
    const svg = linePlot(plain);
    const x = tickPlaces(svg, "middle");
    const y = tickPlaces(svg, "end");
    const circles = elements(svg, "circle").map(({ cx, cy }) => [Number(cx), Number(cy)]);
    expect(circles).toEqual([
      [x.get("0.0"), y.get("100\u202f%")],
      [x.get("0.6"), y.get("80\u202f%")],
      [x.get("1.0"), y.get("20\u202f%")],
    ]);
    expect(elements(svg, 'path class="line').at(0)?.d).toBe(`M${circles.map((place) => place.join(" ")).join("L")}`);
  });

  it("stays well-formed whatever the texts and numbers are", () => {
    const text = fc.string({ unit: "binary", maxLength: 30 });
    const number = fc.oneof(fc.double(), fc.double({ min: -10, max: 10, noNaN: true }));
    const anyPlot = fc.record({
      title: text,
      x: fc.record({ label: text }),
      y: fc.record({ label: text, format: fc.constantFrom("number" as const, "percent" as const) }),
      series: fc.array(
        fc.record({
          name: text,
          points: fc.array(fc.tuple(number, number), { maxLength: 20 }),
          band: fc.array(fc.tuple(number, number, number), { maxLength: 5 }),
          color: fc.option(text, { nil: undefined }),
        }),
        { maxLength: 7 },
      ),
    });
    fc.assert(
      fc.property(anyPlot, (plot) => {
        const svg = linePlot(plot);
        checkXml(svg);
        const drawn = svg.replace(/<(title|desc|style|text)\b.*?<\/\1>|aria-label="[^"]*"|style="[^"]*"/gs, "");
        expect(drawn).not.toMatch(/NaN|Infinity|undefined|\de[+-]?\d/);
      }),
      { numRuns: 200 },
    );
  });

  it("shows markup in texts as text", () => {
    const svg = linePlot({ ...plain, title: 'a <b> & "c"', series: [{ name: "</text><script>", points: [[0, 0]] }] });
    checkXml(svg);
    expect(svg).toContain("a &lt;b&gt; &amp; &quot;c&quot;</title>");
    expect(svg).not.toContain("<script");
  });

  it("has a title, a description and both colour schemes, and no ids that could clash", () => {
    const svg = linePlot(plain);
    expect(svg).toMatch(
      /^<svg [^>]*role="img"[^>]*>\n<title>A plot<\/title>\n<desc>[^<]*first: from 1 at 0 to 0.2 at 1/,
    );
    expect(svg).toContain("prefers-color-scheme:dark");
    expect(svg).not.toMatch(/\sid=/);
  });

  it("sets the names apart from each other, right of the data, in the order in which the lines end", () => {
    const anyEnds = fc.array(
      fc.integer({ min: 0, max: 1000 }).map((n) => n / 1000),
      { minLength: 1, maxLength: 12 },
    );
    fc.assert(
      fc.property(anyEnds, (ends) => {
        const series = ends.map((end, i) => ({ name: `s${i}`, points: [[0, 0.5] as const, [1, end] as const] }));
        const svg = linePlot({ ...plain, series });
        const names = [...svg.matchAll(/<text class="name" x="([^"]*)" y="([^"]*)">s(\d+)</g)].map(([, x, y, i]) => ({
          x: Number(x),
          y: Number(y),
          end: ends[Number(i)],
        }));
        expect(names).toHaveLength(ends.length);
        const rightmost = Math.max(...tickPlaces(svg, "middle").values());
        const [top, bottom] = ["100\u202f%", "0\u202f%"].map((text) => tickPlaces(svg, "end").get(text) as number);
        for (const { x, y } of names) {
          expect(x).toBeGreaterThan(rightmost);
          expect(y).toBeGreaterThan(top - 10);
          expect(y).toBeLessThan(bottom + 10);
        }
        names.sort((a, b) => a.y - b.y);
        for (let i = 1; i < names.length; i++) {
          expect(names[i].y - names[i - 1].y).toBeGreaterThan(14);
          expect(names[i].end).toBeLessThanOrEqual(names[i - 1].end);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("leaves a gap at a missing value", () => {
    const points = [0, 0.2, Number.NaN, 0.6, 0.8].map((value, i) => [i / 4, value] as const);
    const path = elements(linePlot({ ...plain, series: [{ name: "", points }] }), 'path class="line')[0].d;
    expect(path.match(/M/g)).toHaveLength(2);
    expect(path.match(/L/g)).toHaveLength(2);
  });

  it("leaves out points that cannot be seen and keeps those that can", () => {
    const straight = Array.from({ length: 10_001 }, (_, i) => [i / 10_000, i / 10_000] as [number, number]);
    const pathOf = (points: [number, number][]) =>
      elements(linePlot({ ...plain, series: [{ name: "", points }] }), 'path class="line')[0].d;
    expect(pathOf(straight).match(/[ML]/g)).toHaveLength(2);
    const spiked = straight.map(([x, y], i) => [x, i === 5000 ? 0 : y] as [number, number]);
    const bottom = tickPlaces(linePlot(plain), "end").get("0\u202f%");
    expect(pathOf(spiked)).toMatch(new RegExp(`L[\\d.]+ ${bottom}L`));
  });

  it("draws dashes where asked, and for colours used a second time", () => {
    const series = Array.from({ length: 6 }, (_, i) => ({
      name: `s${i}`,
      points: plain.series[0].points,
      dashed: i === 0 || undefined,
    }));
    const lines = elements(linePlot({ ...plain, series }), 'path class="line').slice(0, 6);
    expect(lines.map((line) => "stroke-dasharray" in line)).toEqual([true, false, false, false, false, true]);
    expect(lines[5].class).toBe(lines[0].class);
  });

  it("refuses a domain that does not ascend or has no end", () => {
    expect(() => linePlot({ ...plain, x: { label: "x", domain: [1, 0] } })).toThrow(/cannot go from 1 to 0/);
    expect(() => linePlot({ ...plain, y: { label: "y", domain: [0, Infinity] } })).toThrow(/cannot go from 0/);
  });
});

describe("niceTicks", () => {
  it.each<[number, number, number, number[]]>([
    [0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [0.8, 1, 4, [0.8, 0.85, 0.9, 0.95, 1]],
    [-3, 3, 6, [-3, -2, -1, 0, 1, 2, 3]],
    [1, 12, 6, [2, 4, 6, 8, 10, 12]],
    [0, 147_500, 3, [0, 50_000, 100_000]],
  ])("from %d to %d, about %d", (low, high, count, ticks) => {
    expect(niceTicks(low, high, count)).toEqual(ticks);
  });

  it("are equally far apart, by 1, 2 or 5 times a power of ten, and about as many as asked for", () => {
    const anyCase = fc.record({
      low: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      span: fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
      count: fc.integer({ min: 3, max: 12 }),
    });
    fc.assert(
      fc.property(anyCase, ({ low, span, count }) => {
        const ticks = niceTicks(low, low + span, count);
        const step = ticks[1] - ticks[0];
        const tolerance = 1e-5 * step;
        const [lead] = step.toExponential(3).split("e");
        expect(["1.000", "2.000", "5.000"]).toContain(lead);
        ticks.forEach((tick, i) => {
          expect(Math.abs(tick - ticks[0] - i * step)).toBeLessThan(tolerance);
          expect(tick).toBeGreaterThanOrEqual(low - tolerance);
          expect(tick).toBeLessThanOrEqual(low + span + tolerance);
        });
        expect(span / step / count).toBeGreaterThan(0.6);
        expect(span / step / count).toBeLessThan(1.7);
      }),
    );
  });

  it("are bounded even where numbers are too coarse for them", () => {
    expect(niceTicks(1e17, 1e17 + 16, 10_000).length).toBeLessThanOrEqual(1000);
  });
});
