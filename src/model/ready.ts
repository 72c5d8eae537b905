// Models that come with the package, by name: a command that is given `pronounce-en` where there is no such file takes the one of that
// name. They are the models of the explorer, small because a page loads them.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { InputError } from "../util/errors.js";

export interface ReadyModel {
  name: string;
  description: string;
  /** In the folder of the explorer's models, packed with gzip. */
  file: string;
}

export const readyModels: readonly ReadyModel[] = [
  { name: "pronounce-en", description: "English pronunciation, 8,000 words of the CMU dictionary", file: "cmudict" },
  { name: "tag-en", description: "English parts of speech, documents of the Brown corpus", file: "brown" },
  {
    name: "letters-en",
    description: "English letters, for `decipher --language`, novels of Project Gutenberg",
    file: "letters-spaced",
  },
];

/** Beside the compiled library, and beside the bundled command just as well. */
const folder = new URL("../web/models/", import.meta.url);

/** The file of the model that comes with the package under this name, if one does. */
export function readyModelFile(name: string): string | undefined {
  const ready = readyModels.find((model) => model.name === name);
  if (!ready) return undefined;
  const path = fileURLToPath(new URL(`${ready.file}.sg.gz`, folder));
  if (existsSync(path)) return path;
  throw new InputError(`the model ${name} has not been built`, { hint: "in a clone, run `npm run build:web` first" });
}
