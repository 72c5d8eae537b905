// Tag: any text, cut into sentences and words; a tag for every word with how sure it is, the spans that tags mark, and for the chosen
// word other readings of its sentence and what spoke for its tag.

import { wholeOf } from "../address.js";
import { quick } from "../engine.js";
import { useAnswer, useModel } from "../hooks.js";
import {
  About,
  Bar,
  CutNote,
  chosenModel,
  Intro,
  ModelChoice,
  ModelState,
  percentText,
  Suggestions,
  Trouble,
  type ViewProps,
} from "../parts/common.js";
import type { TagResult } from "../protocol.js";
import { sentencesIn } from "../words.js";
import { tagMeaning } from "./brown-tags.js";

type Meaning = (tag: string) => string;
const noMeaning: Meaning = () => "";

const suggestions = [
  "Time flies like an arrow.",
  "The old man the boats.",
  "They can fish where the river runs slow.",
  '"I saw her duck," said Mr. Brown. It went under the low beam.',
];
const longest = 1200; // characters

export function TagView({ models, ready, params, change }: ViewProps) {
  const offered = chosenModel(models, params.model);
  const loading = useModel(quick, offered);
  const { model } = loading;
  const english = offered?.builtIn ?? true;
  const text = params.text ?? (english ? suggestions[0] : "");
  const width = model?.columns ?? 1;
  const sentences = sentencesIn(text.slice(0, longest), width);
  const answer = useAnswer(quick, "tag", model && sentences.length > 0 ? { model: model.id, sentences } : undefined);
  const count = sentences.reduce((sum, { length }) => sum + length, 0);
  const word = params.word === undefined || count === 0 ? -1 : wholeOf(params.word, 1, count, 1) - 1;
  const { result } = answer;
  const label = params.label !== undefined && model?.symbols.includes(params.label) ? params.label : undefined;
  const meaningOf = offered?.id === "brown" ? tagMeaning : noMeaning; // other models have tags of their own
  const fits =
    result?.length === sentences.length && sentences.every(({ length }, i) => result[i].labels.length === length);
  const chosen = placeOf(sentences, word);
  return (
    <>
      <Intro title="Tag a text">
        A label for every word. A stronger colour means a higher probability; a pale label may well be wrong. Select a
        word to see why it got its label.
      </Intro>
      <Sentence {...{ models, offered: offered?.id, text, width, change }} />
      <CutNote length={text.length} longest={longest} />
      {english && (
        <Suggestions
          texts={suggestions}
          onChoose={(chosen) => change({ text: chosen, word: undefined, label: undefined })}
        />
      )}
      <ModelState ready={ready} named={params.model} offered={offered} loading={loading} trouble={answer.error} />
      {result && fits && model && (
        <>
          {result.map((tagged, i) => (
            <Tagged
              key={i}
              result={tagged}
              words={sentences[i].map(([name]) => name)}
              first={firstOf(sentences, i)}
              {...{ word, meaningOf, change, current: answer.current }}
            />
          ))}
          {result.length > 0 && (
            <div class="two">
              <Others result={result[chosen.sentence]} words={sentences[chosen.sentence].map(([name]) => name)} />
              {word >= 0 ? (
                <Reasons
                  key={`${word} ${label ?? ""}`}
                  model={model.id}
                  result={result[chosen.sentence]}
                  columns={sentences[chosen.sentence]}
                  word={chosen.position}
                  {...{ label, meaningOf, change }}
                />
              ) : (
                <p class="soft">Select a word above to see its other possible tags and the evidence for its tag.</p>
              )}
            </div>
          )}
        </>
      )}
      <About model={offered} />
    </>
  );
}

/** Words before a sentence. */
function firstOf(sentences: readonly unknown[][], sentence: number): number {
  return sentences.slice(0, sentence).reduce((sum, { length }) => sum + length, 0);
}

/** Where a word of the text stands; without one, the first sentence. */
function placeOf(sentences: readonly unknown[][], word: number): { sentence: number; position: number } {
  let position = Math.max(0, word);
  for (let sentence = 0; sentence < sentences.length; sentence++) {
    if (position < sentences[sentence].length) return { sentence, position };
    position -= sentences[sentence].length;
  }
  return { sentence: 0, position: 0 };
}

function Sentence(props: {
  models: ViewProps["models"];
  offered: string | undefined;
  text: string;
  /** Columns of a token. */
  width: number;
  change: ViewProps["change"];
}) {
  const { models, offered, text, width, change } = props;
  return (
    <section class="controls" aria-label="Text">
      <label class="field grow">
        <span class="name">Text{width > 1 ? `, ${width} columns joined by “/”` : ""}</span>
        <textarea
          rows={3}
          spellcheck={false}
          value={text}
          onInput={(event) =>
            change({ text: event.currentTarget.value.slice(0, 2 * longest), word: undefined, label: undefined })
          }
        />
      </label>
      <ModelChoice models={models} value={offered} onChange={(id) => change({ model: id, label: undefined })} />
    </section>
  );
}

