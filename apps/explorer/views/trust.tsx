// Trust: how sure a model is and how right, on inputs it has not learned from. One sets the precision one wants, and sees how
// much is answered at it and what is left to people.

import * as Plot from "@observablehq/plot";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { pixelsOf } from "../../../demo/digits.js";
import {
  expectedCalibrationError,
  findThreshold,
  precisionRecallCurve,
  recallAtPrecision,
  reliabilityBins,
  whyNoThreshold,
} from "../../../src/browser.js";
import type { TestFormat } from "../catalogue.js";
import { patient } from "../engine.js";
import { useModel } from "../hooks.js";
import { type Chart, ChartFigure, roomForTitles } from "../parts/chart.js";
import {
  About,
  Bar,
  chosenModel,
  counted,
  FileButton,
  Intro,
  ModelChoice,
  ModelState,
  percentText,
  Segmented,
  Slider,
  type ViewProps,
} from "../parts/common.js";
import { DigitPicture } from "../parts/picture.js";
import { type Calls, type Choice, type Judged, unknownLabel } from "../protocol.js";
import { useDark } from "../theme.js";
import { dashed } from "./read.js";

const modes = [
  ["own", "As trained"],
  ["rcms", "RCMS"],
  ["beam", "Beam"],
] as const;

const usualPrecision = 0.95;
const mostListed = 8;

export function TrustView({ models, ready, params, change }: ViewProps) {
  const able = models.filter(({ view }) => view !== "decipher");
  const offered = chosenModel(able, params.model);
  const loading = useModel(patient, offered);
  const { model } = loading;
  const [opened, setOpened] = useState<{ model: string; name: string; text: string }>();
  const own = opened?.model === offered?.id ? opened : undefined;
  const mode = modes.find(([name]) => name === params.mode)?.[0] ?? "own";
  const contexts = Math.max(1, Math.min(20, Math.round(Number(params.B ?? 3)) || 3));
  const choice: Choice | undefined = mode === "own" ? undefined : { inference: mode, contexts };
  const precision = Math.min(0.999, Math.max(0.5, Number(params.precision ?? usualPrecision) || usualPrecision));
  const ownFormat: TestFormat = model?.kind === "transducer" ? "pairs" : "sequences";
  const source = own ? { text: own.text, file: own.name, format: ownFormat } : offered?.test;
  const { judged, progress, state, trouble, stop } = useEvaluation(model?.id, source, choice);

  return (
    <>
      <Intro title="Trust an answer">
        The model answers inputs it has not learned from, and says how sure it is. If only the surest answers are given,
        more of them are right. Choose how right they must be; the rest is left to people.
      </Intro>
      <section class="controls" aria-label="Model and data">
        <ModelChoice models={able} value={offered?.id} onChange={(id) => change({ model: id })} />
        <Segmented
          label="Contexts chosen by"
          name="mode"
          value={mode}
          options={modes}
          onChange={(value) => change({ mode: value === "own" ? undefined : value })}
        />
        <Slider
          label="B, contexts kept"
          value={mode === "own" ? (model?.choice.contexts ?? contexts) : contexts}
          min={1}
          max={20}
          disabled={mode === "own"}
          onInput={(value) => change({ B: String(value) })}
        />
        <div class="field">
          <span class="name">Data: {own ? own.name : offered?.test ? "comes with the model" : "none yet"}</span>
          <div class="buttons">
            <FileButton
              text="Open labelled data"
              label="Labelled data file"
              onFile={async (file) => {
                if (offered) setOpened({ model: offered.id, name: file.name, text: await file.text() });
              }}
            />
          </div>
        </div>
      </section>
      <ModelState ready={ready} named={params.model} offered={offered} loading={loading} trouble={trouble} />
      {model && !source && (
        <p class="soft">
          Open data with the right answers:{" "}
          {ownFormat === "pairs"
            ? "an input, a tab and an output on each line"
            : "a word and its label on each line, a blank line between sentences"}
          .
        </p>
      )}
      {state === "running" && <Running progress={progress} onStop={stop} />}
      {judged && judged.length > 0 && (
        <Report
          judged={judged}
          stopped={state === "stopped"}
          precision={precision}
          onPrecision={(value) => change({ precision: String(value) })}
        />
      )}
      <About model={offered} />
    </>
  );
}

