// Read: a handwritten date, and under each digit what the model remembers when it decides it: the kept contexts with their
// mass, the true one marked, ⋆ for all the rest. Order, B and the way contexts are chosen can be changed.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { pixelAttributes, pixelsOf, pixelText, type Shrunk, shrink } from "../../../demo/digits.js";
import { wholeOf } from "../address.js";
import { greyOf } from "../digits.js";
import { quick } from "../engine.js";
import { type Answered, useAnswer, useModel } from "../hooks.js";
import { fetchJson } from "../models.js";
import {
  Bar,
  chosenModel,
  Intro,
  percentText,
  Segmented,
  Slider,
  Trouble,
  type ViewProps,
  Waiting,
} from "../parts/common.js";
import { DigitPicture, DrawingPad } from "../parts/picture.js";
import type { Choice, ContextView, ReadResult } from "../protocol.js";
import { useDark } from "../theme.js";

interface Examples {
  /** Pixels of a digit as the model sees it. */
  side: number;
  register: string[];
  examples: { truth: string; lesson: boolean; pictures: string[] }[];
}

const modes = [
  ["rcms", "RCMS"],
  ["beam", "Beam"],
  ["exact", "Exact"],
] as const;
type Mode = Choice["inference"];

const length = 8; // digits of a date
const noInk = ".".repeat(length - 1); // between the digits drawn
const mostContexts = 20;

/** The date as it is written: drawn, or from the examples. */
interface Written {
  pixels: Shrunk[];
  /** Nothing where it was drawn. */
  grey: (Float32Array | undefined)[];
  truth?: string;
}

export function ReadView({ models, params, change }: ViewProps) {
  const offered = chosenModel(models, undefined);
  const { model, share, error } = useModel(quick, offered);
  const { examples, trouble } = useExamples(offered?.examples);
  const drawing = params.ink !== undefined;
  const index = wholeOf(params.date, 1, examples?.examples.length ?? 1, 1) - 1;
  const mode: Mode = modes.find(([name]) => name === params.mode)?.[0] ?? "rcms";
  const mostOrder = model?.choice.order ?? 7;
  const order = wholeOf(params.order, 0, mostOrder, mostOrder);
  const contexts = wholeOf(params.B, mode === "beam" ? 1 : 0, mostContexts, model?.choice.contexts ?? 5);
  const written = useMemo(() => writtenDate(examples, params.ink, index), [examples, params.ink, index]);
  const blank = drawing && !written.pixels.some((image) => image.some(Boolean));
  const { answers, result, current } = useReadings({ model: model?.id, written, blank, mode, order, contexts });

  return (
    <>
      <Intro title="Read a date">
        Eight handwritten digits, each seen as {examples ? `${examples.side}×${examples.side}` : "a few"} pixels: too
        few to tell them apart one by one. What helps is remembering what was read before. Under each digit are the
        memories (<em>contexts</em>) kept there; <b class="star">⋆</b> stands for all the others together.
      </Intro>

      <section class="controls" aria-label="How contexts are chosen">
        <ContextControls mode={mode} contexts={contexts} order={order} mostOrder={mostOrder} change={change} />
        <DateChoice drawing={drawing} index={index} count={examples?.examples.length} change={change} />
      </section>

      <Trouble error={error ?? trouble ?? answers[mode].error} />
      {!model && !error && <Waiting share={share} what="the model" />}
      {drawing && <DrawingHint register={examples?.register} />}

      {examples && (result || drawing) && (
        <>
          {result && (
            <Verdict result={result} truth={written.truth} mode={mode} answers={answers} contexts={contexts} />
          )}
          {result && !drawing && <Lesson examples={examples} index={index} change={change} />}
          <p class="soft small sideways">All eight digits are there: the row scrolls sideways.</p>
          <section class="slots" aria-label="Digits and their contexts" tabIndex={0} aria-busy={!current && !blank}>
            {Array.from({ length }, (_, i) => (
              <div class="slot" key={i} data-slot={i}>
                <Pictures written={written} position={i} examples={examples} ink={params.ink} change={change} />
                {result && <Decision result={result} truth={written.truth} position={i} />}
              </div>
            ))}
            {result && <Heat result={result} truth={written.truth} />}
          </section>
          {result && <Legend drawing={drawing} mode={mode} />}
        </>
      )}
    </>
  );
}

