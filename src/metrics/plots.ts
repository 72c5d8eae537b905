// The four pictures of confidence, for one model or several on the same axes: precision by share answered, risk by share
// answered, accuracy by confidence (reliability), and how many answers have which confidence.

import { lowerBound, upperBound } from "../util/binomial.js";
import type { Answers } from "./answers.js";
import { columnsOf } from "./answers.js";
import { reliabilityBins } from "./calibration.js";
import { precisionRecallCurve, riskCoverage } from "./precision-recall.js";
import { linePlot, type Series } from "./svg.js";
import type { Point } from "./svg-line.js";

export interface NamedAnswers {
  name: string;
  answers: Answers;
}

export const plotNames = ["precision-recall", "risk-coverage", "reliability", "histogram"] as const;
export type PlotName = (typeof plotNames)[number];

/** The pictures as SVG documents, by name; `subject` begins their titles. */
export function plotsOf(models: readonly NamedAnswers[], subject: string): Record<PlotName, string> {
  const share = { label: "share answered, the surest first", domain: [0, 1], format: "percent" } as const;
  const curves = models.map(({ name, answers }): Series => {
    const points = precisionRecallCurve(answers).map(({ recall, precision }): Point => [recall, precision]);
    return { name, points };
  });
  const risks = models.map(({ name, answers }): Series => {
    return { name, points: riskCoverage(answers).map(({ coverage, risk }): Point => [coverage, risk]) };
  });
  return {
    "precision-recall": linePlot({
      title: `${subject}: precision of the answers given, by share answered`,
      x: share,
      y: { label: "precision", domain: [floorOf(curves), 1], format: "percent" },
      series: curves,
    }),
    "risk-coverage": linePlot({
      title: `${subject}: share of the answers given that is wrong, by share answered`,
      x: share,
      y: { label: "wrong", domain: [0, 1 - floorOf(curves)], format: "percent" },
      series: risks,
    }),
    reliability: linePlot({
      title: `${subject}: how often answers are right, by how sure the model is`,
      x: { label: "confidence (mean of a bin)", domain: [0, 1], format: "percent" },
      y: { label: "right, with 95 % intervals", domain: [0, 1], format: "percent" },
      series: [
        ...models.map(reliabilitySeries),
        {
          name: "as sure as right",
          points: [
            [0, 0],
            [1, 1],
          ],
          color: "#8c959f",
          dashed: true,
        },
      ],
    }),
    histogram: linePlot({
      title: `${subject}: how sure the model is of its answers`,
      x: { label: "confidence", domain: [0, 1], format: "percent" },
      y: { label: "share of the answers", format: "percent" },
      series: models.map(histogramSeries),
    }),
  };
}

/** Where the axis of precision begins: below all but the first few answers, which jump. */
function floorOf(curves: readonly Series[]): number {
  const settled = curves.flatMap(({ points }) => points.filter(([recall]) => recall >= 0.05).map(([, y]) => y));
  const lowest = Math.min(1, ...settled);
  return Math.max(0, Math.min(0.95, Math.floor(20 * lowest) / 20));
}

function reliabilitySeries({ name, answers }: NamedAnswers): Series {
  const bins = reliabilityBins(answers, 10);
  return {
    name,
    points: bins.map(({ confidence, accuracy }): Point => [confidence, accuracy]),
    band: bins.map(({ confidence, accuracy, count }) => {
      const right = Math.round(accuracy * count);
      return [confidence, lowerBound(right, count, 0.025), upperBound(right, count, 0.025)] as const;
    }),
  };
}

const BARS = 20;

/** The outline of bars, filled below. */
function histogramSeries({ name, answers }: NamedAnswers): Series {
  const { confidence } = columnsOf(answers);
  const counts = new Float64Array(BARS);
  for (let i = 0; i < confidence.length; i++) counts[Math.min(BARS - 1, Math.floor(confidence[i] * BARS))]++;
  const points: Point[] = [[0, 0]];
  counts.forEach((count, bar) => {
    const height = count / Math.max(1, confidence.length);
    points.push([bar / BARS, height], [(bar + 1) / BARS, height]);
  });
  points.push([1, 0]);
  return { name, points, band: points.map(([x, y]) => [x, 0, y] as const) };
}
