// A model on a test: each input is answered, and it is told how sure and how right the answer was. Data is read and judged as
// the task of the model says, so the page counts and warns as the command does.

import { InputError, type TaggingSequence } from "../../../src/browser.js";
import { linesOf } from "../../../src/formats/line-blocks.js";
import { inputNoteOf } from "../../../src/tasks/tag/inputs.js";
import type { LearningTask, Predictor } from "../../../src/tasks/task.js";
import { pause } from "../../../src/util/pause.js";
import { asTheyCome } from "../../../src/workflows/examples.js";
import type { TestFormat } from "../catalogue.js";
import type { Judged } from "../protocol.js";
import { pictureOf, type ScriptName, scripts } from "../scripts.js";
import type { Handler } from "./calls.js";
import { fetched } from "./fetched.js";
import { answering, inferenceOf, modelOf } from "./models.js";

export const evaluate: Handler<"evaluate"> = async (params, { progress, stopped }) => {
  const { model: id, url, text, file, format, choice } = params;
  const { model, task } = answering(id);
  const content = text ?? new TextDecoder().decode(await fetched(url as string, "test data", () => undefined));
  const script = format === "digits" || format === "letters" ? format : undefined;
  const pictures = script && (JSON.parse(content) as PicturesTest[]);
  const inputs = pictures
    ? task.predicting.inputsOf(asTheyCome(sequencesOf(pictures, script, id)))
    : read(task, model, content, file);
  const cases: unknown[] = [];
  for await (const one of task.evaluating.cases(inputs)) cases.push(one);
  const asked = { inference: choice && inferenceOf(choice) };
  const judged: Judged[] = [];
  const warnings = new Set<string>();
  let paused = performance.now();
  let done = 0;
  while (done < cases.length && !stopped()) {
    const { notices = [], ...shown } = task.evaluating.show?.(model, cases[done], asked) ?? {};
    if ("truth" in shown) judged.push(pictures ? withPictures(shown, pictures[done], script) : shown);
    for (const notice of notices) warnings.add(notice);
    done++;
    if (performance.now() - paused < 40) continue;
    progress(done / cases.length);
    await pause();
    paused = performance.now();
  }
  if (judged.length === 0 && done === cases.length) throw nothingKnown(task, format, file);
  return { judged, warnings: [...warnings], stopped: done < cases.length };
};

/** The inputs of a test, as the model's training data was read. Labels that it does not know are wrong answers. */
function read(task: LearningTask, model: Predictor, content: string, file?: string): AsyncIterable<unknown> {
  return task.predicting.inputs(model, linesOf(content, file), { answers: "judged", mayBeEmpty: true, asked: {} });
}

function nothingKnown({ learning }: LearningTask, format: TestFormat, file?: string): InputError {
  if (format === "pairs") {
    return new InputError(`holds no ${learning.example}s`, { file, hint: "a pair is an input, a tab and an output" });
  }
  const hint = "the label is in the last column";
  return new InputError(`holds no ${learning.example}s with known labels`, { file, hint });
}

/** An input of a test in pictures. */
interface PicturesTest {
  truth: string;
  /** As hexadecimal pixels. */
  pictures: string[];
}

function sequencesOf(tests: readonly PicturesTest[], name: ScriptName, model: string): TaggingSequence[] {
  const { pixels } = inputNoteOf(modelOf(model, "tagger"));
  const script = scripts[name];
  const attributesOf = (text: string): string[] => script.attributes(pictureOf(script, text), pixels);
  return tests.map(({ truth, pictures }) => ({ attributes: pictures.map(attributesOf), labels: [...truth] }));
}

/** A date or word is written without spaces, and its pictures say more than a name. */
function withPictures(shown: Judged, { pictures }: PicturesTest, script: ScriptName): Judged {
  const [output, truth] = [shown.output.replaceAll(" ", ""), shown.truth.replaceAll(" ", "")];
  return { ...shown, input: "", output, truth, pictures: { script, texts: pictures } };
}