function useExamples(address: string | undefined): { examples?: Examples; trouble?: Error } {
  const [examples, setExamples] = useState<Examples>();
  const [trouble, setTrouble] = useState<Error>();
  useEffect(() => {
    if (address) fetchJson<Examples>(address).then(setExamples, setTrouble);
  }, [address]);
  return { examples, trouble };
}

function writtenDate(examples: Examples | undefined, ink: string | undefined, index: number): Written {
  if (!examples) return { pixels: [], grey: [] };
  if (ink !== undefined) {
    const empty: Shrunk = new Array<boolean>(examples.side ** 2).fill(false);
    const pads = ink.split(".");
    const size = Math.ceil(empty.length / 4);
    return {
      pixels: Array.from({ length }, (_, i) => (isPixels(pads[i], size) ? pixelsOf(pads[i]) : empty)),
      grey: [],
    };
  }
  const { pictures, truth } = examples.examples[index];
  const grey = pictures.map(greyOf);
  return { pixels: grey.map((image) => shrink(image, examples.side)), grey, truth };
}

/** The date as each way of choosing contexts reads it, and what is shown of the chosen way. */
function useReadings(asked: {
  model: string | undefined;
  written: Written;
  blank: boolean;
  mode: Mode;
  order: number;
  contexts: number;
}): { answers: Record<Mode, Answered<ReadResult>>; result: ReadResult | undefined; current: boolean } {
  const { model, written, blank, mode, order, contexts } = asked;
  const attributes = useMemo(() => written.pixels.map(pixelAttributes), [written]);
  const question = (inference: Mode) => {
    if (model === undefined || blank || attributes.length === 0) return undefined;
    // Exact inference keeps all contexts: a question that does not change need not be asked again.
    const kept = inference === "exact" ? 0 : Math.max(contexts, inference === "beam" ? 1 : 0);
    return { model, attributes, choice: { inference, contexts: kept, order }, whole: inference === mode };
  };
  const answers = {
    rcms: useAnswer(quick, "read", question("rcms")),
    beam: useAnswer(quick, "read", question("beam")),
    exact: useAnswer(quick, "read", question("exact")),
  };
  // A moment after the switch, the answer at hand is still the short one: what was shown before stays until then.
  const shown = useRef<ReadResult | undefined>(undefined);
  const complete = (answers[mode].result?.contexts.length ?? 0) > 0;
  if (complete) shown.current = answers[mode].result;
  return { answers, result: blank ? undefined : shown.current, current: answers[mode].current && complete };
}

function ContextControls(props: {
  mode: Mode;
  contexts: number;
  order: number;
  mostOrder: number;
  change: ViewProps["change"];
}) {
  const { mode, contexts, order, mostOrder, change } = props;
  return (
    <>
      <Segmented
        label="Contexts chosen by"
        name="mode"
        value={mode}
        options={modes}
        onChange={(value) => change({ mode: value === "rcms" ? undefined : value })}
      />
      <Slider
        label="B, contexts kept"
        value={mode === "exact" ? mostContexts : contexts}
        min={mode === "beam" ? 1 : 0}
        max={mostContexts}
        shown={mode === "exact" ? "all" : String(contexts)}
        disabled={mode === "exact"}
        onInput={(value) => change({ B: String(value) })}
      />
      <Slider
        label="Order, longest memory"
        value={order}
        min={0}
        max={mostOrder}
        onInput={(value) => change({ order: String(value) })}
      />
    </>
  );
}

/** Which of the examples, or digits of one's own. */
function DateChoice(props: {
  drawing: boolean;
  index: number;
  count: number | undefined;
  change: ViewProps["change"];
}) {
  const { drawing, index, count, change } = props;
  return (
    <div class="field">
      <span class="name" id="which">
        {drawing ? "Your own digits" : `Date ${index + 1} of ${count ?? "…"}`}
      </span>
      <div class="buttons">
        {drawing ? (
          <>
            <button type="button" onClick={() => change({ ink: noInk })}>
              Clear
            </button>
            <button type="button" onClick={() => change({ ink: undefined })}>
              Back to examples
            </button>
          </>
        ) : (
          <>
            <button
              type="button"
              aria-label="Date before"
              disabled={index === 0}
              onClick={() => change({ date: String(index) })}
            >
              ←
            </button>
            <button
              type="button"
              aria-label="Next date"
              disabled={count === undefined || index + 1 === count}
              onClick={() => change({ date: String(index + 2) })}
            >
              →
            </button>
            <button type="button" onClick={() => change({ ink: noInk })}>
              Draw your own
            </button>
          </>
        )}
      </div>
    </div>
  );
}

