// Pronounce: any word, its most probable pronunciations, how letters and sounds belong together, and what the model
// remembers at each letter.

import { useState } from "preact/hooks";
import { wholeOf } from "../address.js";
import { quick } from "../engine.js";
import { useAnswer, useModel } from "../hooks.js";
import { ipaOf } from "../ipa.js";
import {
  About,
  Bar,
  CutNote,
  chosenModel,
  counted,
  Intro,
  ModelChoice,
  ModelState,
  percentText,
  Slider,
  Suggestions,
  type ViewProps,
} from "../parts/common.js";
import type { PronounceResult } from "../protocol.js";

const suggestions = ["stargram", "through", "phonograph", "queue", "bough", "hiccough"];
const longest = 60; // letters

export function PronounceView({ models, ready, params, change }: ViewProps) {
  const offered = chosenModel(models, params.model);
  const loading = useModel(quick, offered);
  const { model } = loading;
  const english = offered?.builtIn ?? true;
  const word = params.word ?? (english ? suggestions[0] : "");
  const text = word.slice(0, longest).trim();
  const fewest = model?.choice.inference === "beam" ? 1 : 0;
  const contexts = wholeOf(params.B, fewest, 20, model?.choice.contexts ?? 4);
  const own = params.B === undefined;
  const answer = useAnswer(
    quick,
    "pronounce",
    model && text !== ""
      ? { model: model.id, text, choice: own ? undefined : { inference: model.choice.inference, contexts } }
      : undefined,
  );
  const candidate = wholeOf(params.candidate, 1, 6, 1) - 1;
  const { result } = answer;
  return (
    <>
      <Intro title={english ? "Pronounce a word" : "Transcribe"}>
        {english
          ? "The model learned from spellings and sounds. It was not told which letters make which sounds: the probability of a pronunciation is summed over all alignments."
          : "The model learned from pairs of input and output. It was not told which symbol writes which: the probability of an output is summed over all alignments."}
      </Intro>
      <Controls {...{ models, offered: offered?.id, english, word, contexts, fewest, change }} />
      {english && text !== "" && <Hear text={text} />}
      <CutNote length={word.length} longest={longest} />
      {english && (
        <Suggestions
          texts={suggestions}
          onChoose={(word) => change({ word, candidate: undefined, letter: undefined })}
        />
      )}
      <ModelState ready={ready} named={params.model} offered={offered} loading={loading} trouble={answer.error} />
      {result && text !== "" && result.nbest.length > 0 && (
        <Result
          result={result}
          english={english}
          candidate={Math.min(candidate, result.nbest.length - 1)}
          letter={params.letter}
          change={change}
          current={answer.current}
        />
      )}
      <About model={offered} />
    </>
  );
}

function Controls(props: {
  models: ViewProps["models"];
  offered: string | undefined;
  english: boolean;
  word: string;
  contexts: number;
  /** Contexts that must be kept. */
  fewest: number;
  change: ViewProps["change"];
}) {
  const { models, offered, english, word, contexts, fewest, change } = props;
  return (
    <section class="controls" aria-label="Word">
      <label class="field grow">
        <span class="name">{english ? "Word" : "Input"}</span>
        <input
          type="text"
          class="large"
          value={word}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          onInput={(event) =>
            change({
              word: event.currentTarget.value.slice(0, 2 * longest),
              candidate: undefined,
              letter: undefined,
            })
          }
        />
      </label>
      <ModelChoice
        models={models}
        value={offered}
        onChange={(id) => change({ model: id, B: undefined, candidate: undefined, letter: undefined })}
      />
      <Slider
        label="B, contexts kept"
        value={contexts}
        min={fewest}
        max={20}
        onInput={(value) => change({ B: String(value) })}
      />
    </section>
  );
}

