// The tokens of an item with their labels: shown with spans in colour, chosen by click, drag or keys, labelled by keys or a
// button. Every change goes to `onChange` as the text of an answer. Doubtful tokens are underlined.

import type { ItemView } from "../../src/cli/review/protocol.js";
import { answerLabels, joinLabels } from "../../src/formats/review-item.js";
import { element, make, percentText } from "./dom.js";
import {
  keysFor,
  kindProbability,
  kindsOf,
  type Labels,
  marksSpans,
  type Span,
  spansOf,
  withLabel,
  withSpan,
} from "./labels.js";
import { Palette } from "./palette.js";

/** A token whose label is less probable is doubtful; the further steps are marked more strongly. */
const DOUBT = [0.99, 0.9, 0.5];

type Tokens = NonNullable<ItemView["tokens"]>;

const sentence = element("sentence");

export class TokenEditor {
  private item: Tokens | undefined;
  private labels: Labels = [];
  /** What the model thinks best. */
  private best: Labels = [];
  private known: readonly string[] = [];
  private isSpans = false;
  /** Before each change, the latest last. */
  private readonly past: Labels[] = [];
  /** The chosen tokens lie between these two; -1 if none are. */
  private anchor = -1;
  private cursor = -1;
  /** Whether a token within a span is chosen alone, not the span. */
  private isAlone = false;
  /** [tokens] */
  private places: HTMLElement[] = [];
  private readonly palette = new Palette((kind) => this.apply(kind));