interface Evaluation {
  /** Undefined until it has ended, or been stopped. */
  judged: Judged[] | undefined;
  /** The share that is answered. */
  progress: number;
  state: "idle" | "running" | "stopped" | "done";
  trouble: Error | undefined;
  stop: () => void;
}

/** Has the model answer the inputs of a test, anew whenever the model, the test or the choice of contexts changes. */
function useEvaluation(
  model: string | undefined,
  source: Omit<Calls["evaluate"]["params"], "model" | "choice"> | undefined,
  choice: Choice | undefined,
): Evaluation {
  const [judged, setJudged] = useState<Judged[]>();
  const [progress, setProgress] = useState(0);
  const [state, setState] = useState<Evaluation["state"]>("idle");
  const [trouble, setTrouble] = useState<Error>();
  const control = useRef<AbortController | undefined>(undefined);
  useEffect(() => {
    setJudged(undefined);
    setTrouble(undefined);
    if (model === undefined || !source) {
      setState("idle");
      return;
    }
    const mine = new AbortController();
    control.current = mine;
    setState("running");
    setProgress(0);
    patient.call("evaluate", { model, ...source, choice }, { signal: mine.signal, onProgress: setProgress }).then(
      (result) => {
        if (control.current !== mine) return;
        setJudged(result.judged);
        setState(result.stopped ? "stopped" : "done");
      },
      (failure) => {
        if (control.current !== mine) return;
        setTrouble(failure);
        setState("idle");
      },
    );
    return () => {
      control.current = undefined;
      mine.abort();
    };
  }, [model !== undefined && source ? JSON.stringify([model, source, choice]) : ""]);
  return { judged, progress, state, trouble, stop: () => control.current?.abort() };
}

function Running({ progress, onStop }: { progress: number; onStop: () => void }) {
  return (
    <div class="run">
      <button type="button" onClick={onStop}>
        Stop
      </button>
      <progress max={1} value={progress} aria-label="Answering the test" />
      <span class="soft" role="status">
        {percentText(progress)}
      </span>
    </div>
  );
}

interface Curve {
  points: ReturnType<typeof precisionRecallCurve>;
  bins: ReturnType<typeof reliabilityBins>;
  error: number;
  accuracy: number;
}

