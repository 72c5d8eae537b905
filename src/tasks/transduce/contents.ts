// What is in a transducer.

import { layoutOf, type SymbolKind } from "../../formats/pair-lines.js";
import { rangeText } from "../../util/options.js";
import { counted, plural, table } from "../../util/text.js";
import { nonZero, passLine, promiseLines, someOf } from "../contents.js";
import { attributesOf } from "./attributes.js";
import { isEdge } from "./emits.js";
import type { Transducer } from "./transducer.js";

export function contents(transducer: Transducer) {
  const { rows, options, summary, weights } = transducer;
  return {
    inputSymbols: transducer.inputSymbols.all().filter((name) => options.edgeEmit === 0 || !isEdge(name)),
    outputSymbols: transducer.outputSymbols.all(),
    attributes: attributesOf(transducer.marks),
    windows: rows.windowTree.row.filter((row) => row >= 0).length,
    outputNgrams: rows.outputTree.row.length,
    moveNgrams: rows.moveTree.row.filter((row) => row >= 0).length,
    weights: nonZero(weights),
    input: layoutOf(transducer),
    options,
    summary,
    powers: transducer.powers,
    joint: transducer.joint !== undefined,
    members: transducer.members.map(({ backward, weights: own, encoder }) => ({
      backward,
      weights: nonZero(own),
      ...(encoder && { encoder: { ...encoder.shape, parameters: encoder.parameters.length } }),
    })),
    remembered: transducer.remembered?.inputCount ?? 0,
    calibration: transducer.calibration,
  };
}

/** `p^0.93 · graphones^0.21 · triggers^0.30 · words^0.37`, if anything but p helps to choose. */
function choiceLines({ joint, options, powers, members }: ReturnType<typeof contents>): string[][] {
  if (!joint && options.words === 0 && members.length === 1) return [];
  const factors = [
    `p^${powers.own.toFixed(2)}`,
    ...(joint ? [`graphones^${powers.joint.toFixed(2)}`] : []),
    ...(powers.triggers ? [`triggers^${powers.triggers.toFixed(2)}`] : []),
    ...(options.words > 0 ? [`words^${powers.words.toFixed(2)}`] : []),
  ];
  return [["chooses by", factors.join(" · ")]];
}

/** How characters are taken apart, if they are. */
export function kindText(kind: SymbolKind): string {
  if (kind === "codepoints") return " (characters by code points)";
  return kind === "decomposed" ? " (characters decomposed)" : "";
}

/** How many members there are, if several, and how many of them go from right to left. */
export function membersText(members: readonly { backward: boolean }[]): string {
  const backward = members.filter((member) => member.backward).length;
  return `${plural(members.length - backward, "member")} from left to right, ${counted(backward)} from right to left`;
}

/** Which members have a network, if any. */
function encoderLines({ members }: ReturnType<typeof contents>): string[][] {
  const encoders = members.flatMap(({ encoder }) => (encoder ? [encoder] : []));
  if (encoders.length === 0) return [];
  const [{ layers, width, parameters }] = encoders;
  const which = members.length > 1 ? `${encoders.length} of ${plural(members.length, "member")}, ` : "";
  const text = `${which}${plural(layers, "convolution")} of ${width} numbers, ${counted(parameters)} parameters`;
  return [["encoder", encoders.length > 1 ? `${text} each` : text]];
}

function edgesText({ edgeEmit, copying }: { edgeEmit: number; copying: boolean }): string {
  return `${edgeEmit > 0 ? `, ${edgeEmit} at either end` : ""}${copying ? "; rows of copies" : ""}`;
}

function sumOf(members: readonly { weights: number }[]): number {
  return members.reduce((sum, { weights }) => sum + weights, 0);
}

export function contentsText(transducer: Transducer, { bytes }: { bytes: number }): string {
  const found = contents(transducer);
  const { options, summary, input } = found;
  const reads = input.reverse ? `${input.output} from the output side` : `${input.input} from the input side`;
  return table(
    [
      ["model", `transducer, ${counted(bytes)} bytes`],
      ["reads", `${someOf(found.inputSymbols)}${kindText(options.input)}`],
      ...(found.attributes.length > 0 ? [["attributes", someOf(found.attributes)]] : []),
      ["writes", `${someOf(found.outputSymbols)}${kindText(options.output)}`],
      [
        "features",
        `${plural(found.windows, "window")}, ${plural(found.outputNgrams, "output n-gram")}, ${plural(found.moveNgrams, "n-gram")} of aligned pairs`,
      ],
      ...(found.members.length > 1 ? [["ensemble", membersText(found.members)]] : []),
      ...encoderLines(found),
      ["weights", `${counted(sumOf(found.members))} that are not zero`],
      [
        "inference",
        `${rangeText(options.contexts)} contexts, order ${options.order}, at most ${options.maxEmit} written for one symbol${edgesText(options)}`,
      ],
      ["input", `${input.format}, ${reads}`],
      [
        "trained on",
        `${plural(summary.pairs, "pair")}, ${counted(summary.alignedPairs)} aligned, strategy ${options.strategy}, seed ${options.seed}`,
      ],
      ["", passLine(summary)],
      ...(found.remembered > 0 ? [["remembers", `the answers of ${plural(found.remembered, "input")}`]] : []),
      ...choiceLines(found),
      ["calibration", `scores divided by ${summary.temperature.toFixed(3)}`],
      ...promiseLines(found.calibration),
    ],
    [0, 1],
  );
}
