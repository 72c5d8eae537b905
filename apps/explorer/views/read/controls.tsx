// What can be set: how contexts are chosen, and which date or word is read.

import { Segmented, Slider, type ViewProps } from "../../parts/common.js";
import type { Examples, Script } from "../../scripts.js";
import { type Mode, modes, mostContexts, mostInDoubt } from "./written.js";

export function ContextControls(props: {
  mode: Mode;
  contexts: number;
  /** Whether more contexts are kept where there is doubt. */
  widens: boolean;
  order: number;
  mostOrder: number;
  change: ViewProps["change"];
}) {
  const { mode, contexts, widens, order, mostOrder, change } = props;
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
        min={mode === "beam" || widens ? 1 : 0}
        max={mostContexts}
        shown={mode === "exact" ? "all" : String(contexts)}
        disabled={mode === "exact"}
        onInput={(value) => change({ B: String(value) })}
      />
      <div class="checks">
        <label class="check">
          <input
            type="checkbox"
            checked={widens}
            disabled={mode !== "rcms"}
            onChange={(event) => change({ doubt: event.currentTarget.checked ? "more" : undefined })}
          />
          more where uncertain, up to {mostInDoubt}
        </label>
      </div>
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

/** Which of the examples, or a date or word of one's own. A model without examples has only the latter. */
export function TextChoice(props: {
  script: Script;
  drawing: boolean;
  index: number;
  count: number | undefined;
  change: ViewProps["change"];
}) {
  const { script, drawing, index, count, change } = props;
  const { text, symbol } = script;
  return (
    <div class="field">
      <span class="name" id="which">
        {drawing ? `Your own ${symbol}s` : `${capital(text)} ${index + 1} of ${count ?? "…"}`}
      </span>
      <div class="buttons">
        {drawing ? (
          <>
            <button type="button" onClick={() => change({ ink: "" })}>
              Clear
            </button>
            {count !== undefined && (
              <button type="button" onClick={() => change({ ink: undefined })}>
                Back to examples
              </button>
            )}
          </>
        ) : (
          <>
            <button
              type="button"
              aria-label={`${capital(text)} before`}
              disabled={index === 0}
              onClick={() => change({ [text]: String(index) })}
            >
              ←
            </button>
            <button
              type="button"
              aria-label={`Next ${text}`}
              disabled={count === undefined || index + 1 === count}
              onClick={() => change({ [text]: String(index + 2) })}
            >
              →
            </button>
            <button type="button" onClick={() => change({ ink: "" })}>
              Draw your own
            </button>
          </>
        )}
      </div>
    </div>
  );
}

function capital(text: string): string {
  return text[0].toUpperCase() + text.slice(1);
}

export function DrawingHint({ script, examples }: { script: Script; examples: Examples | undefined }) {
  const { text, symbol, keys, boxes, mostBoxes } = script;
  return (
    <p class="soft small drawing-hint">
      Draw a {symbol} into each box, or focus a box and press {keys}; arrow keys move, Backspace clears.{" "}
      {boxes < mostBoxes &&
        `The ${text} ends with the last box that you fill; a ${symbol} left out before it is guessed. `}
      {examples && (
        <>
          The model has learned {examples.register.length} {text}s, such as{" "}
          {examples.register.slice(0, 3).map(script.spelled).join(", ")}; others it has to guess.
        </>
      )}
    </p>
  );
}
