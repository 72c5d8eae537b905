// The report of a test: what is answered at the precision wanted, what can be promised, charts, and the inputs that matter.

import { useMemo } from "preact/hooks";
import {
  expectedCalibrationError,
  findThreshold,
  precisionRecallCurve,
  recallAtPrecision,
  reliabilityBins,
  whyNoThreshold,
} from "../../../../src/engine-entry.js";
import { csvOf } from "../../csv.js";
import { counted, percentText, Slider, Warnings } from "../../parts/common.js";
import type { Judged } from "../../protocol.js";
import { saveFile } from "../../save.js";
import { PrecisionChart, ReliabilityChart } from "./charts.js";
import { Inputs } from "./inputs.js";

interface Reported {
  judged: Judged[];
  precision: number;
  onPrecision: (value: number) => void;
}

export function Report(props: Reported & { stopped: boolean; warnings: readonly string[] }) {
  const { judged, stopped, warnings, precision, onPrecision } = props;
  const { points, bins, error, accuracy, ranked } = useMemo(
    () => ({
      points: precisionRecallCurve(judged),
      bins: reliabilityBins(judged, 10),
      error: expectedCalibrationError(judged),
      accuracy: judged.filter(({ correct }) => correct).length / judged.length,
      ranked: [...judged].sort((a, b) => b.confidence - a.confidence),
    }),
    [judged],
  );
  const recall = recallAtPrecision(judged, precision);
  const point = points.findLast((candidate) => candidate.recall === recall && candidate.precision >= precision);
  const threshold = point?.threshold ?? Number.POSITIVE_INFINITY;
  const left = ranked.filter(({ confidence }) => confidence < threshold);
  const wrong = ranked.filter(({ confidence, correct }) => confidence >= threshold && !correct);
  return (
    <>
      {stopped && <p class="soft">Stopped: this is what {counted(judged.length, "input")} can show.</p>}
      <Warnings lines={warnings} />
      <section class="verdict trust" aria-label="At this precision">
        <Wanted precision={precision} onPrecision={onPrecision} />
        <Answered recall={recall} inputs={judged.length} reached={point?.precision} />
        <Everything accuracy={accuracy} left={left.length} />
      </section>
      <Guarantee judged={judged} precision={precision} />
      <div class="two charts">
        <PrecisionChart {...{ points, accuracy, precision, recall, point, onPrecision }} />
        <ReliabilityChart bins={bins} error={error} />
      </div>
      <p class="small">
        <button
          type="button"
          class="link small"
          onClick={() => saveFile("answers.csv", answersText(ranked), "text/csv")}
        >
          Save all answers (CSV)
        </button>
      </p>
      <div class="two">
        <Inputs title={`Left to people: ${left.length}`} items={left} empty="None: everything is answered." />
        <Inputs title={`Answered and wrong: ${wrong.length}`} items={wrong} empty="None." />
      </div>
    </>
  );
}

/** One line for each input, the surest first. */
function answersText(answers: readonly Judged[]): string {
  return csvOf([
    ["input", "output", "truth", "right", "probability"],
    ...answers.map(({ input, output, truth, correct, confidence }) => [input, output, truth, correct, confidence]),
  ]);
}

function Wanted({ precision, onPrecision }: Pick<Reported, "precision" | "onPrecision">) {
  return (
    <div>
      <Slider
        label="Target precision"
        value={precision}
        min={0.5}
        max={0.999}
        step={0.001}
        shown={percentText(precision)}
        onInput={onPrecision}
      />
      <p class="soft small">or set the line in the chart</p>
    </div>
  );
}

/** `reached`: the precision of the answers, if any threshold is precise enough. */
function Answered({ recall, inputs, reached }: { recall: number; inputs: number; reached: number | undefined }) {
  return (
    <div role="status" class="answer">
      <p class="name">Answers</p>
      <p class="reading" data-recall={recall}>
        {percentText(recall)}
      </p>
      <p>
        of {counted(inputs, "input")},{" "}
        {reached === undefined ? "as no threshold is precise enough" : <b>{percentText(reached)} right</b>}
      </p>
    </div>
  );
}

function Everything({ accuracy, left }: { accuracy: number; left: number }) {
  return (
    <div>
      <p class="name">Without a threshold</p>
      <p class="reading small-reading" data-accuracy={accuracy}>
        {percentText(accuracy)}
      </p>
      <p>
        of all answers are right; {left} {left === 1 ? "goes" : "go"} to people
      </p>
    </div>
  );
}

/** What can be guaranteed for inputs to come. */
function Guarantee({ judged, precision }: Pick<Reported, "judged" | "precision">) {
  const guarantee = useMemo(
    () => findThreshold(judged, { precision }) ?? whyNoThreshold(judged, { precision }),
    [judged, precision],
  );
  return (
    <p class="soft small guarantee">
      {"threshold" in guarantee
        ? `With a guarantee: answering from a probability of ${guarantee.threshold.toFixed(3)} keeps this precision for future inputs, with 95 % confidence (${guarantee.answered - guarantee.wrong} of ${guarantee.answered} tested answers right).`
        : `${counted(guarantee.examples, "input")} cannot guarantee this precision for future inputs${guarantee.possible ? `; ${percentText(guarantee.possible)} could be` : ""}.`}
    </p>
  );
}
