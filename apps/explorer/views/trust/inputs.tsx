// Inputs of a test with the model's answers, the surest first.

import { Bar, percentText } from "../../parts/common.js";
import { Picture } from "../../parts/picture.js";
import { type Judged, unknownLabel } from "../../protocol.js";
import { pictureOf, scripts } from "../../scripts.js";
import { useDark } from "../../theme.js";

const mostListed = 8;

export function Inputs({ title, items, empty }: { title: string; items: Judged[]; empty: string }) {
  const dark = useDark();
  return (
    <section class="inputs" aria-label={title}>
      <h2>{title}</h2>
      {items.length === 0 && <p class="soft">{empty}</p>}
      <ol class="nbest">
        {items.slice(0, mostListed).map((item, i) => (
          <li key={i}>
            <span class="what">
              {item.pictures ? (
                <Thumbs pictures={item.pictures} dark={dark} />
              ) : (
                <span class="input">{item.input}</span>
              )}
              <Reply {...item} />
            </span>
            <span class="mass">{percentText(item.confidence)}</span>
            <Bar share={item.confidence} tone={item.correct ? "" : "wrong"} />
          </li>
        ))}
      </ol>
      {items.length > mostListed && <p class="soft small">and {items.length - mostListed} more</p>}
    </section>
  );
}

function Thumbs({ pictures, dark }: { pictures: NonNullable<Judged["pictures"]>; dark: boolean }) {
  const script = scripts[pictures.script];
  return (
    <span class="thumbs">
      {pictures.texts.map((text, k) => (
        <Picture
          key={k}
          pixels={pictureOf(script, text)}
          columns={script.columns}
          dark={dark}
          label={`${script.symbol} ${k + 1}`}
        />
      ))}
    </span>
  );
}

/** An answer, or of a long one only where it differs from the truth. */
function Reply({ output, truth, correct, pictures }: Judged) {
  const spelled = (text: string): string => (pictures ? scripts[pictures.script].spelled(text) : text);
  const [said, meant] = [output.split(" "), truth.split(" ")];
  if (said.length > 12 && said.length === meant.length) {
    const differing = said.flatMap((label, i) =>
      label === meant[i] || meant[i] === unknownLabel ? [] : [`${label} for ${meant[i]}`],
    );
    return <span class="soft small">{correct ? "all labels right" : differing.join(", ")}</span>;
  }
  return (
    <span class="small">
      <code>{spelled(output)}</code>{" "}
      {correct ? <span class="right">right</span> : <span class="wrong">wrong: {spelled(truth)}</span>}
    </span>
  );
}
