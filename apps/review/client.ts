// The program of the review page, run by the browser: shows the item that the server names and sends what the person
// decides. One request is under way at a time, and keys that are held down or come before its answer do nothing, so no
// item is answered unseen. What is being typed or labelled is sent as it comes.

import type { ItemView, Refusal, ReviewAction, ReviewView } from "../../src/cli/review/protocol.js";
import { showAgreement } from "./agreement.js";
import { candidateButton } from "./candidates.js";
import { count, element } from "./dom.js";
import { picture } from "./picture.js";
import { TokenEditor } from "./tokens.js";

const field = element<HTMLInputElement>("answer");
const note = element("note");
const saved = element("saved");
const editor = new TokenEditor((text) => {
  element<HTMLButtonElement>("undo").disabled = !(view?.canUndo || editor.canUndo);
  sendDraft(text);
});

let view: ReviewView | undefined;
/** Whether those skipped before are gone through again. */
let again = false;
let isBusy = false;
/** An answer that looks wrong and is taken if it is given once more. */
let doubted: string | undefined;
/** The request that failed last, to try again. */
let failed: ReviewAction | "item" | undefined;
/** Drafts are sent one after the other; of those that wait, the last is enough. */
let sending: Promise<void> | undefined;
let waiting: ReviewAction | undefined;

/** Seconds that the latest decisions took, for the estimate of what is left. */
const paces: number[] = [];
const latest = 30;
const longestPace = 60; // s; whoever took longer was away
let shownAt = performance.now();

/** Another window has gone on with the review. */
class OutOfDate extends Error {}

async function request(action: ReviewAction | "item"): Promise<ReviewView> {
  const asked = typeof action === "object" && { ...action, revision: view?.revision };
  const response = await fetch(
    asked ? "answer" : "item",
    asked
      ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(asked) }
      : undefined,
  ).catch(() => {
    throw new Error(element<HTMLTemplateElement>("lost").content.textContent ?? "");
  });
  const answer: ReviewView | Refusal = await response.json();
  if (response.status === 409) throw new OutOfDate("Not saved: this review continued in another window.");
  if ("error" in answer) throw new Error(`Not saved: ${answer.error}`);
  return answer;
}

/** Sends an action and shows the item that the server names. */
async function go(action: ReviewAction | "item"): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  try {
    waiting = undefined;
    await sending; // a draft must not overtake the answer
    const decided = action !== "item" && (action.action === "answer" || action.action === "skip");
    const next = await request(action);
    if (decided) paces.push(Math.min(longestPace, (performance.now() - shownAt) / 1000));
    showTrouble(undefined);
    saved.textContent = decided ? "Saved" : "";
    show(next);
  } catch (error) {
    failed = error instanceof OutOfDate ? "item" : action;
    showTrouble((error as Error).message);
  } finally {
    isBusy = false;
  }
}

function sendDraft(text: string): void {
  const item = view?.item;
  if (!item) return;
  waiting = { action: "draft", index: item.index, text };
  saved.ariaBusy = "true"; // hides "Draft saved" until it is true again, without a screen reader's saying it at every key
  sending ??= sendWaiting();
}

async function sendWaiting(): Promise<void> {
  try {
    while (waiting) {
      const draft = waiting;
      waiting = undefined;
      const { revision } = await request(draft);
      if (view) view.revision = revision;
    }
    saved.textContent = "Draft saved";
  } catch (error) {
    failed = error instanceof OutOfDate ? "item" : undefined;
    showTrouble((error as Error).message);
  } finally {
    saved.ariaBusy = null;
    sending = undefined;
  }
}

function answer(text: string): void {
  const item = view?.item;
  if (item) go({ action: "answer", index: item.index, text, again });
}

/** What is wrong with an answer that was typed; undefined if nothing is. */
function doubtOf(text: string): string | undefined {
  const wanted = view?.item?.labels;
  if (text === "") return "Type an answer first, or skip the item.";
  if (wanted === undefined || doubted === text) return undefined;
  const words = text.match(/(?:\\[\s\\]|\S)+/g) ?? []; // a backslash keeps a space within a label
  const found = words.length === 1 && wanted > 1 ? [...text].length : words.length; // `dog` for `d o g`
  if (found === wanted) return undefined;
  doubted = text;
  return `This item takes ${wanted} labels, found ${found}. Press Enter again to answer anyway.`;
}

function skip(): void {
  const item = view?.item;
  if (item) go({ action: "skip", index: item.index, again });
}

function undo(): void {
  if (editor.undo()) return;
  if (view?.canUndo) go({ action: "undo" });
  else note.textContent = "There is nothing to undo.";
}

function goAgain(): void {
  if (view?.item || !view?.skipped) return;
  again = true;
  go({ action: "again" });
}

function show(next: ReviewView): void {
  view = next;
  shownAt = performance.now();
  const { item, total, answered, skipped, canUndo } = next;
  const decided = answered + skipped;
  element("question").hidden = item === null;
  element("done").hidden = item !== null;
  element<HTMLButtonElement>("undo").disabled = !canUndo;
  element("skip").hidden = item === null;
  const hasTokens = item?.tokens !== undefined;
  element("keys").hidden = item === null || hasTokens;
  element("token-keys").hidden = !hasTokens;
  element<HTMLProgressElement>("bar").value = total === 0 ? 1 : decided / total;
  const estimate = item && timeLeft(Math.max(1, total - decided));
  element("progress").textContent = `${count(decided)} of ${count(total)} done${estimate ? ` · ${estimate}` : ""}`;
  field.blur();
  doubted = undefined;
  note.textContent = "";
  showAgreement(next.agreement);
  if (item) showItem(item, total);
  else showDone(next);
  if (hasTokens) editor.focus();
  else (item?.candidates.length === 0 ? field : element("main")).focus({ preventScroll: true });
  scrollTo(0, 0);
}