function Tagged(props: {
  result: TagResult;
  words: string[];
  /** Words of the text before it. */
  first: number;
  /** Of the text. */
  word: number;
  meaningOf: Meaning;
  change: ViewProps["change"];
  current: boolean;
}) {
  const { result, words, first, word, meaningOf, change } = props;
  return (
    <section
      aria-label="Words and tags"
      class="tagged"
      aria-busy={!props.current}
      data-probability={result.probability}
    >
      <ol>
        {words.map((text, i) => {
          const [label, confidence] = [result.labels[i], result.confidences[i]];
          const meaning = meaningOf(label);
          return (
            <li key={i}>
              <button
                type="button"
                aria-pressed={first + i === word}
                style={{ "--p": confidence.toFixed(4) }}
                title={`${meaning ? `${meaning}, ` : ""}${percentText(confidence)}`}
                onClick={() =>
                  change({ word: first + i === word ? undefined : String(first + i + 1), label: undefined })
                }
              >
                <span class="word">{text}</span>
                <span class="label">
                  {label}
                  {confidence < 0.8 && <span class="doubt">?</span>}
                </span>
                <span class="meaning">{meaning}</span>
                <span class="hidden">{percentText(confidence)}</span>
              </button>
            </li>
          );
        })}
      </ol>
      <Spans result={result} words={words} />
    </section>
  );
}

/** What the labels mark, if they do. */
function Spans({ result, words }: { result: TagResult; words: string[] }) {
  if (result.spans.length === 0) return null;
  return (
    <ul class="spans nbest" aria-label="Spans">
      {result.spans.map(({ label, from, to, probability, calibratedProbability }) => (
        <li key={from}>
          <span>
            {words.slice(from, to).join(" ")} <code>{label}</code>
          </span>
          <span class="mass">{percentText(calibratedProbability ?? probability)}</span>
          <Bar share={calibratedProbability ?? probability} />
        </li>
      ))}
    </ul>
  );
}

function Others({ result, words }: { result: TagResult; words: string[] }) {
  return (
    <section aria-label="Whole readings">
      <h2>Whole readings of the sentence</h2>
      {result.calibrated !== undefined && (
        <p class="soft small">Calibrated probability of the first: {percentText(result.calibrated)}.</p>
      )}
      <ol class="nbest readings">
        {result.nbest.map(({ labels, probability }, n) => (
          <li key={labels.join(" ")}>
            <span class="differences">
              {n === 0
                ? "as above"
                : labels.flatMap((label, i) =>
                    label === result.labels[i]
                      ? []
                      : [
                          <span key={i}>
                            {words[i]} <code>{label}</code>
                          </span>,
                        ],
                  )}
            </span>
            <span class="mass">{percentText(probability)}</span>
            <Bar share={probability} />
          </li>
        ))}
      </ol>
    </section>
  );
}

const mostReasons = 12;

function Reasons(props: {
  model: string;
  result: TagResult;
  columns: string[][];
  word: number;
  label: string | undefined;
  meaningOf: Meaning;
  change: ViewProps["change"];
}) {
  const { model, result, columns, word, label, meaningOf, change } = props;
  const { result: explained, error } = useAnswer(quick, "explain", { model, columns, position: word, label });
  const likely = Object.entries(result.marginals[word] ?? {})
    .sort((a, b) => b[1] - a[1])
    .slice(0, 5)
    .filter(([, p], i) => i === 0 || p >= 0.001);
  const contributions = explained?.contributions.slice(0, mostReasons) ?? [];
  const greatest = Math.max(1e-9, ...contributions.map(({ weight }) => Math.abs(weight)));
  return (
    <section aria-label="Reasons" class="reasons">
      <h2>
        “{columns[word][0]}” as <code>{explained?.label ?? result.labels[word]}</code>
      </h2>
      <ul class="nbest pick">
        {likely.map(([name, p]) => (
          <li key={name}>
            <button
              type="button"
              aria-pressed={name === explained?.label}
              onClick={() => change({ label: name === result.labels[word] ? undefined : name })}
            >
              <span>
                <code>{name}</code> <span class="soft">{meaningOf(name)}</span>
              </span>
              <span class="mass">{percentText(p)}</span>
              <Bar share={p} />
            </button>
          </li>
        ))}
      </ul>
      <h3>Evidence for and against</h3>
      <Trouble error={error} />
      <ul class="weights">
        {contributions.map(({ feature, weight }) => (
          <li key={feature}>
            <code>{feature}</code>
            <span class="weight" data-weight={weight}>
              {weight >= 0 ? "+" : "−"}
              {Math.abs(weight).toFixed(2)}
            </span>
            <span class={`balance ${weight >= 0 ? "for" : "against"}`} aria-hidden="true">
              <span style={{ width: `${(50 * Math.abs(weight)) / greatest}%` }} />
            </span>
          </li>
        ))}
      </ul>
      {explained && explained.contributions.length > mostReasons && (
        <p class="soft small">and {explained.contributions.length - mostReasons} weaker ones</p>
      )}
    </section>
  );
}
