// How the search and EM went, as charts.

import * as Plot from "@observablehq/plot";
import { ChartFigure, roomForTitles } from "../../parts/chart.js";
import type { Deciphering, Pass } from "./run.js";

const axis = { label: null, grid: true, ticks: 4, nice: true } as const;

/** Bounds around some values, at least so far apart that noise does not look like news. */
function roomFor(values: readonly number[], least: number): [number, number] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const spare = Math.max(0, least - (high - low)) / 2;
  return [low - spare, high + spare];
}

/** At most eight of some whole numbers, evenly. */
function someOf(numbers: readonly number[]): number[] {
  const step = Math.ceil(numbers.length / 8);
  return numbers.filter((_, i) => i % step === 0);
}

/** How the search and EM went. */
export function Course({ searches, passes }: Pick<Deciphering, "searches" | "passes">) {
  if (searches.length + passes.length === 0) return null;
  return (
    <section class="charts" aria-label="Course">
      {searches.length > 0 && <SearchChart searches={searches} />}
      {passes.length > 0 && (
        <>
          <ChartFigure
            label={`Log-likelihood after ${passes.length} passes: ${passes.at(-1)?.logLikelihood.toFixed(1)}`}
            caption="Log-likelihood of the text in each pass of EM"
            height={170}
            inputs={[passes.length]}
            options={() => passLine(passes, (pass) => pass.logLikelihood, 4)}
          />
          <ChartFigure
            label={`Average context length after ${passes.length} passes: ${passes.at(-1)?.contextLength.toFixed(2)} letters`}
            caption="Letters remembered on average in each pass"
            height={170}
            inputs={[passes.length]}
            options={() => passLine(passes, (pass) => pass.contextLength, 0.4)}
          />
        </>
      )}
    </section>
  );
}

function SearchChart({ searches }: Pick<Deciphering, "searches">) {
  const scores = searches.map(({ score }) => score);
  return (
    <ChartFigure
      label={`Score of ${searches.length} searches; the best is ${searches.at(-1)?.best.toFixed(1)}`}
      caption="Log-likelihood of the keys found by search, and the best so far"
      height={170}
      inputs={[searches.length]}
      options={() => ({
        ...roomForTitles,
        x: { label: "search", tickFormat: "d", ticks: someOf(searches.map(({ tried }) => tried)) },
        y: { ...axis, domain: roomFor(scores, 4) },
        marks: [
          Plot.lineY(searches, { x: "tried", y: "best", stroke: "var(--gold)", curve: "step-after", strokeWidth: 2 }),
          Plot.dot(searches, { x: "tried", y: "score", fill: "var(--soft)", r: 3 }),
        ],
      })}
    />
  );
}

/** A value of each pass. */
function passLine(passes: readonly Pass[], y: (pass: Pass) => number, least: number): Plot.PlotOptions {
  return {
    ...roomForTitles,
    x: { label: "pass", tickFormat: "d", ticks: someOf(passes.map(({ pass }) => pass)) },
    y: { ...axis, domain: roomFor(passes.map(y), least) },
    marks: [
      Plot.lineY(passes, { x: "pass", y, stroke: "var(--accent)", strokeWidth: 2 }),
      Plot.dot(passes, { x: "pass", y, fill: "var(--accent)", r: 3 }),
    ],
  };
}