function Report(props: {
  judged: Judged[];
  stopped: boolean;
  precision: number;
  onPrecision: (value: number) => void;
}) {
  const { judged, stopped, precision, onPrecision } = props;
  const { points, bins, error, accuracy } = useMemo(
    (): Curve => ({
      points: precisionRecallCurve(judged),
      bins: reliabilityBins(judged, 10),
      error: expectedCalibrationError(judged),
      accuracy: judged.filter(({ correct }) => correct).length / judged.length,
    }),
    [judged],
  );
  const recall = recallAtPrecision(judged, precision);
  const point = points.findLast((candidate) => candidate.recall === recall && candidate.precision >= precision);
  const threshold = point?.threshold ?? Number.POSITIVE_INFINITY;
  const guarantee = useMemo(() => {
    const found = findThreshold(judged, { precision });
    return found ?? whyNoThreshold(judged, { precision });
  }, [judged, precision]);
  const ranked = useMemo(() => [...judged].sort((a, b) => b.confidence - a.confidence), [judged]);
  const left = ranked.filter(({ confidence }) => confidence < threshold);
  const wrong = ranked.filter(({ confidence, correct }) => confidence >= threshold && !correct);
  return (
    <>
      {stopped && <p class="soft">Stopped: this is what {counted(judged.length, "input")} can show.</p>}
      <section class="verdict trust" aria-label="At this precision">
        <div>
          <Slider
            label="Precision wanted"
            value={precision}
            min={0.5}
            max={0.999}
            step={0.001}
            shown={percentText(precision)}
            onInput={onPrecision}
          />
          <p class="soft small">or set the line in the chart</p>
        </div>
        <div role="status" class="answer">
          <p class="name">Answers</p>
          <p class="reading" data-recall={recall}>
            {percentText(recall)}
          </p>
          <p>
            of {counted(judged.length, "input")},{" "}
            {point ? <b>{percentText(point.precision)} right</b> : "as no threshold is precise enough"}
          </p>
        </div>
        <div>
          <p class="name">Without a threshold</p>
          <p class="reading small-reading" data-accuracy={accuracy}>
            {percentText(accuracy)}
          </p>
          <p>
            of all answers are right; {left.length} {left.length === 1 ? "goes" : "go"} to people
          </p>
        </div>
      </section>
      <p class="soft small guarantee">
        {"threshold" in guarantee
          ? `With a guarantee: answering from a probability of ${guarantee.threshold.toFixed(3)} on keeps this precision for inputs to come, with 95 % confidence (${guarantee.answered - guarantee.wrong} of ${guarantee.answered} tested answers right).`
          : `${counted(guarantee.examples, "input")} cannot guarantee this precision for inputs to come${guarantee.possible ? `; ${percentText(guarantee.possible)} could be` : ""}.`}
      </p>
      <div class="two charts">
        <ChartFigure
          label={`Precision by share answered. At ${percentText(precision)} precision, ${percentText(recall)} is answered.`}
          caption="Precision of the answers, by the share of inputs answered"
          height={280}
          inputs={[points, precision, recall]}
          options={() => ({
            ...roomForTitles,
            x: { label: "answered", domain: [0, 1], tickFormat: "%", ticks: 5 },
            y: {
              label: "precision",
              domain: [Math.min(0.5, accuracy - 0.05), 1],
              tickFormat: "%",
              grid: true,
              ticks: 6,
            },
            marks: [
              Plot.areaY(points.slice(0, points.findIndex((p) => p.recall >= recall) + 1), {
                x: "recall",
                y1: Math.min(0.5, accuracy - 0.05),
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
        <ChartFigure
          label={`Reliability: expected calibration error ${percentText(error)}`}
          caption={`How often answers of a confidence are right; on the line is honest. Expected error ${percentText(error)}`}
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
      </div>
      <div class="two">
        <Inputs title={`Left to people: ${left.length}`} items={left} empty="None: everything is answered." />
        <Inputs title={`Answered and wrong: ${wrong.length}`} items={wrong} empty="None." />
      </div>
    </>
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

function Inputs({ title, items, empty }: { title: string; items: Judged[]; empty: string }) {
  const dark = useDark();
  return (
    <section class="inputs" aria-label={title}>
      <h2>{title}</h2>
      {items.length === 0 && <p class="soft">{empty}</p>}
      <ol class="nbest">
        {items.slice(0, mostListed).map(({ input, digits, output, truth, confidence, correct }, i) => (
          <li key={i}>
            <span class="what">
              {digits ? (
                <span class="thumbs">
                  {digits.map((digit, k) => (
                    <DigitPicture key={k} pixels={pixelsOf(digit)} coarse dark={dark} label={`digit ${k + 1}`} />
                  ))}
                </span>
              ) : (
                <span class="input">{input}</span>
              )}
              <Reply output={output} truth={truth} correct={correct} />
            </span>
            <span class="mass">{percentText(confidence)}</span>
            <Bar share={confidence} tone={correct ? "" : "wrong"} />
          </li>
        ))}
      </ol>
      {items.length > mostListed && <p class="soft small">and {items.length - mostListed} more</p>}
    </section>
  );
}

/** An answer, or of a long one only where it differs from the truth. */
function Reply({ output, truth, correct }: { output: string; truth: string; correct: boolean }) {
  const [said, meant] = [output.split(" "), truth.split(" ")];
  if (said.length > 12 && said.length === meant.length) {
    const differing = said.flatMap((label, i) =>
      label === meant[i] || meant[i] === unknownLabel ? [] : [`${label} for ${meant[i]}`],
    );
    return <span class="soft small">{correct ? "all labels right" : differing.join(", ")}</span>;
  }
  return (
    <span class="small">
      <code>{dashed(output)}</code>{" "}
      {correct ? <span class="right">right</span> : <span class="wrong">wrong: {dashed(truth)}</span>}
    </span>
  );
}
