// Compare: the same input read by two models, or by one model with two settings; where the answers differ, they are marked.

import { wholeOf } from "../address.js";
import { quick } from "../engine.js";
import { type Answered, type Loading, useAnswer, useModel } from "../hooks.js";
import type { OfferedModel } from "../models.js";
import {
  Bar,
  CutNote,
  chosenModel,
  Intro,
  ModelChoice,
  ModelState,
  percentText,
  Segmented,
  Slider,
  Suggestions,
  type ViewProps,
} from "../parts/common.js";
import type { Choice, TagResult } from "../protocol.js";
import { sentencesIn } from "../words.js";
import {
  differences,
  type Output,
  segmentedOutput,
  summaryText,
  taggedOutput,
  writtenOutput,
} from "./compare-outputs.js";

const longest = 600; // characters
const mostContexts = 40;
const modes = [
  ["rcms", "RCMS"],
  ["beam", "Beam"],
] as const;

/** Views whose models read text. */
const comparable = ["tag", "pronounce", "segment"] as const;
type Comparable = (typeof comparable)[number];

const texts: Record<Comparable, readonly string[]> = {
  tag: ["I saw her duck under the low beam.", "Time flies like an arrow.", "That that is is."],
  pronounce: ["hiccough", "through", "phonograph"],
  segment: [],
};
const nouns: Record<Comparable, string> = { tag: "word", pronounce: "candidate", segment: "segment" };

interface Side {
  offered: OfferedModel | undefined;
  loading: Loading;
  mode: Choice["inference"];
  contexts: number;
  output: Output | undefined;
  answer: Pick<Answered<unknown>, "error" | "current">;
}

/** What the address says of a side: `model`, `mode` and `B` for A, the same with a 2 for B. */
type Suffix = "" | "2";

export function CompareView({ models, ready, params, change }: ViewProps) {
  const usable = models.filter(({ view }) => comparable.includes(view as Comparable));
  const first = chosenModel(usable, params.model);
  const kind = (first?.view ?? "tag") as Comparable;
  const alike = usable.filter(({ view }) => view === kind);
  const text = (params.text ?? texts[kind][0] ?? "").slice(0, 2 * longest);
  const read = text.slice(0, longest);
  const a = useSide(first, kind, read, params, "");
  const b = useSide(chosenModel(alike, params.model2) ?? first, kind, read, params, "2");
  const isReady = a.output && b.output && read.trim() !== "";
  return (
    <>
      <Intro title="Compare two models">
        The same input, read by two models, or by one model with two settings. Where the answers differ they are marked;
        the bars show how sure each is. <em>RCMS</em> keeps B contexts and <b class="star">⋆</b> for the rest; beam
        search keeps B and forgets the rest.
      </Intro>
      <section class="controls" aria-label="Input">
        <label class="field grow">
          <span class="name">Input of both</span>
          <textarea
            rows={2}
            spellcheck={false}
            value={text}
            onInput={(event) => change({ text: event.currentTarget.value.slice(0, 2 * longest) })}
          />
        </label>
      </section>
      <CutNote length={text.length} longest={longest} />
      <Suggestions texts={first?.builtIn ? texts[kind] : []} onChoose={(chosen) => change({ text: chosen })} />
      <p class="compare-summary" role="status">
        {isReady && summaryText(a.output as Output, b.output as Output, nouns[kind])}
      </p>
      <div class="two compare">
        <SideView name="A" suffix="" side={a} other={b.output} models={usable} {...{ ready, params, change }} />
        <SideView name="B" suffix="2" side={b} other={a.output} models={alike} {...{ ready, params, change }} />
      </div>
    </>
  );
}

