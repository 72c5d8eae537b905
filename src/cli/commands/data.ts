// `stargram data`: the data sets that examples and experiments use.

import type { Command } from "commander";
import { type Dataset, datasets, getDataset } from "../../datasets/registry.js";
import { readyModels } from "../../model/ready.js";
import { counted, table } from "../../util/text.js";
import { examples, groupOf } from "../options.js";
import { write, writeJson } from "../output.js";

export function register(program: Command): void {
  const group = groupOf(program, "data", "list and download data sets");
  group.addHelpText(
    "after",
    examples(
      ["stargram data list", "all data sets with licence and size"],
      ["stargram data get letters", "download a data set and print the paths of its files"],
    ),
  );
  group
    .command("list")
    .description("List the data sets (name, size, licence, description) and the models that come with the package.")
    .option("--json", "print one JSON object, with addresses and checksums")
    .addHelpText(
      "after",
      examples(["stargram data list", "a table"], ["stargram data list --json", "everything, for programs"]),
    )
    .action(list);
  group
    .command("get")
    .description(
      "Download a data set into the cache, unless it is there, and print the paths of its files. Files of a local mirror are not copied: their own paths are printed, so do not write to them.",
    )
    .argument("<name>", "a name from `stargram data list`")
    .option("--json", "print one JSON object with the paths by file name")
    .addHelpText(
      "after",
      `
A file is used only if its SHA-256 is correct.
  STARGRAM_MIRROR   a folder or URL with <data set>/<file>, instead of the public addresses
  STARGRAM_CACHE    the folder to keep files in (default: stargram in the user's cache folder)`,
    )
    .addHelpText(
      "after",
      examples(
        ["stargram data get letters", "download the handwritten letters"],
        ["STARGRAM_MIRROR=/srv/data stargram data get conll2000", "use a local copy"],
      ),
    )
    .action(get);
}

async function list(flags: { json?: boolean }): Promise<void> {
  if (flags.json) return writeJson({ datasets, models: readyModels });
  const size = (dataset: Dataset) => dataset.files.reduce((sum, file) => sum + file.bytes, 0);
  await write(
    table(
      [
        ["name", "kilobytes", "licence", "description"],
        ...datasets.map((dataset) => [
          dataset.name,
          counted(Math.ceil(size(dataset) / 1000)),
          dataset.licence,
          dataset.description,
        ]),
      ],
      [0, 2, 3],
    ),
  );
  await write("\nModels that come with the package, for any command that takes a model:\n");
  await write(
    table(
      readyModels.map(({ name, description }) => [name, description]),
      [0, 1],
    ),
  );
}

async function get(name: string, flags: { json?: boolean }): Promise<void> {
  const isTerminal = process.stderr.isTTY === true;
  let shown = 0; // ms
  const { dataset, paths } = await getDataset(name, {
    onProgress: ({ file, received, total }) => {
      if (!isTerminal || Date.now() - shown < 100) return;
      shown = Date.now();
      const share = total === undefined ? "" : ` of ${counted(Math.ceil(total / 1000))}`;
      process.stderr.write(`\r${file}: ${counted(Math.ceil(received / 1000))}${share} kB `);
    },
  });
  if (shown > 0) process.stderr.write("\r\x1b[K");
  if (flags.json) return writeJson({ name: dataset.name, licence: dataset.licence, paths });
  await write(
    Object.values(paths)
      .map((path) => `${path}\n`)
      .join(""),
  );
}
