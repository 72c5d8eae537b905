// Inputs of a test with the model's answers, the surest first.

import { pixelsOf } from "../../../../demo/digits.js";
import { Bar, percentText } from "../../parts/common.js";
import { DigitPicture } from "../../parts/picture.js";
import { type Judged, unknownLabel } from "../../protocol.js";
import { useDark } from "../../theme.js";
import { dashed } from "../read/written.js";

const mostListed = 8;

export function Inputs({ title, items, empty }: { title: string; items: Judged[]; empty: string }) {
  const dark = useDark();
  return (
    <section class="inputs" aria-label={title}>
      <h2>{title}</h2>
      {items.length === 0 && <p class="soft">{empty}</p>}
      <ol class="nbest">
        {items.slice(0, mostListed).map(({ input, digits, output, truth, confidence, correct }, i) => (
          <li key={i}>
            <span class="what">
              {digits ? (
                <span class="thumbs">
                  {digits.map((digit, k) => (
                    <DigitPicture key={k} pixels={pixelsOf(digit)} coarse dark={dark} label={`digit ${k + 1}`} />
                  ))}
                </span>
              ) : (
                <span class="input">{input}</span>
              )}
              <Reply output={output} truth={truth} correct={correct} />
            </span>
            <span class="mass">{percentText(confidence)}</span>
            <Bar share={confidence} tone={correct ? "" : "wrong"} />
          </li>
        ))}
      </ol>
      {items.length > mostListed && <p class="soft small">and {items.length - mostListed} more</p>}
    </section>
  );
}

/** An answer, or of a long one only where it differs from the truth. */
function Reply({ output, truth, correct }: { output: string; truth: string; correct: boolean }) {
  const [said, meant] = [output.split(" "), truth.split(" ")];
  if (said.length > 12 && said.length === meant.length) {
    const differing = said.flatMap((label, i) =>
      label === meant[i] || meant[i] === unknownLabel ? [] : [`${label} for ${meant[i]}`],
    );
    return <span class="soft small">{correct ? "all labels right" : differing.join(", ")}</span>;
  }
  return (
    <span class="small">
      <code>{dashed(output)}</code>{" "}
      {correct ? <span class="right">right</span> : <span class="wrong">wrong: {dashed(truth)}</span>}
    </span>
  );
}
