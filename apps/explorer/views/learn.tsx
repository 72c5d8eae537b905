// Learn: data of one's own becomes a model here, in the browser, which the other views then show and which can be saved as a file for
// the command line. Nothing leaves the page.

import { useEffect, useRef, useState } from "preact/hooks";
import { formatAddress } from "../address.js";
import { type EngineError, patient } from "../engine.js";
import { type OfferedModel, openBytes } from "../models.js";
import { FileButton, Intro, percentText, Segmented, Trouble, type ViewProps, Warnings } from "../parts/common.js";
import { type Calls, type LearnResult, type LearnTask, learnTasks } from "../protocol.js";
import { saveFile } from "../save.js";
import { numerals, taskFor } from "./learn-data.js";

const titles: Record<LearnTask, { title: string; data: string }> = {
  tag: { title: "Label words", data: "one word and its label per line, a blank line between sentences" },
  transduce: { title: "Transcribe", data: "one input, a tab and an output per line" },
  segment: {
    title: "Cut texts",
    data: "one text per line, with spaces between words; or names in columns, as for labels",
  },
};

interface Data {
  name: string;
  text: string;
}

type State =
  | { phase: "idle" }
  | { phase: "running"; progress?: Calls["learn"]["progress"] }
  | { phase: "done"; result: LearnResult; model: OfferedModel };

export function LearnView({ params, change, dropped, onModel }: ViewProps) {
  const [data, setData] = useState<Data>();
  const [state, setState] = useState<State>({ phase: "idle" });
  const [trouble, setTrouble] = useState<EngineError>();
  const control = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => control.current?.abort(), []);
  useEffect(() => {
    if (dropped) void take(dropped);
  }, [dropped]);
  const task = learnTasks.find((name) => name === params.task) ?? (data ? taskFor(data.text) : "tag");

  const take = async (file: File): Promise<void> => show({ name: file.name, text: await file.text() });
  const show = (fresh: Data): void => {
    setData(fresh);
    setTrouble(undefined);
    setState({ phase: "idle" });
    change({ task: undefined });
  };
  const learn = async ({ name, text }: Data): Promise<void> => {
    const mine = new AbortController();
    control.current = mine;
    setTrouble(undefined);
    setState({ phase: "running" });
    try {
      const onProgress = (progress: Calls["learn"]["progress"]) => setState({ phase: "running", progress });
      const result = await patient.call("learn", { task, text, file: name }, { signal: mine.signal, onProgress });
      const file = `${name.replace(/\.[^.]*$/, "")}.sg`;
      const model = await openBytes(`learned:${file}`, file, result.bytes, `Trained here on ${name}: ${result.text}.`);
      onModel(model);
      setState({ phase: "done", result, model });
    } catch (error) {
      setTrouble(error as EngineError);
      setState({ phase: "idle" });
    }
  };

  return (
    <>
      <Intro title="Learn from your own data">
        Open a file with examples and train a model in the browser, with the settings that <code>stargram train</code>{" "}
        would choose. A part is held out to choose settings and to measure the result. Nothing leaves your machine.
      </Intro>
      <section class="controls" aria-label="Data">
        <Segmented
          label="Learn to"
          name="task"
          value={task}
          options={learnTasks.map((name) => [name, titles[name].title] as const)}
          onChange={(name) => change({ task: name })}
        />
        <div class="field">
          <span class="name">Data: {data?.name ?? "none yet"}</span>
          <div class="buttons">
            <FileButton text="Open data" label="Data to learn from" onFile={(file) => void take(file)} />
            <button type="button" onClick={() => show({ name: "numerals.tsv", text: numerals() })}>
              Try Roman numerals
            </button>
          </div>
        </div>
      </section>
      <p class="soft">The file has {titles[task].data}. You can also drop it anywhere on the page.</p>
      {data && <Beginning text={data.text} />}
      {data && state.phase === "idle" && (
        <p>
          <button type="button" class="primary" onClick={() => void learn(data)}>
            Learn
          </button>
        </p>
      )}
      <Trouble error={trouble} />
      {state.phase === "running" && <Running progress={state.progress} onStop={() => control.current?.abort()} />}
      {state.phase === "done" && <Done {...state} />}
    </>
  );
}

/** The first lines, as they are. */
function Beginning({ text }: { text: string }) {
  const lines = text.split(/\r?\n/, 9);
  return (
    <section aria-label="First lines">
      <pre class="beginning" tabIndex={0}>
        {lines.slice(0, 8).join("\n")}
        {lines.length > 8 ? "\n…" : ""}
      </pre>
    </section>
  );
}

function Running({ progress, onStop }: { progress?: Calls["learn"]["progress"]; onStop: () => void }) {
  const what = progress
    ? `${progress.title ? `${progress.title}, ` : ""}pass ${progress.pass} of ${progress.passes} at most, ${percentText(progress.share)}`
    : "reading the data";
  return (
    <div class="run">
      <button type="button" onClick={onStop}>
        Stop
      </button>
      <progress
        max={1}
        value={progress ? (progress.pass - 1 + progress.share) / progress.passes : 0}
        aria-label="Learning"
      />
      <span class="soft" role="status">
        {what}
      </span>
    </div>
  );
}

function Done({ result, model }: { result: LearnResult; model: OfferedModel }) {
  return (
    <section aria-label="The model" class="learned">
      <h2>{result.stopped ? "Stopped early: the model so far" : "Learned"}</h2>
      <p role="status">
        {result.text}
        {result.judged && (
          <>
            ; <b>{result.judged}</b>
          </>
        )}
        .
      </p>
      <Warnings lines={result.warnings} />
      <p class="buttons">
        {model.view && (
          <a class="button primary" href={formatAddress(model.view, { model: model.id })}>
            Use it
          </a>
        )}
        <a class="button" href={formatAddress("trust", { model: model.id })}>
          Test it on other data
        </a>
        <button
          type="button"
          onClick={() => saveFile(model.name, model.bytes as ArrayBuffer, "application/octet-stream")}
        >
          Save {model.name}
        </button>
      </p>
      <p class="soft small">
        The file works everywhere: <code>npx stargram predict {model.name} new.txt</code>
      </p>
    </section>
  );
}
