// Small parts that several views use.

import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { OfferedModel } from "../models.js";

/** 0.9734 as `97.3 %`, with as many digits near 0 and 1 as it takes to tell it from them. */
export function percentText(share: number): string {
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  if (share < 1 - 1e-9 && share >= 0.9995) return "> 99.9 %";
  return `${(100 * share).toFixed(1)} %`;
}

/** `1 sign`, `2 signs`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** Says that the end of a text is not read, where it is not. */
export function CutNote({ length, longest }: { length: number; longest: number }) {
  if (length <= longest) return null;
  return (
    <p class="lesson cut" role="status">
      Only the first {longest.toLocaleString("en")} characters are read.
    </p>
  );
}

/** Text whose `names between backticks` are set apart. */
export function Prose({ text }: { text: string }) {
  return <>{text.split("`").map((part, i) => (i % 2 === 0 ? part : <code key={i}>{part}</code>))}</>;
}

export function Slider(props: {
  label: string;
  value: number;
  min: number;
  max: number;
  step?: number;
  shown?: string;
  hint?: string;
  disabled?: boolean;
  onInput: (value: number) => void;
}) {
  const { label, value, min, max, step = 1, shown = String(value), hint, disabled, onInput } = props;
  return (
    <label class="slider" title={hint}>
      <span class="name">
        {label} <span class="value">{shown}</span>
      </span>
      <input
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        disabled={disabled}
        aria-valuetext={shown}
        onInput={(event) => onInput(Number(event.currentTarget.value))}
      />
    </label>
  );
}

export function Segmented<T extends string>(props: {
  label: string;
  name: string;
  value: T;
  options: readonly (readonly [value: T, text: string])[];
  onChange: (value: T) => void;
}) {
  return (
    <fieldset class="segmented">
      <legend>{props.label}</legend>
      <div>
        {props.options.map(([value, text]) => (
          <label key={value}>
            <input
              type="radio"
              name={props.name}
              value={value}
              checked={props.value === value}
              onChange={() => props.onChange(value)}
            />
            <span>{text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** A button that lets one choose a file. The same file may be chosen again: it may have changed. */
export function FileButton(props: { text: string; label: string; quiet?: boolean; onFile: (file: File) => void }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class={props.quiet ? "quiet" : undefined} onClick={() => picker.current?.click()}>
        {props.text}
      </button>
      <input
        ref={picker}
        type="file"
        class="hidden"
        tabIndex={-1}
        aria-label={props.label}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = "";
          if (file) props.onFile(file);
        }}
      />
    </>
  );
}

/** A share as a bar; `tone` gives its colour a meaning. */
export function Bar({ share, tone = "" }: { share: number; tone?: string }) {
  return (
    <span class={`bar ${tone}`} aria-hidden="true">
      <span style={{ width: `${Math.max(share > 0 ? 0.6 : 0, 100 * Math.min(1, share))}%` }} />
    </span>
  );
}

export function Trouble({ error }: { error: { message: string; hint?: string } | undefined }) {
  if (!error) return null;
  return (
    <div class="trouble" role="alert">
      <p>
        <Prose text={error.message} />
      </p>
      {error.hint && (
        <p class="soft">
          <Prose text={error.hint} />
        </p>
      )}
    </div>
  );
}

/** Shown until a model is there. */
export function Waiting({ share, what }: { share: number; what: string }) {
  return (
    <div class="waiting" role="status">
      <span>Fetching {what}…</span>
      <progress max={1} value={share} aria-label={`Fetching ${what}`} />
    </div>
  );
}

export function Intro({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <header class="intro">
      <h1>{title}</h1>
      <p>{children}</p>
    </header>
  );
}

/** Which of several models to use; nothing where there is no choice. */
export function ModelChoice(props: {
  models: readonly OfferedModel[];
  value: string | undefined;
  onChange: (id: string) => void;
}) {
  if (props.models.length < 2) return null;
  return (
    <label class="field">
      <span class="name">Model</span>
      <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.models.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What the model was made from. */
export function About({ model }: { model: OfferedModel | undefined }) {
  if (!model) return null;
  return (
    <p class="soft small about">
      <Prose text={model.about} />
    </p>
  );
}

/** What a view gets from the page around it. */
export interface ViewProps {
  models: readonly OfferedModel[];
  /** Whether it is known which models there are. */
  ready: boolean;
  params: Readonly<Record<string, string>>;
  change: (changes: Record<string, string | undefined>) => void;
  /** Data that was dropped on the page. */
  dropped?: File;
  /** Offers one more model. */
  onModel: (model: OfferedModel) => void;
}

/** The model that the address names, or the first; undefined if the named one is not here. */
export function chosenModel(models: readonly OfferedModel[], id: string | undefined): OfferedModel | undefined {
  return id === undefined ? models[0] : models.find((model) => model.id === id);
}

/** Inputs to try, each a click away. */
export function Suggestions({ texts, onChoose }: { texts: readonly string[]; onChoose: (text: string) => void }) {
  return (
    <p class="suggestions small">
      Try{" "}
      {texts.map((text) => (
        <button type="button" class="link" key={text} onClick={() => onChoose(text)}>
          {text}
        </button>
      ))}
    </p>
  );
}

/** What stands between a view and its model: it is on its way, it is not here, or something went wrong. */
export function ModelState(props: {
  ready: boolean;
  /** The model that the address names. */
  named: string | undefined;
  offered: OfferedModel | undefined;
  loading: { model?: unknown; share: number; error?: { message: string; hint?: string } };
  /** Of the view's own work. */
  trouble?: { message: string; hint?: string };
}) {
  const { ready, named, offered, loading, trouble } = props;
  if (ready && !offered && named !== undefined) {
    const message = `This link needs the model “${named.replace(/^(file|given):/, "")}”, which is not open.`;
    return <Trouble error={{ message, hint: "Open its file with “Open a model” above, or choose another view." }} />;
  }
  const failed = loading.error ?? trouble;
  if (failed) return <Trouble error={failed} />;
  return !loading.model && (offered || !ready) ? <Waiting share={loading.share} what="the model" /> : null;
}

/** What to know before trusting an outcome, as the command says it, and what to do. */
export function Warnings({ lines, advice }: { lines: readonly string[]; advice?: string }) {
  if (lines.length === 0) return null;
  return (
    <div class="lesson" role="note">
      {lines.map((line) => (
        <p key={line}>{`${line[0].toUpperCase()}${line.slice(1)}.`}</p>
      ))}
      {advice && <p>{advice}</p>}
    </div>
  );
}
