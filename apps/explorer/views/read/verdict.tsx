// The answer: what is read and how surely, what else it may be, and the same pictures read in three ways.

import { Bar, percentText } from "../../parts/common.js";
import type { ReadResult } from "../../protocol.js";
import type { Script } from "../../scripts.js";
import { type Mode, modes } from "./written.js";

interface Read {
  script: Script;
  result: ReadResult;
  truth?: string;
  mode: Mode;
  answers: Record<Mode, { result?: ReadResult }>;
  contexts: number;
}

export function Verdict(read: Read) {
  return (
    <section class="verdict" aria-label="Answer">
      <Reading {...read} />
      <div>
        <p class="name">Next best</p>
        <ul class="nbest">
          {read.result.nbest.slice(1).map(({ labels, probability }) => (
            <li key={labels.join("")}>
              <code>{read.script.spelled(labels.join(""))}</code>
              <span class="mass">{percentText(probability)}</span>
              <Bar share={probability} />
            </li>
          ))}
        </ul>
      </div>
      <div>
        <p class="name">The same {read.script.symbol}s, read in three ways</p>
        <ThreeWays {...read} />
      </div>
    </section>
  );
}

function Reading({ script: { spelled }, result, truth }: Read) {
  const reading = result.labels.join("");
  return (
    <div class="answer" role="status">
      <p class="name">Reads</p>
      <p class="reading" data-probability={result.probability}>
        {spelled(reading)}
      </p>
      <p>
        with probability <b>{percentText(result.probability)}</b>
        {truth !== undefined && (
          <>
            {" · "}
            {reading === truth ? (
              <span class="right">right</span>
            ) : (
              <span class="wrong">
                read <span class="whole">{spelled(reading)}</span>, is <span class="whole">{spelled(truth)}</span>
              </span>
            )}
          </>
        )}
      </p>
    </div>
  );
}

function ThreeWays({ script, truth, mode, answers, contexts }: Read) {
  const most = Math.max(...(answers.rcms.result?.rounds ?? []).flatMap(({ limits = [] }) => limits), contexts);
  const names = {
    rcms: `RCMS, B = ${contexts}${most > contexts ? ` to ${most}` : ""}`,
    beam: `Beam, B = ${Math.max(1, contexts)}`,
    exact: "Exact",
  };
  return (
    <ul class="nbest">
      {modes.map(([name]) => {
        const other = answers[name].result;
        const text = other?.labels.join("") ?? "";
        const tone = truth === undefined ? "" : text === truth ? "right" : "wrong";
        return (
          <li key={name} class={name === mode ? "chosen" : ""}>
            <span>
              {names[name]} <code>{script.spelled(text)}</code>
            </span>
            <span class={`mass ${tone}`}>
              {other ? percentText(other.probability) : "…"}
              {tone && <span class="mark">{tone === "right" ? " ✓" : " ✗"}</span>}
            </span>
            <Bar share={other?.probability ?? 0} tone={tone} />
          </li>
        );
      })}
    </ul>
  );
}