function showItem(item: ItemView, total: number): void {
  const { index, id, text, images, candidates, draft } = item;
  const input = element("input");
  const hasTokens = editor.show(item);
  input.hidden = hasTokens;
  element("labelling").hidden = !hasTokens;
  element("form").hidden = hasTokens;
  input.className = images ? "images" : "text";
  input.setAttribute("aria-label", `Item ${id}`);
  input.replaceChildren(...(images ? images.map((image, i) => picture(image, i, images.length)) : [text ?? ""]));
  element("candidates").replaceChildren(...candidates.map((_, i) => candidateButton(item, i, take)));
  field.value = hasTokens ? "" : draft;
  const pictures = images ? `${images.length} pictures` : text;
  element("spoken").textContent = `Item ${index + 1} of ${total}: ${pictures}`;
}

/** Answers with a candidate; of tokens it can also be taken as a beginning. */
function take(text: string, isBeginning: boolean): void {
  if (isBeginning && editor.isActive) editor.take(text);
  else answer(text);
}

function showDone({ total, answered, skipped }: ReviewView): void {
  const outcome = total === 0 ? "There is nothing to review" : skipped === 0 ? "All answered" : "All done";
  element("outcome").textContent = outcome;
  element("counts").textContent = `${count(answered)} answered, ${count(skipped)} skipped.`;
  element("learn").hidden = answered === 0;
  element("again").hidden = skipped === 0;
  element("spoken").textContent = `${outcome}. ${element("counts").textContent}`;
  again = false;
}

function showTrouble(reason: string | undefined): void {
  element("trouble").hidden = reason === undefined;
  element("retry").textContent = failed === "item" && view ? "Show the current state" : "Try again";
  element("reason").textContent = reason ?? "";
  if (reason !== undefined) saved.textContent = "";
}

function timeLeft(items: number): string {
  const recent = paces.slice(-latest);
  if (recent.length < 3) return "";
  const seconds = (items * recent.reduce((sum, pace) => sum + pace, 0)) / recent.length;
  if (seconds < 45) return "less than a minute left";
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `about ${minutes} min left`;
  return `about ${Math.round(minutes / 60)} h left`;
}

function onKey(event: KeyboardEvent): void {
  if (event.isComposing || event.altKey) return;
  const { key } = event;
  const isTyping = document.activeElement instanceof HTMLInputElement;
  if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === "z" && !event.shiftKey) {
    if (isTyping && (document.activeElement as HTMLInputElement).value !== "") return; // takes back what was typed
    event.preventDefault();
    if (!event.repeat) undo();
    return;
  }
  if (event.ctrlKey || event.metaKey) return;
  if (isTyping) {
    if (key === "Escape") (editor.isActive ? editor : element("main")).focus();
    return;
  }
  const act = actionOf(event);
  if (!act) return;
  event.preventDefault();
  if (!event.repeat) act();
}

/** What a key does while nothing is being typed. */
function actionOf(event: KeyboardEvent): (() => void) | undefined {
  const { key, code, shiftKey, target } = event;
  const isOnButton = target instanceof HTMLButtonElement || (target instanceof Element && target.matches("summary"));
  if (isOnButton && (key === "Enter" || key === " ")) return undefined;
  if (key === "u" || key === "U") return undo;
  if (key === "r" && view?.item === null) return goAgain;
  const item = view?.item;
  if (!item) return key === "ArrowLeft" ? undo : undefined;
  if (key === "s" || key === "S") return skip;
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(code)?.[1];
  const number = /^[1-9]$/.test(key) ? key : shiftKey && editor.isActive ? digit : undefined;
  if (number !== undefined) {
    const candidate = item.candidates[Number(number) - 1];
    return candidate && (() => take(candidate.text, shiftKey));
  }
  if (item.tokens) return key === "Enter" ? () => answer(editor.text) : editor.actionOf(event);
  if (key === "ArrowLeft") return undo;
  if (key === "ArrowRight") return skip;
  if (key === "Enter") return () => field.select();
  if (/^[\p{L}\p{N}\p{P}\p{S}]$/u.test(key)) {
    return () => {
      note.textContent = "Press Enter to type an answer.";
    };
  }
  return undefined;
}

document.addEventListener("keydown", onKey);
field.addEventListener("input", () => {
  note.textContent = "";
  sendDraft(field.value);
});
element("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = field.value.trim();
  const doubt = doubtOf(text);
  if (doubt === undefined) {
    answer(text);
  } else {
    note.textContent = doubt;
    field.focus();
  }
});
element("accept").addEventListener("click", () => answer(editor.text));
element("skip").addEventListener("click", skip);
element("undo").addEventListener("click", undo);
element("again").addEventListener("click", goAgain);
element("retry").addEventListener("click", async () => {
  showTrouble(undefined);
  if (!failed) return sendDraft(editor.isActive ? editor.text : field.value);
  const typed = { index: view?.item?.index, text: field.value };
  await go(failed);
  // What was typed here is not lost if the item is still open.
  if (failed === "item" && view?.item?.index === typed.index && field.value === "") field.value = typed.text;
});
element("copy").addEventListener("click", async () => {
  await navigator.clipboard.writeText(element("command").textContent ?? "");
  element("copy").textContent = "Copied";
});

go("item");
