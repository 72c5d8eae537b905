// What is in a segmenter.

import { rangeText } from "../../util/options.js";
import { counted, plural, table } from "../../util/text.js";
import { chosenLines, encoderText, historyTable, nonZero, passLine, promiseLines, someOf } from "../contents.js";
import { readingOf } from "./inputs.js";
import type { Segmenter } from "./segmenter.js";
import { longestSegment } from "./symbols.js";

export function contents(segmenter: Segmenter) {
  const { parts, rows, options, summary, weights, calibration } = segmenter;
  return {
    labels: segmenter.labels,
    segmentsOf: parts.input,
    mayHoldSpaces: parts.mayHoldSpaces,
    longest: longestSegment(rows.symbols),
    attributes: parts.attributes.size,
    segmentAttributes: parts.wholes.size,
    seenStrings: parts.seen.strings.size,
    lexicon: parts.lexicon.size,
    weights: nonZero(weights),
    encoder: segmenter.encoder && { ...segmenter.encoder.shape, parameters: segmenter.encoder.parameters.length },
    input: readingOf(segmenter),
    options,
    summary,
    calibration,
  };
}

export function contentsText(segmenter: Segmenter, { bytes }: { bytes: number }): string {
  const { labels, options, summary, ...found } = contents(segmenter);
  const unit = found.segmentsOf === "chars" ? "character" : "token";
  const lines = [
    ["model", `segmenter, ${counted(bytes)} bytes`],
    ["labels", segmenter.isLabelled ? someOf(labels) : "none"],
    ["segments", `of up to ${plural(found.longest, unit)}${found.mayHoldSpaces ? "" : ", none with a space"}`],
    ["attributes", `${counted(found.attributes)} of positions, ${counted(found.segmentAttributes)} of segments`],
    ["strings", `${counted(found.seenStrings)} that were segments`],
    ...(found.lexicon > 0 ? [["lexicon", plural(found.lexicon, "entry").replace("entrys", "entries")]] : []),
    ...(found.encoder ? [["encoder", encoderText(found.encoder)]] : []),
    ["weights", `${counted(found.weights)} that are not zero`],
    [
      "inference",
      `${options.mode}, order ${options.order}, ${rangeText(options.contexts)} contexts, rows ${options.rows}`,
    ],
    ["trained on", `${plural(summary.texts, "text")}, ${plural(summary.segments, "segment")}, seed ${options.seed}`],
    ["", passLine(summary)],
    ...chosenLines(summary.chosen, "texts"),
    ...promiseLines(found.calibration),
  ];
  const history = summary.history.length > 0 ? [historyTable(summary, "segments", "texts")] : [];
  return [table(lines, [0, 1]), ...history].join("\n");
}
