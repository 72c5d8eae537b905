// The review page: one HTML document with its style and its program (client.ts) inside, and nothing from anywhere else.
// Light or dark as the system is; one column that fits a phone.

export interface PageText {
  /** The review file's name. */
  file: string;
  /** The command that learns from the answers. */
  next: string;
  /** The command that opens this review again. */
  again: string;
}

export interface PageOptions extends PageText {
  /** What the security policy knows this page's style and program by. */
  nonce: string;
  script: string;
}

export function pageHtml({ file, next, again, nonce, script }: PageOptions): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Review · ${escapeHtml(file)}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${style}</style>
</head>
<body>
<header>
  <h1><bdi>${escapeHtml(file)}</bdi></h1>
  <p id="progress"></p>
  <progress id="bar" max="1" value="0" aria-label="Done"></progress>
</header>
<main id="main" tabindex="-1">
  <div id="trouble" role="alert" hidden>
    <p id="reason"></p>
    <button type="button" id="retry">Try again</button>
  </div>
  <noscript><p>This page needs JavaScript.</p></noscript>
  <section id="question" aria-label="Item" hidden>
    <div id="input" dir="auto" tabindex="0"></div>
    <ol id="candidates" aria-label="Candidates"></ol>
    <form id="form" autocomplete="off">
      <label for="answer">Another answer</label>
      <div class="row">
        <input id="answer" dir="auto" autocapitalize="off" autocorrect="off" spellcheck="false" maxlength="10000"
          aria-describedby="note">
        <button type="submit">Accept <kbd>Enter</kbd></button>
      </div>
      <p id="note" role="status"></p>
    </form>
  </section>
  <section id="done" aria-label="Done" hidden>
    <h2 id="outcome"></h2>
    <p id="counts"></p>
    <div id="learn">
      <p>Next, learn from the answers:</p>
      <div class="row"><code id="command">${escapeHtml(next)}</code><button type="button" id="copy">Copy</button></div>
    </div>
    <p>You may close this page and end the review with <kbd>Ctrl</kbd> <kbd>C</kbd> in the terminal.</p>
    <button type="button" id="again">Go through those skipped <kbd>r</kbd></button>
  </section>
</main>
<footer>
  <button type="button" id="undo" aria-keyshortcuts="U ArrowLeft Control+Z"><kbd>u</kbd> Undo</button>
  <span id="saved" role="status"></span>
  <button type="button" id="skip" aria-keyshortcuts="S ArrowRight">Skip <kbd>s</kbd></button>
</footer>
<p id="keys"><kbd>1</kbd>–<kbd>9</kbd> choose · <kbd>Enter</kbd> type, then accept · <kbd>Esc</kbd> stop typing ·
  <kbd>s</kbd> <kbd>→</kbd> skip · <kbd>u</kbd> <kbd>←</kbd> undo</p>
<p id="spoken" class="hidden" aria-live="polite"></p>
<template id="lost">The review no longer answers. What you answered is saved: go on with ${escapeHtml(again)}</template>
<script type="module" nonce="${nonce}">
${script.replaceAll("</", "<\\/")}
</script>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

const style = `
:root {
  color-scheme: light dark;
  --paper: #fbfaf7; --card: #ffffff; --ink: #22211e; --quiet: #65625b; --line: #dedbd3; --bar: #e6ebf5; --accent: #2f5aa8;
  --trouble: #a3261c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #191a1c; --card: #222326; --ink: #e9e7e2; --quiet: #a3a199; --line: #3a3b3f; --bar: #2c3a55;
    --accent: #9dbbf2; --trouble: #ff9c90;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0 auto; padding: 1.25rem 1.25rem 2rem; max-width: 46rem; min-height: 100dvh;
  background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
h1, h2, p, ol { margin: 0; padding: 0; }
header { display: grid; grid-template-columns: 1fr auto; gap: .25rem 1rem; align-items: baseline; margin-bottom: 1.25rem; }
h1 { font-size: 1rem; font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
#progress { color: var(--quiet); font-variant-numeric: tabular-nums; }
progress { grid-column: 1 / -1; width: 100%; height: 4px; appearance: none; border: 0; border-radius: 2px;
  background: var(--line); overflow: hidden; }
progress::-webkit-progress-bar { background: var(--line); }
progress::-webkit-progress-value { background: var(--accent); }
progress::-moz-progress-bar { background: var(--accent); }
main:focus { outline: none; }
#input {
  padding: 1.5rem 1.25rem; margin-bottom: 1rem; max-height: 45dvh; overflow: auto;
  background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  font-size: 1.35rem; line-height: 1.5; white-space: pre-wrap; overflow-wrap: anywhere;
}
#input.images { --gap: .35rem; --height: 5.5rem; display: flex; flex-wrap: wrap; gap: var(--gap); }
#input svg {
  aspect-ratio: var(--aspect); fill: currentColor; min-width: 1.1rem;
  width: min(var(--height) * var(--aspect), (100% - (var(--count) - 1) * var(--gap)) / var(--count));
}
#candidates { list-style: none; display: grid; gap: .4rem; margin-bottom: 1.25rem; }
button, input { font: inherit; color: inherit; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); }
button { padding: .5rem .9rem; cursor: pointer; min-height: 2.75rem; }
button:hover:not(:disabled) { border-color: var(--accent); }
button:disabled { color: var(--quiet); cursor: default; opacity: .6; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.candidate {
  position: relative; display: grid; grid-template-columns: auto 1fr auto; gap: .9rem; align-items: center;
  width: 100%; overflow: hidden; text-align: start;
}
.candidate > * { position: relative; }
.candidate .share { position: absolute; inset: 0 auto 0 0; background: var(--bar); }
.candidate .text { font-size: 1.15rem; overflow-wrap: anywhere; white-space: pre-wrap; }
.candidate .text.empty, .candidate .percent, label, #note, #saved, #keys { color: var(--quiet); }
.candidate .percent { font-variant-numeric: tabular-nums; }
kbd {
  display: inline-block; min-width: 1.5em; padding: 0 .35em; text-align: center; color: var(--quiet);
  font: .8em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  border: 1px solid var(--line); border-radius: .3em; background: var(--paper);
}
.row { display: flex; gap: .5rem; align-items: stretch; }
.row > :first-child { flex: 1; min-width: 0; }
input { padding: .5rem .75rem; font-size: 1.15rem; }
label, #note, #saved, #keys { font-size: .9rem; }
#saved[aria-busy] { opacity: 0; }
#note { min-height: 1.5em; }
footer { display: flex; justify-content: space-between; align-items: center; gap: 1rem; margin-top: .5rem; }
#keys { margin-top: 1.5rem; text-align: center; }
#done { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; justify-items: start; padding: 1rem 0; }
#done h2 { font-size: 1.5rem; font-weight: 600; }
#learn, #learn .row { width: 100%; }
#learn p { margin-bottom: .35rem; }
code { display: block; padding: .65rem .8rem; overflow-x: auto; white-space: nowrap; border: 1px solid var(--line);
  border-radius: .5rem; background: var(--card); font: .9rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
#trouble { margin-bottom: 1rem; padding: .8rem 1rem; border: 1px solid var(--trouble); border-radius: .6rem;
  color: var(--trouble); overflow-wrap: anywhere; }
#trouble button { margin-top: .5rem; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 32rem), (pointer: coarse) { #keys, button[type="submit"] kbd { display: none; } }
@media (max-width: 32rem) {
  body { padding: 1rem .9rem 1.5rem; }
  #input { padding: 1rem; font-size: 1.2rem; }
  #input.images { --gap: .2rem; }
}
`;