/** Has the browser say the word in its own voice, where it has one. */
function Hear({ text }: { text: string }) {
  if (!("speechSynthesis" in globalThis)) return null;
  const say = (): void => {
    const spoken = new SpeechSynthesisUtterance(text);
    spoken.lang = "en-US";
    speechSynthesis.cancel();
    speechSynthesis.speak(spoken);
  };
  return (
    <p class="small">
      <button type="button" onClick={say}>
        ▶ Listen (your browser's voice)
      </button>
    </p>
  );
}

function Result(props: {
  result: PronounceResult;
  english: boolean;
  candidate: number;
  letter: string | undefined;
  change: ViewProps["change"];
  current: boolean;
}) {
  const { result, english, candidate, change } = props;
  const chosen = result.nbest[candidate];
  const alignment = chosen.alignment ?? [];
  const letter = props.letter === undefined ? -1 : wholeOf(props.letter, 1, alignment.length, 1) - 1;
  const listed = result.nbest.reduce((sum, { probability }) => sum + probability, 0);
  return (
    <div class="pronounced" aria-busy={!props.current}>
      {result.unknown.length > 0 && (
        <p class="trouble" role="alert">
          The model does not know {result.unknown.map((symbol) => `“${symbol}”`).join(", ")}; it guesses what to do with{" "}
          {result.unknown.length === 1 ? "it" : "them"}.
        </p>
      )}
      <section aria-label={english ? "Pronunciations" : "Outputs"}>
        <h2>Candidates</h2>
        <ol class="candidates">
          {result.nbest.map(({ output, probability }, i) => (
            <li key={output.join(" ")}>
              <button
                type="button"
                aria-pressed={i === candidate}
                data-probability={probability}
                onClick={() => change({ candidate: i === 0 ? undefined : String(i + 1) })}
              >
                <span class="sounds">{output.join(" ") || (english ? "(silence)" : "(nothing)")}</span>
                {english && ipaOf(output) && <span class="ipa soft">/{ipaOf(output)}/</span>}
                <span class="mass">{percentText(probability)}</span>
                <Bar share={probability} />
              </button>
            </li>
          ))}
        </ol>
        <p class="soft small">
          All other {english ? "pronunciations" : "outputs"} together: {percentText(Math.max(0, 1 - listed))}
        </p>
      </section>
      <section aria-label="Alignment">
        <h2>{english ? "Letters and sounds" : "Alignment"}</h2>
        <Alignment
          alignment={alignment}
          letter={letter}
          onLetter={(i) => change({ letter: i === letter ? undefined : String(i + 1) })}
        />
        {letter >= 0 ? (
          <Slots result={result} english={english} position={letter} name={alignment[letter]?.input ?? ""} />
        ) : (
          <p class="soft small">
            Select {english ? "a letter" : "an input symbol"} to see what the model remembers there.
          </p>
        )}
      </section>
    </div>
  );
}

const step = 56; // px between letters

function Alignment(props: {
  alignment: { input: string; output: string[] }[];
  letter: number;
  onLetter: (i: number) => void;
}) {
  const { alignment, letter, onLetter } = props;
  const sounds = alignment.flatMap(({ output }, i) => output.map((sound) => ({ sound, from: i })));
  const columns = Math.max(alignment.length, sounds.length, 1);
  const width = columns * step;
  const letterX = (i: number) => ((i + 0.5) / alignment.length) * width;
  const soundX = (i: number) => ((i + 0.5) / Math.max(1, sounds.length)) * width;
  const described = alignment.map(({ input, output }) => `${input} as ${output.join(" ") || "nothing"}`).join(", ");
  return (
    <section class="alignment" tabIndex={0} aria-label={`Alignment: ${described}`}>
      <div style={{ width: `${width}px` }}>
        <div class="letters">
          {alignment.map(({ input, output }, i) => (
            <button
              type="button"
              key={i}
              class={output.length === 0 ? "silent" : ""}
              aria-pressed={i === letter}
              aria-label={`Letter ${i + 1}, ${input}: contexts`}
              style={{ left: `${letterX(i)}px` }}
              onClick={() => onLetter(i)}
            >
              {input}
            </button>
          ))}
        </div>
        <svg width={width} height={70} aria-hidden="true">
          {sounds.map(({ from }, i) => (
            <path
              key={i}
              class={from === letter ? "chosen" : ""}
              d={`M${letterX(from)} 2 C${letterX(from)} 36 ${soundX(i)} 34 ${soundX(i)} 68`}
            />
          ))}
        </svg>
        <div class="sounds-row">
          {sounds.map(({ sound, from }, i) => (
            <span key={i} class={from === letter ? "chosen" : ""} style={{ left: `${soundX(i)}px` }}>
              {sound}
            </span>
          ))}
        </div>
      </div>
    </section>
  );
}

const mostShown = 8;

/** The contexts of a letter's slots: one for each number of sounds already written for it. */
function Slots(props: { result: PronounceResult; english: boolean; position: number; name: string }) {
  const { result, english, position, name } = props;
  const written = english ? "sound" : "symbol";
  const [all, setAll] = useState(false);
  const slots = result.slots.filter((slot) => slot.position === position && slot.contexts.length > 0);
  const some = slots.filter(
    ({ contexts }) => all || contexts.reduce((sum, { probability }) => sum + probability, 0) > 0.01,
  );
  return (
    <div class="slot-contexts" data-position={position}>
      <h3>What is remembered at “{name}”</h3>
      <p class="soft small">
        A context lists the {written}s written and the steps <code>›</code> to the next{" "}
        {english ? "letter" : "input symbol"}, latest last.
      </p>
      <div class="slots plain">
        {some.map(({ written: count, contexts }) => (
          <div class="slot" key={count}>
            <p class="name">{count === 0 ? "nothing written for it yet" : `${counted(count, written)} written`}</p>
            <ol class="contexts wide">
              {[
                ...contexts.filter(({ suffix }) => suffix.length > 0).slice(0, mostShown),
                ...contexts.filter(({ suffix }) => suffix.length === 0),
              ].map(({ suffix, probability }) => (
                <li key={suffix.join("|")} class={suffix.length === 0 ? "starred" : ""}>
                  <code>
                    {suffix[0] !== "^" && <span class="star">⋆</span>} {movesText(suffix)}
                  </code>
                  <span class="mass">{percentText(probability)}</span>
                  <Bar share={probability} tone={suffix.length === 0 ? "gold" : ""} />
                </li>
              ))}
            </ol>
          </div>
        ))}
      </div>
      {some.length < slots.length && (
        <button type="button" class="link small" onClick={() => setAll(true)}>
          Show slots with little probability
        </button>
      )}
    </div>
  );
}

/** Moves remembered: sounds, `›` for the next letter, `^` for the beginning. */
function movesText(suffix: readonly (string | null)[]): string {
  return suffix.map((move) => move ?? "›").join(" ");
}