  constructor(private readonly onChange: (text: string) => void) {
    sentence.addEventListener("pointerdown", (event) => this.press(event));
    sentence.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) this.drag(event);
    });
    element("wider-left").addEventListener("click", () => this.widen(-1));
    element("wider-right").addEventListener("click", () => this.widen(1));
  }

  /** Shows an item with tokens, or hides them. */
  show({ tokens, candidates, draft }: ItemView): boolean {
    const isShown = tokens !== undefined;
    this.item = tokens;
    this.past.length = 0;
    sentence.hidden = !isShown;
    if (!tokens) return false;
    const count = tokens.tokens.length;
    const unknown = tokens.choices.map(([first]) => first?.[0] ?? null);
    this.best = (candidates[0] && answerLabels(candidates[0].text, count)) ?? unknown;
    this.labels = (draft === "" ? undefined : answerLabels(draft, count)) ?? this.best;
    this.isSpans = marksSpans(tokens.labels);
    this.learn(tokens.labels);
    this.isAlone = false;
    this.anchor = this.cursor = this.leastSure();
    this.render();
    return true;
  }

  /** The labels as the text of an answer. */
  get text(): string {
    return joinLabels(this.labels);
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get isActive(): boolean {
    return this.item !== undefined;
  }

  /** Puts other labels into the place of all. */
  take(text: string): void {
    const labels = answerLabels(text, this.labels.length);
    if (labels) this.change(labels);
  }

  /** Takes back the latest change; false if there is none. */
  undo(): boolean {
    const before = this.past.pop();
    if (!before) return false;
    this.labels = before;
    this.render();
    this.onChange(this.text);
    return true;
  }

  focus(): void {
    this.places[Math.max(0, this.cursor)]?.focus({ preventScroll: true });
  }

  /** What a key does; undefined if it is not for tokens. */
  actionOf({ key, shiftKey }: KeyboardEvent): (() => void) | undefined {
    if (!this.item) return undefined;
    const forward = getComputedStyle(sentence).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    if (key === "ArrowLeft" || key === "ArrowRight") return () => this.move(key === forward ? 1 : -1, shiftKey);
    if (key === "ArrowUp" || key === "ArrowDown") return () => this.moveLine(key === "ArrowDown" ? 1 : -1, shiftKey);
    if (key === "Home" || key === "End") return () => this.go(key === "Home" ? 0 : this.labels.length - 1, shiftKey);
    if (key === "n" || key === "N") return () => this.nextDoubtful(key === "n" ? 1 : -1);
    if (key === " ") return () => this.toggleAlone();
    if (key === "/") return () => this.palette.find();
    if (key === "_" || key === "-") return () => this.apply(null);
    if ((key === "Backspace" || key === "Delete") && this.isSpans) return () => this.apply(undefined);
    const kind = this.palette.kindOf(key.toLowerCase());
    return kind === undefined ? undefined : () => this.apply(kind);
  }

  /** Makes labels known, with their keys and colours. */
  private learn(labels: readonly string[]): void {
    this.known = labels;
    const kinds = kindsOf(labels);
    this.palette.show(kinds, keysFor(kinds), this.isSpans);
  }

  /** Labels what is chosen: `null` if nobody knows, `undefined` if it is outside of all spans. */
  private apply(kind: string | null | undefined): void {
    const range = this.chosen();
    if (!range) return;
    const isNew = kind != null && !kindsOf(this.known).includes(kind);
    if (isNew) this.learn([...this.known, ...(this.isSpans ? [`B-${kind}`, `I-${kind}`] : [kind])]);
    const { from, to } = range;
    if (kind === null) {
      const cut = this.isSpans ? withSpan(this.labels, { from, to }, this.known) : this.labels;
      this.change(withLabel(cut, from, to, null));
    } else if (this.isSpans) this.change(withSpan(this.labels, { from, to, type: kind }, this.known));
    else if (kind !== undefined) this.change(withLabel(this.labels, from, to, kind));
    this.focus();
  }

  private change(labels: Labels): void {
    if (labels.every((label, i) => label === this.labels[i])) return;
    this.past.push(this.labels);
    this.labels = labels;
    this.isAlone = false;
    this.render();
    this.onChange(this.text);
  }

  /** The range of tokens that is chosen: a span, if its token is and nothing else is said. */
  private chosen(): Omit<Span, "type"> | undefined {
    const { anchor, cursor } = this;
    if (cursor < 0) return undefined;
    if (anchor !== cursor) return { from: Math.min(anchor, cursor), to: Math.max(anchor, cursor) + 1 };
    const span = this.isSpans && !this.isAlone ? this.spanAt(cursor) : undefined;
    return span ?? { from: cursor, to: cursor + 1 };
  }

  private spanAt(token: number): Span | undefined {
    return spansOf(this.labels).find(({ from, to }) => from <= token && token < to);
  }

  private go(token: number, isWider: boolean): void {
    const count = this.labels.length;
    this.cursor = Math.max(0, Math.min(count - 1, token));
    if (!isWider || this.anchor < 0) this.anchor = this.cursor;
    this.isAlone = false;
    this.paint();
    this.places[this.cursor].focus({ preventScroll: true });
    this.places[this.cursor].scrollIntoView({ block: "nearest" });
  }

  private move(by: 1 | -1, isWider: boolean): void {
    this.go(this.cursor < 0 ? 0 : this.cursor + by, isWider);
  }

  /** To the token above or below. */
  private moveLine(by: 1 | -1, isWider: boolean): void {
    const own = this.places[Math.max(0, this.cursor)].getBoundingClientRect();
    const middle = (own.left + own.right) / 2;
    let best = -1;
    let bestDistance = Number.POSITIVE_INFINITY;
    this.places.forEach((place, i) => {
      const box = place.getBoundingClientRect();
      const down = by * (box.top - own.top);
      if (down < own.height / 2) return;
      // A line further away costs more than any distance within a line.
      const distance = down * 1e4 + Math.abs((box.left + box.right) / 2 - middle);
      if (distance >= bestDistance) return;
      bestDistance = distance;
      best = i;
    });
    if (best >= 0) this.go(best, isWider);
  }

  /** One token more on a side, for those who have neither keys nor room to drag. */
  private widen(by: 1 | -1): void {
    const range = this.chosen();
    if (!range) return;
    const { from, to } = range;
    this.anchor = by > 0 ? from : to - 1;
    this.go(by > 0 ? to : from - 1, true);
  }

  private toggleAlone(): void {
    if (this.cursor < 0) return;
    this.anchor = this.cursor;
    this.isAlone = !this.isAlone;
    this.paint();
  }

  private nextDoubtful(by: 1 | -1): void {
    const count = this.labels.length;
    let token = Math.max(0, this.cursor);
    for (let step = 0; step < count; step++) {
      token = (token + by + count) % count;
      if (this.doubtOf(token) === 0) continue;
      this.go(token, false);
      break;
    }
  }

  /** From 0, sure, to 3. What a person has changed is not in doubt. */
  private doubtOf(token: number): number {
    if (this.labels[token] !== this.best[token]) return 0;
    const probability = this.sureness(token);
    return DOUBT.filter((limit) => probability < limit).length;
  }

  private sureness(token: number): number {
    const choices = this.item?.choices[token] ?? [];
    return choices.find(([label]) => label === this.best[token])?.[1] ?? 0;
  }

  private leastSure(): number {
    let least = 0;
    for (let i = 1; i < this.labels.length; i++) if (this.sureness(i) < this.sureness(least)) least = i;
    return least;
  }

  private press(event: PointerEvent): void {
    const token = this.tokenAt(event);
    if (token === undefined || event.button !== 0) return;
    event.preventDefault();
    const isAgain = token === this.cursor && this.anchor === this.cursor && !event.shiftKey;
    const wasAlone = this.isAlone;
    this.go(token, event.shiftKey);
    if (isAgain) {
      this.isAlone = !wasAlone;
      this.paint();
    }
  }

  private drag(event: PointerEvent): void {
    const token = this.tokenAt(event);
    if (token === undefined || token === this.cursor || this.anchor < 0) return;
    this.cursor = token;
    this.isAlone = true; // whoever drags back to where it began means the token
    this.paint();
  }

  private tokenAt({ clientX, clientY }: PointerEvent): number | undefined {
    const place = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>("[data-token]");
    return place && sentence.contains(place) ? Number(place.dataset.token) : undefined;
  }

  /** Makes all tokens anew. */
  private render(): void {
    const hadFocus = sentence.contains(document.activeElement);
    const tokens = this.item?.tokens ?? [];
    this.places = tokens.map((token, i) => this.place(token, i));
    const spans = this.isSpans ? spansOf(this.labels) : [];
    const content: (Node | string)[] = [];
    for (let i = 0; i < tokens.length; ) {
      if (i > 0) content.push(" ");
      const span = spans.find(({ from }) => from === i);
      content.push(span ? this.spanElement(span) : this.places[i]);
      i = span?.to ?? i + 1;
    }
    sentence.replaceChildren(...content);
    this.paint();
    if (hadFocus) this.focus();
  }

  private place(token: string, i: number): HTMLElement {
    const place = make("span", "token");
    place.dataset.token = String(i);
    place.setAttribute("role", "option");
    const word = make("bdi", "word");
    word.textContent = token.trim() === "" ? "␣" : token;
    place.append(word);
    const label = this.labels[i];
    const doubt = this.doubtOf(i);
    if (doubt > 0) place.dataset.doubt = String(doubt);
    if (label !== this.best[i]) place.classList.add("changed");
    if (!this.isSpans || label === null) {
      const small = make("span", "label");
      small.textContent = label ?? "?";
      if (label !== null) small.style.setProperty("--hue", String(this.palette.hueOf(label)));
      place.append(small);
      place.classList.add("labelled");
    }
    const note = this.item?.notes?.[i];
    if (note) place.title = note;
    const kind = this.isSpans && label !== null ? (this.spanAt(i)?.type ?? "nothing") : (label ?? "unknown");
    const sure = doubt > 0 ? `, ${percentText(this.sureness(i))}` : "";
    place.setAttribute("aria-label", `${token}: ${kind || "span"}${sure}`);
    return place;
  }

  private spanElement({ from, to, type }: Span): HTMLElement {
    const marked = make("span", "span");
    marked.style.setProperty("--hue", String(this.palette.hueOf(type)));
    for (let i = from; i < to; i++) marked.append(...(i > from ? [" "] : []), this.places[i]);
    const tag = make("span", "tag");
    tag.textContent = type || "span";
    tag.setAttribute("aria-hidden", "true");
    marked.append(tag);
    return marked;
  }

  /** Shows what is chosen. */
  private paint(): void {
    const range = this.chosen();
    this.places.forEach((place, i) => {
      const isChosen = range !== undefined && range.from <= i && i < range.to;
      place.setAttribute("aria-selected", String(isChosen));
      place.tabIndex = i === Math.max(0, this.cursor) ? 0 : -1;
    });
    this.palette.about(range && this.descriptionOf(range));
  }

  private descriptionOf({ from, to }: Omit<Span, "type">) {
    const words = (this.item?.tokens ?? []).slice(from, to).join(" ");
    const doubtful = this.labels.filter((_, i) => this.doubtOf(i) > 0).length;
    const choices = this.item?.choices[from] ?? [];
    const isOne = to === from + 1;
    const probabilityOf = isOne
      ? (kind: string | undefined) => kindProbability(choices, kind, this.isSpans)
      : () => undefined;
    const current = this.isSpans ? this.spanAt(from)?.type : this.labels[from];
    return { words, doubtful, probabilityOf, current };
  }
}
