// The cipher text with the plain letters found so far above it, and its key.

import type { Slip } from "../../../../src/tasks/decipher/slips.js";
import { counted, percentText } from "../../parts/common.js";
import type { CipherPiece, CipherShape } from "../../protocol.js";
import type { Found } from "./run.js";

interface Marking {
  shape: CipherShape;
  found: ReadonlyMap<string, Found>;
  known: Readonly<Record<string, string>>;
  /** The cipher symbol pointed at. */
  marked: string;
  onMark: (symbol: string) => void;
}

export function CipherText({ shape, found, known, marked, onMark, slips }: Marking & { slips: readonly Slip[] }) {
  const slipAt = new Map(slips.map((slip) => [slip.at, slip]));
  const flat = shape.kind !== "letters";
  const readable = shape.pieces
    .map((piece) =>
      typeof piece === "string"
        ? piece
        : (known[shape.symbols[piece.at]] ?? found.get(shape.symbols[piece.at])?.plain ?? "·"),
    )
    .join("");
  return (
    <section class={`cipher-text ${flat ? "flat" : ""}`} aria-label="Text">
      <p class="hidden" id="plain-text">
        {found.size > 0 ? readable : "not deciphered yet"}
      </p>
      <div aria-hidden="true" onPointerLeave={() => onMark("")}>
        {wordsOf(shape.pieces).map((word, w) => (
          <span class="word" key={w}>
            {word.map((piece, i) => {
              if (typeof piece === "string") return <Mark key={i} text={piece} />;
              const symbol = shape.symbols[piece.at];
              const fixed = known[symbol];
              const reading = found.get(symbol);
              const plain = fixed ?? reading?.plain;
              const certainty = fixed ? 1 : (reading?.probability ?? 0);
              const slip = slipAt.get(piece.at);
              return (
                <span
                  key={i}
                  class={`sign ${symbol === marked ? "marked" : ""} ${fixed ? "fixed" : ""} ${slip ? "slip" : ""}`}
                  title={signTitle(symbol, fixed, reading, slip)}
                  onPointerEnter={() => onMark(symbol)}
                >
                  <span class="plain" style={{ opacity: plain ? 0.18 + 0.82 * certainty ** 1.5 : 0 }}>
                    {plain ? (piece.capital ? plain.toUpperCase() : plain) : "\u00a0"}
                  </span>
                  <span class="cipher">{symbol}</span>
                </span>
              );
            })}
          </span>
        ))}
      </div>
    </section>
  );
}

/** What a sign is read as, what else it may be, and whether the writer slipped here. */
function signTitle(symbol: string, fixed: string | undefined, reading: Found | undefined, slip?: Slip): string {
  if (fixed) return `${symbol} is fixed as ${fixed}`;
  if (!reading) return symbol;
  const others = (reading.others ?? []).map(({ plain, probability }) => `${plain} ${percentText(probability)}`);
  const also = others.length > 0 ? `; or ${others.join(", ")}` : "";
  const meant = slip ? `. Probably a slip: ${slip.meant} was meant (${percentText(slip.probability)})` : "";
  return `${symbol} is ${reading.plain} ${percentText(reading.probability)}${also}${meant}`;
}

/** Pieces that stay on one line together: those between spaces and line ends, which end a word. */
function wordsOf(pieces: readonly CipherPiece[]): CipherPiece[][] {
  const words: CipherPiece[][] = [[]];
  for (const piece of pieces.flatMap((one): CipherPiece[] => (typeof one === "string" ? [...one] : [one]))) {
    words.at(-1)?.push(piece);
    if (typeof piece === "string" && /\s/.test(piece)) words.push([]);
  }
  return words;
}

/** Text that stays as it is, on the line of the plain letters. */
function Mark({ text }: { text: string }) {
  if (/\s/.test(text)) return <>{text}</>;
  return (
    <span class="sign">
      <span class="plain">{text}</span>
      <span class="cipher">{"\u00a0"}</span>
    </span>
  );
}

export function KeyTable(props: Marking & { onFix: (cipher: string, plain: string) => void; disabled: boolean }) {
  const { shape, found, known, marked, onMark, onFix, disabled } = props;
  const counts = new Map<string, number>();
  for (const symbol of shape.symbols) if (symbol !== " ") counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  const symbols = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return (
    <section class="key" aria-label="Key">
      <h2>Key</h2>
      <ul>
        {symbols.map(([symbol, count]) => {
          const reading = found.get(symbol);
          const fixed = known[symbol];
          const others = (reading?.others ?? [])
            .map(({ plain, probability }) => `${plain} ${percentText(probability)}`)
            .join(", ");
          const certainty = fixed ? 1 : (reading?.probability ?? 0);
          const said = fixed ? "fixed" : reading ? percentText(certainty) : "open";
          return (
            <li
              key={symbol}
              class={`${symbol === marked ? "marked" : ""} ${fixed ? "fixed" : ""}`}
              title={`${symbol}: ${counted(count, "time")}${others ? `; also ${others}` : ""}`}
              onPointerEnter={() => onMark(symbol)}
              onPointerLeave={() => onMark("")}
            >
              <span class="cipher" aria-hidden="true">
                {symbol}
              </span>
              <input
                type="text"
                aria-label={`${symbol} stands for (${said})`}
                autocomplete="off"
                autocapitalize="off"
                spellcheck={false}
                disabled={disabled}
                value={fixed ?? reading?.plain ?? ""}
                style={{ "--p": certainty.toFixed(3) }}
                onFocus={(event) => {
                  event.currentTarget.select();
                  onMark(symbol);
                }}
                onInput={(event) => onFix(symbol, event.currentTarget.value)}
              />
            </li>
          );
        })}
      </ul>
      <p class="soft small">Type a letter to fix it; empty the box to leave it open again.</p>
    </section>
  );
}