function DrawingHint({ register }: { register: readonly string[] | undefined }) {
  return (
    <p class="soft small drawing-hint">
      Draw a digit into each box, or focus a box and press a digit key. The model has learned a register of{" "}
      {register?.length} dates, such as {register?.slice(0, 3).map(dashed).join(", ")}; others it has to guess.
    </p>
  );
}

/** A digit as it was written, or a pad to write it on, and as the model sees it. */
function Pictures(props: {
  written: Written;
  position: number;
  examples: Examples;
  ink: string | undefined;
  change: ViewProps["change"];
}) {
  const { written, position, examples, ink, change } = props;
  const dark = useDark();
  const pixels = written.pixels[position];
  const setInk = (image: Shrunk | undefined): void => {
    const pads = (ink ?? "").split(".");
    const own = image ? pixelText(image) : "";
    change({ ink: Array.from({ length }, (_, i) => (i === position ? own : (pads[i] ?? ""))).join(".") });
  };
  const putDigit = (digit: string): void => {
    for (const { truth, pictures } of examples.examples) {
      const at = truth.indexOf(digit);
      if (at < 0) continue;
      setInk(shrink(greyOf(pictures[at]), examples.side));
      break;
    }
  };
  return (
    <div class="pictures">
      {ink !== undefined ? (
        <DrawingPad
          label={`Digit ${position + 1}`}
          pixels={pixels}
          filled={pixels?.some(Boolean) ?? false}
          dark={dark}
          onDraw={(image) => setInk(shrink(image, examples.side))}
          onKey={putDigit}
          onClear={() => setInk(undefined)}
        />
      ) : (
        <DigitPicture
          grey={written.grey[position]}
          pixels={pixels}
          dark={dark}
          label={`Handwritten digit ${position + 1}`}
        />
      )}
      <span class="seen">
        <DigitPicture pixels={pixels} coarse dark={dark} label="as the model sees it" />
      </span>
    </div>
  );
}

function Legend({ drawing, mode }: { drawing: boolean; mode: Mode }) {
  return (
    <p class="legend soft small">
      {!drawing && (
        <span>
          <span class="key-true">true context</span> the longest kept memory that agrees with the true date
        </span>
      )}
      <span>
        <span class="key-star">⋆</span>{" "}
        {mode === "beam"
          ? "is missing in a beam: what is not kept is lost"
          : "everything else: with it, every date stays possible"}
      </span>
    </p>
  );
}

function isPixels(text: string | undefined, size: number): text is string {
  return text !== undefined && text.length === size && /^[0-9a-f]+$/.test(text);
}

export function dashed(date: string): string {
  return date.length === length ? `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}` : date;
}

/** What is decided at a place, how surely, and in which contexts. */
function Decision({ result, truth, position }: { result: ReadResult; truth: string | undefined; position: number }) {
  const label = result.labels[position];
  return (
    <>
      <p class="decided">
        <b class={truth === undefined ? "" : truth[position] === label ? "right" : "wrong"}>{label}</b>
        <span class="soft">{percentText(result.marginals[position][label] ?? 0)}</span>
      </p>
      <ContextSet contexts={result.contexts[position]} before={truth?.slice(0, position)} position={position} />
    </>
  );
}

/** A context as the paper writes it: `⋆47` remembers the last two digits, `1947` all of them. */
function ContextName({ suffix }: { suffix: readonly string[] }) {
  const remembered = suffix.filter((symbol) => symbol !== "^").join("");
  if (suffix.length === 1 && suffix[0] === "^") return <span class="soft">start</span>;
  return (
    <code>
      {suffix[0] !== "^" && <span class="star">⋆</span>}
      {remembered}
    </code>
  );
}

