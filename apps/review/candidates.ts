// The candidates of an item as buttons. Of tokens only what differs from the best candidate is said ("Sonmarg → location"); of
// other texts what differs is set off.

import type { ItemView } from "../../src/cli/review/protocol.js";
import { answerLabels } from "../../src/formats/review-item.js";
import { make, percentText } from "./dom.js";
import { type Difference, differences } from "./labels.js";

/** More differences than this are counted. */
const MOST = 6;

/** The button of candidate `i`; `onTake` is told its text, and whether it is to be changed further. */
export function candidateButton(
  { candidates, tokens }: ItemView,
  i: number,
  onTake: (text: string, isBeginning: boolean) => void,
): HTMLLIElement {
  const { text, probability } = candidates[i];
  const button = make("button", "candidate");
  button.type = "button";
  const share = make("span", "share");
  share.style.width = `${100 * probability}%`;
  const key = make("kbd", "");
  key.textContent = String(i + 1);
  const words = make("bdi", text === "" ? "text empty" : "text");
  if (tokens) words.append(...labelsText(text, candidates[0].text, tokens));
  else words.append(...(text === "" ? ["nothing"] : i === 0 ? [text] : setOff(text, candidates[0].text)));
  const percent = make("span", "percent");
  percent.textContent = percentText(probability);
  button.append(share, key, " ", words, " ", percent);
  button.setAttribute("aria-keyshortcuts", String(i + 1));
  button.addEventListener("click", (event) => onTake(text, event.shiftKey));
  const entry = make("li", "");
  entry.append(button);
  return entry;
}

/** What labels say that the best do not. */
function labelsText(
  text: string,
  best: string,
  { tokens, labels }: NonNullable<ItemView["tokens"]>,
): (Node | string)[] {
  if (text === best) return ["the model’s best answer"];
  const [own, first] = [text, best].map((one) => answerLabels(one, tokens.length));
  if (!own || !first) return [text];
  const found = differences(first, own, tokens, labels);
  const parts = found
    .slice(0, MOST)
    .flatMap((difference, d) => [...(d > 0 ? [", "] : []), ...differenceText(difference)]);
  if (found.length > MOST) parts.push(` and ${found.length - MOST} more`);
  return found.length > 0 ? parts : [text]; // the same spans in other labels
}

function differenceText({ words, label }: Difference): (Node | string)[] {
  const strong = make("b", "");
  strong.textContent = label === undefined ? "nothing" : label || "span";
  return [`${words} → `, strong];
}

/** A text with what differs from another set off: all between what they begin and end with alike. */
function setOff(text: string, other: string): (Node | string)[] {
  const [own, best] = [[...text], [...other]];
  const most = Math.min(own.length, best.length);
  let from = 0;
  while (from < most && own[from] === best[from]) from++;
  let end = 0;
  while (end < most - from && own[own.length - 1 - end] === best[best.length - 1 - end]) end++;
  const middle = own.slice(from, own.length - end).join("");
  if (middle === "" || middle === text) return [text];
  const strong = make("b", "");
  strong.textContent = middle;
  return [own.slice(0, from).join(""), strong, own.slice(own.length - end).join("")];
}
