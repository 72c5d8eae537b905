// What is decided at each digit or letter, in which contexts, and how probable every other one is there.

import { Bar, percentText } from "../../parts/common.js";
import type { ContextView, ReadResult } from "../../protocol.js";
import type { Script } from "../../scripts.js";
import { mostContexts } from "./written.js";

/** What is decided at a place, how surely, and in which contexts. */
export function Decision({
  script,
  result,
  truth,
  position,
  first,
}: {
  script: Script;
  result: ReadResult;
  truth: string | undefined;
  position: number;
  /** What the first of several passes kept there. */
  first?: readonly ContextView[];
}) {
  const label = result.labels[position];
  return (
    <>
      <p class="decided">
        <b class={truth === undefined ? "" : truth[position] === label ? "right" : "wrong"}>{label}</b>
        <span class="soft">{percentText(result.marginals[position][label] ?? 0)}</span>
      </p>
      {result.rounds.length > 0 && <Room rounds={result.rounds} position={position} />}
      <ContextSet
        script={script}
        contexts={result.contexts[position]}
        before={truth?.slice(0, position)}
        position={position}
        first={result.rounds.length > 1 ? first : undefined}
      />
    </>
  );
}

/** How many contexts a place had room for, pass after pass. Before the first there is nothing to remember. */
function Room({ rounds, position }: { rounds: ReadResult["rounds"]; position: number }) {
  if (position === 0) return <p class="room soft">nothing before</p>;
  const counts = rounds.map(({ contexts, limits }) => limits?.[position] ?? contexts);
  const steps = counts.filter((count, i) => count !== counts[i - 1]);
  return (
    <p class={steps.length > 1 ? "room widened" : "room soft"} data-room={steps.join(" ")}>
      <span class="hidden">room for</span> {steps.join(" → ")}
    </p>
  );
}

/** What each pass found, and where it had more contexts than the one before. */
export function Rounds({ rounds, script }: { rounds: ReadResult["rounds"]; script: Script }) {
  const [{ probability, contexts }, ...others] = rounds;
  if (others.length === 0) {
    return (
      <p class="rounds">
        One pass with {contexts} contexts everywhere: {percentText(probability)} needs no second pass.
      </p>
    );
  }
  return (
    <ol class="rounds" aria-label="Passes">
      <li>
        {contexts} contexts everywhere: <b>{percentText(probability)}</b>
      </li>
      {others.map(({ probability, limits = [] }, i) => {
        const before = others[i - 1]?.limits;
        const more = limits.filter((limit, position) => limit > (before?.[position] ?? contexts)).length;
        return (
          <li key={limits.join(" ")}>
            up to {Math.max(...limits)} at {more} of {limits.length} {script.symbol}s: <b>{percentText(probability)}</b>
          </li>
        );
      })}
    </ol>
  );
}

/** A context as the paper writes it: `⋆47` remembers the last two symbols, `1947` all from the start. */
function ContextName({ suffix }: { suffix: readonly string[] }) {
  const remembered = suffix.filter((symbol) => symbol !== "^").join("");
  if (suffix.length === 1 && suffix[0] === "^") return <span class="soft">start</span>;
  return (
    <code>
      {suffix[0] !== "^" && <span class="star">⋆</span>}
      {remembered}
    </code>
  );
}

/** The contexts of a slot, heaviest first and ⋆ last. The true one is the longest that agrees with what came before. */
function ContextSet({
  script,
  contexts,
  before,
  position,
  first,
}: {
  script: Script;
  contexts: ContextView[];
  before: string | undefined;
  position: number;
  first?: readonly ContextView[];
}) {
  const agrees = ({ suffix }: ContextView): boolean => {
    if (before === undefined || suffix.length === 0) return false;
    const remembered = suffix.filter((symbol) => symbol !== "^").join("");
    return suffix[0] === "^" ? remembered === before : before.endsWith(remembered);
  };
  const kept = first && new Set(first.map(({ suffix }) => suffix.join(" ")));
  const isAdded = ({ suffix }: ContextView): boolean => kept !== undefined && !kept.has(suffix.join(" "));
  const star = contexts.find(({ suffix }) => suffix.length === 0);
  const others = contexts.filter((context) => context !== star);
  const truth =
    others.filter(agrees).sort((a, b) => b.suffix.length - a.suffix.length)[0] ??
    (before === undefined ? undefined : star);
  return (
    <ol class="contexts" aria-label={`Contexts kept before ${script.symbol} ${position + 1}`}>
      {[...others.slice(0, mostContexts + 1), ...(star ? [star] : [])].map((context) => (
        <li
          key={context.suffix.join(" ")}
          class={`${context === truth ? "true" : ""} ${context === star ? "starred" : ""} ${isAdded(context) ? "added" : ""}`}
        >
          <ContextName suffix={context.suffix} />
          <span class="mass">{percentText(context.probability)}</span>
          <Bar share={context.probability} tone={context === star ? "gold" : ""} />
          {context === truth && <span class="hidden">(the true one)</span>}
          {isAdded(context) && <span class="hidden">(added)</span>}
        </li>
      ))}
      {others.length > mostContexts + 1 && <li class="soft more">and {others.length - mostContexts - 1} more</li>}
    </ol>
  );
}

/** Probability of every digit or letter at every place, summed over contexts. */
export function Heat({ script, result, truth }: { script: Script; result: ReadResult; truth: string | undefined }) {
  return (
    <table class="heat">
      <caption>Probability of each {script.symbol} at each place</caption>
      <tbody>
        {script.symbols.map((symbol) => (
          <tr key={symbol}>
            {result.marginals.map((row, i) => {
              const p = row[symbol] ?? 0;
              return (
                <td
                  key={i}
                  class={truth?.[i] === symbol ? "true" : ""}
                  style={{ "--p": p.toFixed(4) }}
                  title={`${symbol} at place ${i + 1}: ${percentText(p)}`}
                >
                  {symbol}
                  <span class="hidden"> {percentText(p)}</span>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