/** The contexts of a slot, heaviest first and ⋆ last. The true one is the longest that agrees with what came before. */
function ContextSet({
  contexts,
  before,
  position,
}: {
  contexts: ContextView[];
  before: string | undefined;
  position: number;
}) {
  const agrees = ({ suffix }: ContextView): boolean => {
    if (before === undefined || suffix.length === 0) return false;
    const remembered = suffix.filter((symbol) => symbol !== "^").join("");
    return suffix[0] === "^" ? remembered === before : before.endsWith(remembered);
  };
  const star = contexts.find(({ suffix }) => suffix.length === 0);
  const others = contexts.filter((context) => context !== star);
  const truth =
    others.filter(agrees).sort((a, b) => b.suffix.length - a.suffix.length)[0] ??
    (before === undefined ? undefined : star);
  return (
    <ol class="contexts" aria-label={`Contexts kept before digit ${position + 1}`}>
      {[...others.slice(0, mostContexts + 1), ...(star ? [star] : [])].map((context) => (
        <li
          key={context.suffix.join(" ")}
          class={`${context === truth ? "true" : ""} ${context === star ? "starred" : ""}`}
        >
          <ContextName suffix={context.suffix} />
          <span class="mass">{percentText(context.probability)}</span>
          <Bar share={context.probability} tone={context === star ? "gold" : ""} />
          {context === truth && <span class="hidden">(the true one)</span>}
        </li>
      ))}
      {others.length > mostContexts + 1 && <li class="soft more">and {others.length - mostContexts - 1} more</li>}
    </ol>
  );
}

/** Probability of every digit at every place, summed over contexts. */
function Heat({ result, truth }: { result: ReadResult; truth: string | undefined }) {
  const digits = Array.from({ length: 10 }, (_, digit) => String(digit));
  return (
    <table class="heat">
      <caption>Probability of each digit at each place</caption>
      <tbody>
        {digits.map((digit) => (
          <tr key={digit}>
            {result.marginals.map((row, i) => {
              const p = row[digit] ?? 0;
              return (
                <td
                  key={i}
                  class={truth?.[i] === digit ? "true" : ""}
                  style={{ "--p": p.toFixed(4) }}
                  title={`${digit} at place ${i + 1}: ${percentText(p)}`}
                >
                  {digit}
                  <span class="hidden"> {percentText(p)}</span>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Verdict(props: {
  result: ReadResult;
  truth?: string;
  mode: Mode;
  answers: Record<Mode, { result?: ReadResult }>;
  contexts: number;
}) {
  const { result, truth, mode, answers, contexts } = props;
  const reading = result.labels.join("");
  const names = { rcms: `RCMS, B = ${contexts}`, beam: `Beam, B = ${Math.max(1, contexts)}`, exact: "Exact" };
  return (
    <section class="verdict" aria-label="Answer">
      <div class="answer" role="status">
        <p class="name">Reads</p>
        <p class="reading" data-probability={result.probability}>
          {dashed(reading)}
        </p>
        <p>
          with probability <b>{percentText(result.probability)}</b>
          {truth !== undefined && (
            <>
              {" · "}
              {reading === truth ? (
                <span class="right">right</span>
              ) : (
                <span class="wrong">
                  wrong, it is <span class="whole">{dashed(truth)}</span>
                </span>
              )}
            </>
          )}
        </p>
      </div>
      <div>
        <p class="name">Next best</p>
        <ul class="nbest">
          {result.nbest.slice(1).map(({ labels, probability }) => (
            <li key={labels.join("")}>
              <code>{dashed(labels.join(""))}</code>
              <span class="mass">{percentText(probability)}</span>
              <Bar share={probability} />
            </li>
          ))}
        </ul>
      </div>
      <div>
        <p class="name">The same digits, read three ways</p>
        <ul class="nbest">
          {modes.map(([name]) => {
            const other = answers[name].result;
            const text = other?.labels.join("") ?? "";
            const tone = truth === undefined ? "" : text === truth ? "right" : "wrong";
            return (
              <li key={name} class={name === mode ? "chosen" : ""}>
                <span>
                  {names[name]} <code>{dashed(text)}</code>
                </span>
                <span class={`mass ${tone}`}>
                  {other ? percentText(other.probability) : "…"}
                  {tone && <span class="mark">{tone === "right" ? " ✓" : " ✗"}</span>}
                </span>
                <Bar share={other?.probability ?? 0} tone={tone} />
              </li>
            );
          })}
        </ul>
      </div>
    </section>
  );
}

function Lesson({ examples, index, change }: { examples: Examples; index: number; change: ViewProps["change"] }) {
  if (!examples.examples[index].lesson) return null;
  return (
    <p class="lesson">
      On this date a small beam is sure, and wrong: it threw the truth away early.{" "}
      <button type="button" class="link" onClick={() => change({ mode: "beam", B: "3" })}>
        Beam with B = 3
      </button>
      {" · "}
      <button type="button" class="link" onClick={() => change({ mode: undefined, B: "3" })}>
        RCMS with B = 3
      </button>
    </p>
  );
}
