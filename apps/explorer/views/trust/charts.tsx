// The two charts of a report: precision by share answered, on which the precision wanted can be set, and reliability.

import * as Plot from "@observablehq/plot";
import type { precisionRecallCurve, reliabilityBins } from "../../../../src/engine-entry.js";
import { type Chart, ChartFigure, roomForTitles } from "../../parts/chart.js";
import { percentText } from "../../parts/common.js";

type Points = ReturnType<typeof precisionRecallCurve>;

export function PrecisionChart(props: {
  points: Points;
  /** Share of all answers that is right. */
  accuracy: number;
  precision: number;
  recall: number;
  /** Where the precision is reached, if anywhere. */
  point: Points[number] | undefined;
  onPrecision: (value: number) => void;
}) {
  const { points, accuracy, precision, recall, point, onPrecision } = props;
  const floor = Math.min(0.5, accuracy - 0.05);
  return (
    <ChartFigure
      label={`Precision by share answered. At ${percentText(precision)} precision, ${percentText(recall)} is answered.`}
      caption="Precision of the answers, by the share of inputs answered"
      height={280}
      inputs={[points, precision, recall]}
      options={() => ({
        ...roomForTitles,
        x: { label: "answered", domain: [0, 1], tickFormat: "%", ticks: 5 },
        y: { label: "precision", domain: [floor, 1], tickFormat: "%", grid: true, ticks: 6 },
        marks: [
          Plot.areaY(points.slice(0, points.findIndex((p) => p.recall >= recall) + 1), {
            x: "recall",
            y1: floor,
            y2: "precision",
            fill: "var(--accent)",
            fillOpacity: 0.12,
          }),
          Plot.lineY(points, { x: "recall", y: "precision", stroke: "var(--accent)", strokeWidth: 2 }),
          Plot.ruleY([precision], { stroke: "var(--gold)", strokeWidth: 2, strokeDasharray: "5 4" }),
          Plot.dot(point ? [point] : [], {
            x: "recall",
            y: "precision",
            r: 5,
            fill: "var(--gold)",
            stroke: "var(--ground)",
          }),
        ],
      })}
      onDraw={(chart) => dragging(chart, onPrecision)}
    />
  );
}

export function ReliabilityChart({ bins, error }: { bins: ReturnType<typeof reliabilityBins>; error: number }) {
  return (
    <ChartFigure
      label={`Reliability: expected calibration error ${percentText(error)}`}
      caption={`How often answers of a confidence are right; on the dashed line, confidence matches accuracy. Expected error ${percentText(error)}`}
      height={280}
      inputs={[bins]}
      options={() => ({
        ...roomForTitles,
        x: { label: "the model’s probability", domain: [0, 1], tickFormat: "%", ticks: 5 },
        y: { label: "right", domain: [0, 1], tickFormat: "%", grid: true, ticks: 6 },
        marks: [
          Plot.link([0], { x1: 0, y1: 0, x2: 1, y2: 1, stroke: "var(--line-strong)", strokeDasharray: "4 4" }),
          Plot.lineY(bins, { x: "confidence", y: "accuracy", stroke: "var(--accent)", strokeWidth: 2 }),
          Plot.dot(bins, { x: "confidence", y: "accuracy", r: 4, fill: "var(--accent)" }),
        ],
      })}
    />
  );
}

/** The precision follows a click on the chart and a mouse that is dragged on it. A finger that is drawn over it scrolls. */
function dragging(chart: Chart, onPrecision: (value: number) => void): () => void {
  const scale = chart.scale("y");
  const follow = (event: Event): void => {
    const { buttons, clientY, type, pointerType } = event as PointerEvent;
    if (type === "pointermove" && (buttons !== 1 || pointerType === "touch")) return;
    const value = scale?.invert?.(clientY - chart.getBoundingClientRect().top) as number;
    onPrecision(Number(Math.min(0.999, Math.max(0.5, value)).toFixed(3)));
  };
  chart.style.cursor = "ns-resize";
  (chart as unknown as HTMLElement).style.touchAction = "pan-y";
  chart.addEventListener("click", follow);
  chart.addEventListener("pointermove", follow);
  return () => {
    chart.removeEventListener("click", follow);
    chart.removeEventListener("pointermove", follow);
  };
}
