// Trust: how sure a model is and how right, on inputs it has not learned from. One sets the precision one wants, and sees how
// much is answered at it and what is left to people.

import { useState } from "preact/hooks";
import type { TestFormat } from "../../catalogue.js";
import { patient } from "../../engine.js";
import { useModel } from "../../hooks.js";
import {
  About,
  chosenModel,
  FileButton,
  Intro,
  ModelChoice,
  ModelState,
  percentText,
  Segmented,
  Slider,
  type ViewProps,
} from "../../parts/common.js";
import type { Choice } from "../../protocol.js";
import { useEvaluation } from "./evaluation.js";
import { Report } from "./report.js";

const modes = [
  ["own", "As trained"],
  ["rcms", "RCMS"],
  ["beam", "Beam"],
] as const;

const usualPrecision = 0.95;

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
  const { judged, warnings, progress, state, trouble, stop } = useEvaluation(model?.id, source, choice);

  return (
    <>
      <Intro title="Trust an answer">
        The model answers inputs it was not trained on. If it gives only its most certain answers, more of them are
        right. Set the precision you need; the rest is left to people.
      </Intro>
      <Controls
        {...{ models: able, offered: offered?.id, mode, change }}
        contexts={mode === "own" ? (model?.choice.contexts ?? contexts) : contexts}
        data={own?.name ?? (offered?.test ? "comes with the model" : "none yet")}
        onData={async (file) => {
          if (offered) setOpened({ model: offered.id, name: file.name, text: await file.text() });
        }}
      />
      <ModelState ready={ready} named={params.model} offered={offered} loading={loading} trouble={trouble} />
      {model && !source && (
        <p class="soft">
          Open data with the right answers:{" "}
          {ownFormat === "pairs"
            ? "one input, a tab and an output per line"
            : "one word and its label per line, a blank line between sentences"}
          .
        </p>
      )}
      {state === "running" && <Running progress={progress} onStop={stop} />}
      {judged && judged.length > 0 && (
        <Report
          judged={judged}
          warnings={warnings}
          stopped={state === "stopped"}
          precision={precision}
          onPrecision={(value) => change({ precision: String(value) })}
        />
      )}
      <About model={offered} />
    </>
  );
}

function Controls(props: {
  models: ViewProps["models"];
  offered: string | undefined;
  mode: (typeof modes)[number][0];
  contexts: number;
  /** What the data is called. */
  data: string;
  onData: (file: File) => Promise<void>;
  change: ViewProps["change"];
}) {
  const { models, offered, mode, contexts, data, onData, change } = props;
  return (
    <section class="controls" aria-label="Model and data">
      <ModelChoice models={models} value={offered} onChange={(id) => change({ model: id })} />
      <Segmented
        label="Contexts chosen by"
        name="mode"
        value={mode}
        options={modes}
        onChange={(value) => change({ mode: value === "own" ? undefined : value })}
      />
      <Slider
        label="B, contexts kept"
        value={contexts}
        min={1}
        max={20}
        disabled={mode === "own"}
        onInput={(value) => change({ B: String(value) })}
      />
      <div class="field">
        <span class="name">Data: {data}</span>
        <div class="buttons">
          <FileButton text="Open labelled data" label="Labelled data file" onFile={onData} />
        </div>
      </div>
    </section>
  );
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
