// Models by name: a file of that name comes first, and a name that no model has is a file that is not there.

import { expect, test } from "vitest";
import { readModelBytes } from "../../src/model/file.js";
import { readyModels } from "../../src/model/ready.js";
import { Folder } from "../cli/helpers.js";

test("a name that is none is a file that is not there", async () => {
  await expect(readModelBytes("pronounce-xx")).rejects.toThrow("there is no such file");
});

test("without the explorer's models, a name says how to make them", async () => {
  for (const { name } of readyModels) {
    await expect(readModelBytes(name)).rejects.toMatchObject({ hint: expect.stringContaining("build:web") });
  }
});

test("a file of the same name comes first", async () => {
  const folder = new Folder();
  try {
    folder.write("tag-en", "not a model");
    const { code, error } = await folder.run(["inspect", "tag-en"]);
    expect({ code, error }).toMatchObject({ code: 2, error: expect.stringMatching(/^stargram: tag-en: .*not a/) });
  } finally {
    folder.remove();
  }
});
