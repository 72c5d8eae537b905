// The labels to choose from: a button for each with its key and colour, a field to find one by typing, and of a single token how
// probable each is.

import { element, make, percentText } from "./dom.js";

/** What is chosen, to be labelled. */
export interface Chosen {
  words: string;
  /** Doubtful tokens of the item. */
  doubtful: number;
  /** Of a kind, undefined for what is outside of all spans; undefined if several tokens are chosen. */
  probabilityOf(kind: string | undefined): number | undefined;
  /** What they are now. */
  current: string | null | undefined;
}

/** More labels than this are found by typing; those that a token may have are shown. */
const MOST = 24;

const list = element("kinds");
const field = element<HTMLInputElement>("find");

export class Palette {
  private kinds: readonly string[] = [];
  private keys: ReadonlyMap<string, string> = new Map();
  private byKey: ReadonlyMap<string, string> = new Map();
  private isSpans = false;

  constructor(private readonly onChoice: (kind: string | null | undefined) => void) {
    element("find-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.takeFound();
    });
  }

  /** Takes over the kinds there are. */
  show(kinds: readonly string[], keys: ReadonlyMap<string, string>, isSpans: boolean): void {
    this.kinds = kinds;
    this.isSpans = isSpans;
    this.keys = kinds.length <= MOST ? keys : new Map();
    this.byKey = new Map([...this.keys].map(([kind, key]) => [key, kind]));
    element("found").replaceChildren(
      ...kinds.map((kind) => {
        const option = make("option", "");
        option.value = kind;
        return option;
      }),
    );
  }

  kindOf(key: string): string | undefined {
    return this.byKey.get(key);
  }

  /** A colour for each kind, neighbours far apart. */
  hueOf(kind: string): number {
    return Math.round((Math.max(0, this.kinds.indexOf(kind)) * 137.5 + 210) % 360);
  }

  /** Begins to find a label by typing. */
  find(): void {
    field.focus();
    field.select();
  }

  /** Says what is chosen, and what it may be. */
  about(chosen: Chosen | undefined): void {
    element("chosen").textContent = chosen?.words ?? "";
    const doubtful = chosen?.doubtful ?? 0;
    element("doubtful").textContent = doubtful === 0 ? "" : `${doubtful} doubtful`;
    const offered = this.offered(chosen);
    const buttons = offered.map((kind) => this.button(kind, kind || "span", this.keys.get(kind), chosen));
    if (this.isSpans) buttons.push(this.button(undefined, "nothing", "⌫", chosen));
    buttons.push(this.button(null, "unknown", "-", chosen));
    list.replaceChildren(...buttons);
  }

  private offered(chosen: Chosen | undefined): readonly string[] {
    if (this.kinds.length <= MOST) return this.kinds;
    const probable = this.kinds.filter((kind) => (chosen?.probabilityOf(kind) ?? 0) > 0);
    const some = probable.length > 0 ? probable : this.kinds;
    return some.slice(0, MOST);
  }

  private button(
    kind: string | null | undefined,
    name: string,
    key: string | undefined,
    chosen: Chosen | undefined,
  ): HTMLButtonElement {
    const button = make("button", "kind");
    button.type = "button";
    button.disabled = chosen === undefined;
    if (typeof kind === "string") button.style.setProperty("--hue", String(this.hueOf(kind)));
    const words = make("bdi", "name");
    words.textContent = name;
    const probability = kind === null ? undefined : chosen?.probabilityOf(kind);
    const percent = make("span", "percent");
    percent.textContent = probability === undefined || probability === 0 ? "" : percentText(probability);
    if (key) {
      const shown = make("kbd", "");
      shown.ariaHidden = "true"; // told by aria-keyshortcuts
      shown.textContent = key;
      button.append(shown);
      button.setAttribute("aria-keyshortcuts", key === "⌫" ? "Backspace" : key);
    }
    button.append(words, " ", percent);
    button.setAttribute("aria-pressed", String(chosen !== undefined && chosen.current === kind));
    button.addEventListener("click", () => this.onChoice(kind));
    return button;
  }

  /** The label that was typed: one of that name, else the first that begins so, else a new one. */
  private takeFound(): void {
    const text = field.value.trim();
    if (text === "") return;
    const plain = text.toLowerCase();
    const found =
      this.kinds.find((kind) => kind === text) ??
      this.kinds.find((kind) => kind.toLowerCase() === plain) ??
      this.kinds.find((kind) => kind.toLowerCase().startsWith(plain)) ??
      text;
    field.value = "";
    this.onChoice(found);
  }
}
