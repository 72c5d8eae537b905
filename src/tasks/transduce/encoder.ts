// The network of a transducer: what it sees at an input position are the symbol there, its classes (views), and the marks of the
// whole input; its convolutions see the neighbours. What it scores are moves, for each class q of written symbols:
//   score(j, q, y) = scale · scores(j)[q · symbolCount + y]
// Windows and moves have no rows beside it: these learn faster, and leave it little to learn. N-grams of outputs, which it cannot see,
// have theirs.

import type { PositionRows } from "../../engine/backend.js";
import { Encoder, type EncoderBackend } from "../../learn/encoder/encoder.js";
import { EncoderLearning } from "../../learn/encoder/learning.js";
import { encoderBatch } from "../../learn/encoder/options.js";
import type { EncoderShape } from "../../learn/encoder/shape.js";
import type { KeptEncoder } from "../../model/encoder.js";
import { COUNT_CLASSES } from "./aligner.js";
import type { View } from "./classes.js";
import type { MarkedInput, PairCorpus } from "./pairs.js";

/** What an input has that a network sees. */
export interface SeenInputs {
  /** The input symbol that stands for the outside; the one before stands for all that are unknown. */
  boundary: number;
  views: readonly View[];
  marks: number;
}

/** How many inputs and outputs the network of a transducer has. */
export function encoderEnds(seen: SeenInputs, symbolCount: number): Pick<EncoderShape, "inputs" | "outputs"> {
  return { inputs: inputPlaces(seen).marks + seen.marks, outputs: COUNT_CLASSES * symbolCount };
}

/** Where the inputs of each view begin, after those of symbols, and those of marks, after these. */
function inputPlaces({ boundary, views }: SeenInputs): { views: number[]; marks: number } {
  let at = boundary;
  const places = views.map((view) => {
    const place = at;
    at += 1 + view.reduce((most, number) => Math.max(most, number), 0);
    return place;
  });
  return { views: places, marks: at };
}

/** Differences of expected decisions below this count as none: most are, and the way back is the shorter for it. */
const NOTHING = 1e-6;

/** Parameters of a network, and what its scores are multiplied by. */
export type NetworkParts = Pick<KeptEncoder, "parameters" | "scale">;

export class MoveEncoder {
  readonly network: Encoder;
  learning: EncoderLearning | undefined;
  /** Whether inputs at hand are learned from: then some numbers are left out. */
  isLearning = false;
  private readonly places: ReturnType<typeof inputPlaces>;
  private rows: PositionRows;

  constructor(
    shape: EncoderShape,
    private readonly seen: SeenInputs,
    backend: EncoderBackend,
  ) {
    this.network = new Encoder(shape, backend);
    this.places = inputPlaces(seen);
    this.rows = { start: new Int32Array(64), ids: new Int32Array(256) };
  }

  /** One that is to learn from pairs; `start`: the parameters of one that learned from others. */
  static learning(shape: EncoderShape, seen: SeenInputs, corpus: PairCorpus, dropout: number, start?: Float32Array) {
    return (backend: EncoderBackend): MoveEncoder => {
      const made = new MoveEncoder(shape, seen, backend);
      const active = 1 + seen.views.length + corpus.marks.length / Math.max(1, corpus.inputCount);
      const batch = encoderBatch(corpus.inputCount);
      made.learning = new EncoderLearning(made.network, backend, { batch, dropout, active, start });
      return made;
    };
  }

  /** One that was kept. */
  static kept({ shape, ...parts }: KeptEncoder, seen: SeenInputs) {
    return (backend: EncoderBackend): MoveEncoder => {
      const made = new MoveEncoder(shape, seen, backend);
      made.take(parts);
      return made;
    };
  }

  get parts(): KeptEncoder {
    const { shape, parameters, scale } = this.network;
    return { shape, parameters: Float32Array.from(parameters), scale };
  }

  take({ parameters, scale }: NetworkParts): void {
    this.network.parameters.set(parameters);
    this.network.scale = scale;
  }

  /** Adds what the network says of an input to the scores of its positions, [positions][COUNT_CLASSES · symbolCount]. */
  score(input: MarkedInput, classScores: Float64Array): void {
    const { network, learning } = this;
    const { length } = input.symbols;
    this.look(input);
    if (this.isLearning && learning) learning.forward(this.rows, 0, length);
    else network.forward(this.rows, 0, length);
    const { scores, outputStride, scale } = network;
    const { outputs } = network.shape;
    for (let j = 0; j < length; j++) {
      for (let y = 0; y < outputs; y++) classScores[j * outputs + y] += scale * scores[j * outputStride + y];
    }
  }

  /** The way back, of the input scored last: adds differences of expected decisions to the gradient of the network. */
  count(length: number, classCounts: Float64Array): void {
    if (!this.learning) return;
    const slopes = this.learning.slopes(length);
    const { outputStride } = this.network;
    const { outputs } = this.network.shape;
    for (let j = 0; j < length; j++) {
      for (let y = 0; y < outputs; y++) {
        const amount = classCounts[j * outputs + y];
        if (Math.abs(amount) > NOTHING) slopes[j * outputStride + y] = amount;
      }
    }
    this.learning.backward();
  }

  /** Lists what is seen at each position. */
  private look({ symbols, marks }: MarkedInput): void {
    const { boundary, views } = this.seen;
    const each = 1 + views.length + marks.length;
    if (this.rows.start.length <= symbols.length) this.rows.start = new Int32Array(2 * symbols.length + 1);
    if (this.rows.ids.length < each * symbols.length) this.rows.ids = new Int32Array(2 * each * symbols.length);
    const { start, ids } = this.rows;
    let count = 0;
    for (let j = 0; j < symbols.length; j++) {
      const symbol = symbols[j];
      // Nothing was learned of what is unknown.
      ids[count++] = symbol < boundary - 1 ? symbol : -1;
      for (let v = 0; v < views.length; v++) ids[count++] = this.places.views[v] + views[v][symbol];
      for (const mark of marks) ids[count++] = this.places.marks + mark;
      start[j + 1] = count;
    }
  }
}
