// Read: a handwritten date, and under each digit what the model remembers when it decides it: the kept contexts with their
// mass, the true one marked, ⋆ for all the rest. Order, B and the way contexts are chosen can be changed.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { pixelAttributes } from "../../../../demo/digits.js";
import { wholeOf } from "../../address.js";
import { quick } from "../../engine.js";
import { type Answered, useAnswer, useModel } from "../../hooks.js";
import { fetchJson } from "../../models.js";
import { chosenModel, Intro, Trouble, type ViewProps, Waiting } from "../../parts/common.js";
import type { ReadResult } from "../../protocol.js";
import { Decision, Heat, Rounds } from "./contexts.js";
import { ContextControls, DateChoice, DrawingHint } from "./controls.js";
import { Pictures } from "./pictures.js";
import { Verdict } from "./verdict.js";
import {
  type Examples,
  firstContexts,
  length,
  type Mode,
  modes,
  mostContexts,
  mostInDoubt,
  type Written,
  writtenDate,
} from "./written.js";

export function ReadView({ models, params, change }: ViewProps) {
  const offered = chosenModel(models, undefined);
  const { model, share, error } = useModel(quick, offered);
  const { examples, trouble } = useExamples(offered?.examples);
  const drawing = params.ink !== undefined;
  const index = wholeOf(params.date, 1, examples?.examples.length ?? 1, 1) - 1;
  const mode: Mode = modes.find(([name]) => name === params.mode)?.[0] ?? "rcms";
  const mostOrder = model?.choice.order ?? 7;
  const order = wholeOf(params.order, 0, mostOrder, mostOrder);
  const widens = mode === "rcms" && params.doubt === "more";
  const contexts = wholeOf(params.B, mode === "beam" || widens ? 1 : 0, mostContexts, firstContexts);
  const written = useMemo(() => writtenDate(examples, params.ink, index), [examples, params.ink, index]);
  const blank = drawing && !written.pixels.some((image) => image.some(Boolean));
  const asked = { model: model?.id, written, blank, mode, order, contexts, widens };
  const { answers, result, current, first } = useReadings(asked);

  return (
    <>
      <Intro title="Read a date">
        Eight handwritten digits, each seen as {examples ? `${examples.side}×${examples.side}` : "a few"} pixels: too
        few to recognise each on its own. It helps to remember what was read before. Under each digit are the memories (
        <em>contexts</em>) kept there; <b class="star">⋆</b> stands for all others together. <em>RCMS</em> (reified
        context model selection) keeps the B heaviest and <b class="star">⋆</b>; beam search keeps the B heaviest and
        forgets the rest.
      </Intro>

      <section class="controls" aria-label="How contexts are chosen">
        <ContextControls
          mode={mode}
          contexts={contexts}
          widens={widens}
          order={order}
          mostOrder={mostOrder}
          change={change}
        />
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
          {result && result.rounds.length > 0 && <Rounds rounds={result.rounds} />}
          {result && !drawing && <Lesson examples={examples} index={index} change={change} />}
          <p class="soft small sideways">There are eight digits: scroll sideways.</p>
          <section class="slots" aria-label="Digits and their contexts" tabIndex={0} aria-busy={!current && !blank}>
            {Array.from({ length }, (_, i) => (
              <div class="slot" key={i} data-slot={i}>
                <Pictures written={written} position={i} examples={examples} ink={params.ink} change={change} />
                {result && <Decision result={result} truth={written.truth} position={i} first={first?.contexts[i]} />}
              </div>
            ))}
            {result && <Heat result={result} truth={written.truth} />}
          </section>
          {result && <Legend drawing={drawing} mode={mode} adds={result.rounds.length > 1} />}
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

/** The date as each way of choosing contexts reads it, and what is shown of the chosen way. */
function useReadings(asked: {
  model: string | undefined;
  written: Written;
  blank: boolean;
  mode: Mode;
  order: number;
  contexts: number;
  widens: boolean;
}): Readings {
  const { model, written, blank, mode, order, contexts, widens } = asked;
  const attributes = useMemo(() => written.pixels.map(pixelAttributes), [written]);
  const question = (inference: Mode, most?: number) => {
    if (model === undefined || blank || attributes.length === 0) return undefined;
    // Exact inference keeps all contexts: a question that does not change need not be asked again.
    const kept = inference === "exact" ? 0 : Math.max(contexts, inference === "beam" ? 1 : 0);
    const choice = { inference, contexts: kept, ...(most && { most }), order };
    return { model, attributes, choice, whole: inference === mode };
  };
  const first = useAnswer(quick, "read", widens ? question("rcms") : undefined);
  const answers = {
    rcms: useAnswer(quick, "read", question("rcms", widens ? mostInDoubt : undefined)),
    beam: useAnswer(quick, "read", question("beam")),
    exact: useAnswer(quick, "read", question("exact")),
  };
  // A moment after the switch, the answer at hand is still the short one: what was shown before stays until then.
  const shown = useRef<ReadResult | undefined>(undefined);
  const complete = (answers[mode].result?.contexts.length ?? 0) > 0;
  if (complete) shown.current = answers[mode].result;
  const current = answers[mode].current && complete && (!widens || first.current);
  return { answers, result: blank ? undefined : shown.current, current, first: widens ? first.result : undefined };
}

interface Readings {
  answers: Record<Mode, Answered<ReadResult>>;
  result: ReadResult | undefined;
  current: boolean;
  /** What the first pass kept, where there may be more. */
  first?: ReadResult;
}

function Legend({ drawing, mode, adds }: { drawing: boolean; mode: Mode; adds: boolean }) {
  return (
    <p class="legend soft small">
      {!drawing && (
        <span>
          <span class="key-true">true context</span> the longest kept memory that agrees with the true date
        </span>
      )}
      {adds && (
        <span>
          3 → 18 contexts allowed in each pass; <span class="key-added">+</span> not kept in the first
        </span>
      )}
      <span>
        <span class="key-star">⋆</span>{" "}
        {mode === "beam"
          ? "does not exist in a beam: what is not kept is lost"
          : "everything else: every date stays possible"}
      </span>
    </p>
  );
}

function Lesson({ examples, index, change }: { examples: Examples; index: number; change: ViewProps["change"] }) {
  if (!examples.examples[index].lesson) return null;
  return (
    <p class="lesson">
      On this date a small beam is certain and wrong: it discarded the right date early.{" "}
      <button type="button" class="link" onClick={() => change({ mode: "beam", B: "3" })}>
        Beam with B = 3
      </button>
      {" · "}
      <button type="button" class="link" onClick={() => change({ mode: undefined, B: "3", doubt: undefined })}>
        RCMS with B = 3
      </button>
      {" · "}
      <button type="button" class="link" onClick={() => change({ mode: undefined, B: "3", doubt: "more" })}>
        RCMS with more where uncertain
      </button>
    </p>
  );
}
