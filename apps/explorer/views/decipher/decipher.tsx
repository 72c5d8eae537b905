// Decipher: a cipher text and nothing but a model of the language. One watches the search and EM fill in the text, letters
// fading where there is doubt; can pause, fix letters one knows, and go on.

import { useMemo, useState } from "preact/hooks";
import { wholeOf } from "../../address.js";
import { patient, quick } from "../../engine.js";
import { useAnswer, useModel } from "../../hooks.js";
import {
  About,
  CutNote,
  chosenModel,
  counted,
  Intro,
  ModelChoice,
  ModelState,
  Slider,
  type ViewProps,
  Warnings,
} from "../../parts/common.js";
import { cipherExamples } from "./ciphers.js";
import { Course } from "./course.js";
import { type Conflict, formatKnown, letterFixedTwice, parseKnown } from "./known.js";
import { type Deciphering, useDeciphering } from "./run.js";
import { CipherText, KeyTable } from "./text.js";

const longest = 4000; // characters
const fewestSigns = 4; // different ones, below which there is nothing to decipher

export function DecipherView({ models, ready, params, change }: ViewProps) {
  const cipher = useCipher(models, params);
  const { given, offered, loading, shape, known, oneToOne } = cipher;
  const { model } = loading;
  const course = useDeciphering({ ...cipher, offered: offered?.id, model: model?.id });
  const [marked, setMarked] = useState("");
  const twice = oneToOne ? letterFixedTwice(known) : undefined;
  const tooFew = cipher.symbols.size < fewestSigns;
  const isRunning = course.phase === "running";

  const fix = (symbol: string, plain: string): void => {
    const letter = [...plain.toLowerCase()].filter((one) => cipher.letters.includes(one)).at(-1);
    const next = { ...known };
    if (letter) next[symbol] = letter;
    else delete next[symbol];
    change({ known: formatKnown(next) });
  };

  return (
    <>
      <Intro title="Decipher a text">
        The model knows only how letters follow each other in {offered?.builtIn === false ? "the language" : "English"}.
        The <em>search</em> changes keys sign by sign towards text that reads like the language. <em>EM</em>{" "}
        (expectation maximisation) weighs all readings at once, and repeats that in passes. Pale letters are uncertain;
        point at one to see its other readings.
      </Intro>
      <Controls cipher={cipher} models={models} isRunning={isRunning} change={change} />
      {params.text !== undefined && <OwnText text={given} change={change} />}
      <CutNote length={given.length} longest={longest} />
      <ModelState
        ready={ready}
        named={params.model}
        offered={offered}
        loading={loading}
        trouble={course.trouble ?? cipher.error}
      />
      {model && shape && tooFew && <TooFewSigns count={cipher.symbols.size} />}
      {model && shape && !tooFew && (
        <>
          <RunBar course={course} cipher={cipher} mayRun={twice === undefined} />
          {twice && <FixedTwice {...twice} />}
          {course.phase === "done" && course.outcome && (
            <Warnings lines={course.outcome.warnings} advice="If you know some of it, fix that in the key and go on." />
          )}
          <div class="decipher">
            <CipherText
              shape={shape}
              found={course.key}
              known={known}
              marked={marked}
              onMark={setMarked}
              slips={course.phase === "done" ? (course.outcome?.slips ?? []) : []}
            />
            <KeyTable
              shape={shape}
              found={course.key}
              known={known}
              marked={marked}
              onMark={setMarked}
              onFix={fix}
              disabled={isRunning}
            />
          </div>
          <Course searches={course.searches} passes={course.passes} />
        </>
      )}
      <About model={offered} />
    </>
  );
}

/** The cipher that the address asks for, how it is to be read, and what is known of its key. */
function useCipher(models: ViewProps["models"], params: ViewProps["params"]) {
  const example =
    params.text === undefined
      ? (cipherExamples.find(({ id }) => id === params.cipher) ?? cipherExamples[0])
      : undefined;
  const given = params.text ?? example?.text ?? "";
  const text = given.slice(0, longest);
  const asIs = useAnswer(quick, "cipher", text.trim() === "" ? undefined : { text });
  const spaced = asIs.result?.spaces ?? true;
  const fitting = models.find(({ id }) => id === (spaced ? "letters-spaced" : "letters")) ?? models[0];
  const offered = params.model === undefined ? fitting : chosenModel(models, params.model);
  const loading = useModel(patient, asIs.result ? offered : undefined);
  const { model } = loading;
  const shape = useAnswer(
    quick,
    "cipher",
    model && text.trim() !== "" ? { text, spaces: model.spaces } : undefined,
  ).result;
  const symbols = useMemo(() => new Set((shape?.symbols ?? []).filter((symbol) => symbol !== " ")), [shape]);
  const known = useMemo(() => parseKnown(params.known, symbols), [params.known, symbols]);
  const letters = (model?.symbols ?? []).filter((symbol) => symbol !== " ");
  const mayBeOneToOne = symbols.size <= letters.length;
  const searchUsual = example?.emAlone ? "no" : "yes";
  return {
    /** Undefined for a text of one's own. */
    example,
    /** All that was typed, and the part that is read. */
    given,
    text,
    offered,
    loading,
    error: asIs.error,
    shape,
    /** Of the cipher, and of the plain text; without the space. */
    symbols,
    letters,
    known,
    mayBeOneToOne,
    oneToOne: mayBeOneToOne && params.keys !== "many",
    searchUsual,
    searching: (params.search ?? searchUsual) === "yes",
    contexts: wholeOf(params.B, 0, 100, 60),
  };
}