/** A model with its settings and what it answers. Only the call that fits its kind is made. */
function useSide(
  offered: OfferedModel | undefined,
  kind: Comparable,
  text: string,
  params: ViewProps["params"],
  suffix: Suffix,
): Side {
  const loading = useModel(quick, offered);
  const { model } = loading;
  const own = model?.choice;
  // B begins with a narrow beam, so that there is something to see.
  const usual =
    suffix === "" ? { mode: own?.inference ?? "rcms", contexts: own?.contexts ?? 20 } : { mode: "beam", contexts: 1 };
  const mode = modes.find(([name]) => name === (params[`mode${suffix}`] ?? usual.mode))?.[0] ?? "rcms";
  const contexts = wholeOf(params[`B${suffix}`], 1, mostContexts, Math.min(mostContexts, usual.contexts));
  const sentences = sentencesIn(text, model?.columns ?? 1);
  const asked = model && text.trim() !== "" ? { model: model.id, choice: { inference: mode, contexts } } : undefined;
  const tagged = useAnswer(quick, "tag", asked && kind === "tag" ? { ...asked, sentences } : undefined);
  const written = useAnswer(
    quick,
    "pronounce",
    asked && kind === "pronounce" ? { ...asked, text: text.trim() } : undefined,
  );
  const cut = useAnswer(quick, "segment", asked && kind === "segment" ? { ...asked, text } : undefined);
  const answer = { tag: tagged, pronounce: written, segment: cut }[kind];
  const outputs = {
    // What was answered to the text before may not fit the words at hand.
    tag: tagged.result && fits(tagged.result, sentences) ? taggedOutput(tagged.result, sentences) : undefined,
    pronounce: written.result && writtenOutput(written.result),
    segment: cut.result && segmentedOutput(cut.result),
  };
  const output = asked ? outputs[kind] : undefined;
  return { offered, loading, mode, contexts, output, answer: { error: answer.error, current: answer.current } };
}

function fits(results: readonly TagResult[], sentences: readonly string[][][]): boolean {
  return results.length === sentences.length && results.every(({ labels }, i) => labels.length === sentences[i].length);
}

function SideView(props: {
  name: string;
  suffix: Suffix;
  side: Side;
  other: Output | undefined;
  models: readonly OfferedModel[];
  ready: boolean;
  params: ViewProps["params"];
  change: ViewProps["change"];
}) {
  const { name, suffix, side, other, models, ready, params, change } = props;
  const { offered, loading, mode, contexts, output, answer } = side;
  const choose = (id: string): void => {
    // Settings and texts belong to a kind of model.
    const isOther = models.find((model) => model.id === id)?.view !== offered?.view;
    change({
      [`model${suffix}`]: id,
      ...(isOther && { text: undefined, model2: undefined }),
      [`B${suffix}`]: undefined,
    });
  };
  return (
    <section aria-label={`Model ${name}`} aria-busy={!answer.current}>
      <h2>
        {name} <span class="soft">{offered?.name}</span>
      </h2>
      <div class="controls">
        <ModelChoice models={models} value={offered?.id} onChange={choose} />
        <Segmented
          label="Contexts chosen by"
          name={`mode${suffix}`}
          value={mode as (typeof modes)[number][0]}
          options={modes}
          onChange={(value) => change({ [`mode${suffix}`]: value })}
        />
        <Slider
          label="B, contexts kept"
          value={contexts}
          min={1}
          max={mostContexts}
          onInput={(value) => change({ [`B${suffix}`]: String(value) })}
        />
      </div>
      <ModelState
        ready={ready}
        named={params[`model${suffix}`]}
        offered={offered}
        loading={loading}
        trouble={answer.error}
      />
      {output && <Items output={output} other={other} name={name} />}
    </section>
  );
}

function Items({ output, other, name }: { output: Output; other: Output | undefined; name: string }) {
  const differs = other ? differences(output, other) : [];
  return (
    <ol class="compared" aria-label={`Answer of ${name}`} data-probability={output.probability}>
      {output.items.map(({ key, text, label, probability }, i) => (
        <li key={key} class={differs[i] ? "differs" : ""}>
          <span class="item">
            {text} {label && <code>{label}</code>}
            {differs[i] && <span class="mark">differs</span>}
          </span>
          <span class="mass">{percentText(probability)}</span>
          <Bar share={probability} />
        </li>
      ))}
    </ol>
  );
}
