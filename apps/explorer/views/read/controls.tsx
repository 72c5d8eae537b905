// What can be set: how contexts are chosen, and which date is read.

import { Segmented, Slider, type ViewProps } from "../../parts/common.js";
import { dashed, length, type Mode, modes, mostContexts, mostInDoubt } from "./written.js";

const noInk = ".".repeat(length - 1); // between the digits drawn

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

/** Which of the examples, or digits of one's own. */
export function DateChoice(props: {
  drawing: boolean;
  index: number;
  count: number | undefined;
  change: ViewProps["change"];
}) {
  const { drawing, index, count, change } = props;
  return (
    <div class="field">
      <span class="name" id="which">
        {drawing ? "Your own digits" : `Date ${index + 1} of ${count ?? "…"}`}
      </span>
      <div class="buttons">
        {drawing ? (
          <>
            <button type="button" onClick={() => change({ ink: noInk })}>
              Clear
            </button>
            <button type="button" onClick={() => change({ ink: undefined })}>
              Back to examples
            </button>
          </>
        ) : (
          <>
            <button
              type="button"
              aria-label="Date before"
              disabled={index === 0}
              onClick={() => change({ date: String(index) })}
            >
              ←
            </button>
            <button
              type="button"
              aria-label="Next date"
              disabled={count === undefined || index + 1 === count}
              onClick={() => change({ date: String(index + 2) })}
            >
              →
            </button>
            <button type="button" onClick={() => change({ ink: noInk })}>
              Draw your own
            </button>
          </>
        )}
      </div>
    </div>
  );
}

export function DrawingHint({ register }: { register: readonly string[] | undefined }) {
  return (
    <p class="soft small drawing-hint">
      Draw a digit into each box, or focus a box and press a digit key. The model has learned a register of{" "}
      {register?.length} dates, such as {register?.slice(0, 3).map(dashed).join(", ")}; others it has to guess.
    </p>
  );
}