type Cipher = ReturnType<typeof useCipher>;

/** Which cipher, which model, and how to go about it. */
function Controls(props: {
  cipher: Cipher;
  models: ViewProps["models"];
  isRunning: boolean;
  change: ViewProps["change"];
}) {
  const { cipher, models, isRunning, change } = props;
  return (
    <section class="controls" aria-label="Cipher">
      <CipherChoice cipher={cipher} change={change} />
      <ModelChoice models={models} value={cipher.offered?.id} onChange={(id) => change({ model: id })} />
      <div class="checks">
        <label class="check">
          <input
            type="checkbox"
            checked={cipher.oneToOne}
            disabled={!cipher.mayBeOneToOne || isRunning}
            onChange={(event) => change({ keys: event.currentTarget.checked ? undefined : "many" })}
          />
          each letter has one sign (simple substitution)
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={cipher.searching}
            disabled={isRunning}
            onChange={(event) => {
              const search = event.currentTarget.checked ? "yes" : "no";
              change({ search: search === cipher.searchUsual ? undefined : search });
            }}
          />
          search for a first key
        </label>
      </div>
      <Slider
        label="B, contexts kept"
        value={cipher.contexts}
        min={0}
        max={100}
        disabled={isRunning}
        onInput={(value) => change({ B: value === 60 ? undefined : String(value) })}
      />
    </section>
  );
}

/** An example, or a text of one's own, which begins as the example that was there. */
function CipherChoice({ cipher, change }: { cipher: Cipher; change: ViewProps["change"] }) {
  const choose = (id: string): void =>
    change({
      cipher: id === "own" ? undefined : id,
      text: id === "own" ? cipher.given : undefined,
      known: undefined,
      model: undefined,
      keys: undefined,
      search: undefined,
    });
  return (
    <label class="field">
      <span class="name">Cipher</span>
      <select value={cipher.example?.id ?? "own"} onChange={(event) => choose(event.currentTarget.value)}>
        {cipherExamples.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
        <option value="own">Your own…</option>
      </select>
    </label>
  );
}

function OwnText({ text, change }: { text: string; change: ViewProps["change"] }) {
  return (
    <label class="field own">
      <span class="name">Your cipher text</span>
      <textarea
        rows={5}
        spellcheck={false}
        value={text}
        onInput={(event) => change({ text: event.currentTarget.value.slice(0, 2 * longest), known: undefined })}
      />
    </label>
  );
}

function TooFewSigns({ count }: { count: number }) {
  return (
    <p class="lesson cut" role="status">
      {count === 0
        ? "There is no sign in this text to decipher."
        : `This text has ${counted(count, "different sign")}: too few to be a cipher.`}
    </p>
  );
}

/** Start, pause, go on; and how far it is. */
function RunBar({ course, cipher, mayRun }: { course: Deciphering; cipher: Cipher; mayRun: boolean }) {
  const { phase, passes, searches, run, pause, reset } = course;
  return (
    <div class="run">
      {phase === "running" ? (
        <button type="button" class="primary" onClick={pause}>
          Pause
        </button>
      ) : phase === "ready" ? (
        <button type="button" class="primary" disabled={!mayRun} onClick={() => void run(false)}>
          Start
        </button>
      ) : (
        <>
          <button type="button" class="primary" disabled={!mayRun} onClick={() => void run(true)}>
            Go on
          </button>
          <button type="button" onClick={reset}>
            Start over
          </button>
        </>
      )}
      <p role="status" class="status" data-phase={phase} data-passes={passes.length} data-searches={searches.length}>
        {statusText(course, cipher)}
      </p>
      {phase === "running" && <progress aria-label="Working" />}
    </div>
  );
}

function statusText({ phase, searches, passes, improved }: Deciphering, { searching, known }: Cipher): string {
  const fixed = Object.keys(known).length;
  const letters = fixed === 0 ? "" : ` ${fixed} ${fixed === 1 ? "letter is" : "letters are"} fixed.`;
  if (phase === "ready") return `Press Start.${letters}`;
  if (phase === "running" && !searching && passes.length === 0) return "The first pass of EM…";
  const done =
    passes.length > 0
      ? `${passes.length} ${passes.length === 1 ? "pass" : "passes"} of EM`
      : `${searches.length} ${searches.length === 1 ? "search" : "searches"}`;
  if (phase === "running" && improved !== undefined)
    return `Improving the key by its words, ${Math.round(100 * improved)} %…`;
  if (phase === "running") return passes.length > 0 ? `${done}…` : `Searching for a first key, ${done}…`;
  if (phase === "paused") return `Paused after ${done}. Fix letters you know in the key, then go on.${letters}`;
  return `Done after ${done}.${letters}`;
}

function FixedTwice({ letter, signs }: Conflict) {
  return (
    <p class="trouble" role="alert">
      {signs.map((sign) => `“${sign}”`).join(" and ")} are both fixed as “{letter}”, but a letter is always the same
      sign here. Change one of them, or untick that above.
    </p>
  );
}
