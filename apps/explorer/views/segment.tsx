// Segment: a text cut into words, names or sentences by a model of one's own; how sure each segment is, and other ways to cut.

import type { Segment } from "../../../src/tasks/segment/segmenter.js";
import { formatAddress } from "../address.js";
import { quick } from "../engine.js";
import { useAnswer, useModel } from "../hooks.js";
import {
  About,
  Bar,
  CutNote,
  chosenModel,
  Intro,
  ModelChoice,
  ModelState,
  percentText,
  type ViewProps,
} from "../parts/common.js";
import type { SegmentResult } from "../protocol.js";

const longest = 1200; // characters

export function SegmentView({ models, ready, params, change }: ViewProps) {
  const offered = chosenModel(models, params.model);
  const loading = useModel(quick, offered);
  const { model } = loading;
  const text = params.text ?? "";
  const read = text.slice(0, longest);
  const answer = useAnswer(quick, "segment", model && read.trim() !== "" ? { model: model.id, text: read } : undefined);
  const { result } = answer;
  const fits = result?.segments.every(({ start, end, text: own }) => read.slice(start, end) === own);
  return (
    <>
      <Intro title="Segment a text">
        Words of a language without spaces, names, or sentences: what a segmenter has learned to find, with the
        probability of each segment. A stronger colour means a higher probability.
      </Intro>
      {ready && models.length === 0 && params.model === undefined ? (
        <p class="lesson">
          There is no segmenter yet.{" "}
          <a href={formatAddress("learn", { task: "segment" })}>Train one on your own texts</a>, or open a model made by{" "}
          <code>stargram train segment</code>.
        </p>
      ) : (
        <section class="controls" aria-label="Text">
          <label class="field grow">
            <span class="name">Text</span>
            <textarea
              rows={3}
              spellcheck={false}
              value={text}
              onInput={(event) => change({ text: event.currentTarget.value.slice(0, 2 * longest) })}
            />
          </label>
          <ModelChoice models={models} value={offered?.id} onChange={(id) => change({ model: id })} />
        </section>
      )}
      <CutNote length={text.length} longest={longest} />
      {(offered || params.model !== undefined || !ready) && (
        <ModelState ready={ready} named={params.model} offered={offered} loading={loading} trouble={answer.error} />
      )}
      {result && fits && read.trim() !== "" && (
        <>
          <Cut result={result} text={read} current={answer.current} />
          <Others result={result} />
        </>
      )}
      <About model={offered} />
    </>
  );
}

function Cut({ result, text, current }: { result: SegmentResult; text: string; current: boolean }) {
  const pieces: (string | Segment)[] = [];
  let at = 0;
  for (const segment of result.segments) {
    if (segment.start > at) pieces.push(text.slice(at, segment.start));
    pieces.push(segment);
    at = segment.end;
  }
  if (at < text.length) pieces.push(text.slice(at));
  return (
    <section class="cut-text" aria-label="Segments" aria-busy={!current} data-probability={result.probability}>
      <p>
        {pieces.map((piece, i) =>
          typeof piece === "string" ? (
            <span key={i}>{piece}</span>
          ) : (
            <span
              key={i}
              class="segment"
              style={{ "--p": shownProbability(piece).toFixed(4) }}
              title={`${piece.label ? `${piece.label}, ` : ""}${percentText(shownProbability(piece))}`}
            >
              {piece.text}
              {piece.label && <code>{piece.label}</code>}
              <span class="hidden"> {percentText(shownProbability(piece))}</span>
            </span>
          ),
        )}
      </p>
    </section>
  );
}

function shownProbability({ probability, calibratedProbability }: Segment): number {
  return calibratedProbability ?? probability;
}

function Others({ result }: { result: SegmentResult }) {
  const [first, ...others] = result.nbest;
  const isNew = ({ start, end, label }: Segment): boolean =>
    !first.segments.some((own) => own.start === start && own.end === end && own.label === label);
  return (
    <section aria-label="Other segmentations">
      <h2>Other segmentations</h2>
      <p class="soft small">
        As above: {percentText(result.calibrated ?? result.probability)}
        {result.calibrated !== undefined && ", calibrated on held-out data"}
      </p>
      <ol class="nbest readings">
        {others.map(({ segments, probability }, i) => (
          <li key={i}>
            <span class="differences">
              {segments.filter(isNew).map(({ text, label, start }) => (
                <span key={start}>
                  {text} {label && <code>{label}</code>}
                </span>
              ))}
            </span>
            <span class="mass">{percentText(probability)}</span>
            <Bar share={probability} />
          </li>
        ))}
      </ol>
    </section>
  );
}
