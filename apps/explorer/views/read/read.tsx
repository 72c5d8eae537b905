// Read: a handwritten date or word, and under each digit or letter what the model remembers when it decides it: the kept contexts with their
// mass, the true one marked, ⋆ for all the rest. Order, B and the way contexts are chosen can be changed.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { wholeOf } from "../../address.js";
import { quick } from "../../engine.js";
import { type Answered, useAnswer, useModel } from "../../hooks.js";
import { fetchJson, type OfferedModel } from "../../models.js";
import { About, chosenModel, Intro, ModelChoice, ModelState, type ViewProps } from "../../parts/common.js";
import type { LoadedModel, ReadResult } from "../../protocol.js";
import { type Examples, type Script, scriptOf } from "../../scripts.js";
import { Decision, Heat, Rounds } from "./contexts.js";
import { ContextControls, DrawingHint, TextChoice } from "./controls.js";
import { Pictures } from "./pictures.js";
import { Verdict } from "./verdict.js";
import { firstContexts, type Mode, modes, mostContexts, mostInDoubt, type Written, writtenText } from "./written.js";

export function ReadView(props: ViewProps) {
  const offered = chosenModel(props.models, props.params.model);
  return <Reading key={offered?.id} offered={offered} {...props} />; // nothing of another model stays
}

function Reading({ models, ready, params, change, offered }: ViewProps & { offered: OfferedModel | undefined }) {
  const loading = useModel(quick, offered);
  const { model } = loading;
  const { examples, trouble } = useExamples(offered?.examples);
  const script = scriptOf(model ?? { pixels: undefined });
  const ink = params.ink ?? (model && !offered?.examples ? "" : undefined);
  const drawing = ink !== undefined;
  const index = wholeOf(params[script.text], 1, examples?.examples.length ?? 1, 1) - 1;
  const mode: Mode = modes.find(([name]) => name === params.mode)?.[0] ?? "rcms";
  const mostOrder = model?.choice.order ?? 7;
  const order = wholeOf(params.order, 0, mostOrder, mostOrder);
  const widens = mode === "rcms" && params.doubt === "more";
  const contexts = wholeOf(params.B, mode === "beam" || widens ? 1 : 0, mostContexts, firstContexts);
  const written = useMemo(
    () => writtenText(script, model && examples, ink, index),
    [script, model, examples, ink, index],
  );
  const blank = written.length === 0;
  const asked = { model, script, written, mode, order, contexts, widens };
  const { answers, result, current, first } = useReadings(asked);
  const read = result && { script, result, truth: written.truth };

  return (
    <>
      <ReadIntro script={script} />

      <section class="controls" aria-label="How contexts are chosen">
        <ModelChoice
          models={models}
          value={offered?.id}
          onChange={(id) => change({ model: id === models[0].id ? undefined : id, ink: undefined, order: undefined })}
        />
        <ContextControls
          mode={mode}
          contexts={contexts}
          widens={widens}
          order={order}
          mostOrder={mostOrder}
          change={change}
        />
        <TextChoice script={script} drawing={drawing} index={index} count={examples?.examples.length} change={change} />
      </section>

      <ModelState
        ready={ready}
        named={params.model}
        offered={offered}
        loading={loading}
        trouble={trouble ?? answers[mode].error}
      />
      {model && drawing && <DrawingHint script={script} examples={examples} />}

      {model && written.pixels.length > 0 && (read || drawing) && (
        <>
          {read && <Verdict {...read} mode={mode} answers={answers} contexts={contexts} />}
          {read && read.result.rounds.length > 0 && <Rounds rounds={read.result.rounds} script={script} />}
          {read && !drawing && examples?.examples[index].lesson && <Lesson script={script} change={change} />}
          <p class="soft small sideways">
            There are {written.pixels.length} {script.symbol}s: scroll sideways.
          </p>
          <section
            class={`slots of-${script.symbol}s`}
            style={{ "--count": written.pixels.length }}
            aria-label={`${script.symbol === "digit" ? "Digits" : "Letters"} and their contexts`}
            tabIndex={0}
            aria-busy={!current && !blank}
          >
            {written.pixels.map((_, i) => (
              <div class="slot" key={i} data-slot={i}>
                <Pictures
                  script={script}
                  written={written}
                  position={i}
                  examples={examples}
                  ink={ink}
                  change={change}
                />
                {read && i < read.result.labels.length && (
                  <Decision {...read} position={i} first={first?.contexts[i]} />
                )}
              </div>
            ))}
            {read && <Heat {...read} />}
          </section>
          {read && <Legend script={script} drawing={drawing} mode={mode} adds={read.result.rounds.length > 1} />}
          <About model={offered} />
        </>
      )}
    </>
  );
}

function ReadIntro({ script: { symbol, text, columns, rows, boxes, mostBoxes } }: { script: Script }) {
  const count = boxes === mostBoxes ? "Eight handwritten" : "Handwritten";
  return (
    <Intro title={`Read a ${text}`}>
      {count} {symbol}s, each seen as {columns}×{rows} pixels: too few to be sure of each on its own. It helps to
      remember what was read before. Under each {symbol} are the memories (<em>contexts</em>) kept there;{" "}
      <b class="star">⋆</b> stands for all others together. <em>RCMS</em> (reified context model selection) keeps the B
      heaviest and <b class="star">⋆</b>; beam search keeps the B heaviest and forgets the rest.
    </Intro>
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

/** What is written as each way of choosing contexts reads it, and what is shown of the chosen way. */
function useReadings(asked: {
  model: LoadedModel | undefined;
  script: Script;
  written: Written;
  mode: Mode;
  order: number;
  contexts: number;
  widens: boolean;
}): Readings {
  const { model, script, written, mode, order, contexts, widens } = asked;
  const blank = written.length === 0;
  const attributes = useMemo(
    () => written.pixels.slice(0, written.length).map((picture) => script.attributes(picture, model?.pixels)),
    [script, written, model],
  );
  const question = (inference: Mode, most?: number) => {
    if (model === undefined || blank) return undefined;
    // Exact inference keeps all contexts: a question that does not change need not be asked again.
    const kept = inference === "exact" ? 0 : Math.max(contexts, inference === "beam" ? 1 : 0);
    const choice = { inference, contexts: kept, ...(most && { most }), order };
    return { model: model.id, attributes, choice, whole: inference === mode };
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

function Legend(props: { script: Script; drawing: boolean; mode: Mode; adds: boolean }) {
  const { script, drawing, mode, adds } = props;
  return (
    <p class="legend soft small">
      {!drawing && (
        <span>
          <span class="key-true">true context</span> the longest kept memory that agrees with the true {script.text}
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
          : `everything else: every ${script.text} stays possible`}
      </span>
    </p>
  );
}

function Lesson({ script: { text }, change }: { script: Script; change: ViewProps["change"] }) {
  return (
    <p class="lesson">
      On this {text} a small beam is certain and wrong: it discarded the right {text} early.{" "}
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
