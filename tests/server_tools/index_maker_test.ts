/** Which failures to read a file are kept as its index. */

import assert from "node:assert/strict";
import { IndexMaker } from "../../server/pipeline/tools/file_search/index_maker.ts";
import { linesLogger } from "../support/reader.ts";

const file = {
  workspaceId: "w",
  id: "tg_file_0",
  filename: "0.pdf",
  mimeType: "application/pdf",
  size: 10,
  createdAt: 0,
  origin: "upload",
  purpose: null,
} as const;

Deno.test("a file has an index for good only where it is at fault itself that it cannot be read", async () => {
  for (const isPassing of [true, false]) {
    let [kept, reads] = [0, 0];
    const maker = new IndexMaker({
      files: {
        open: () => Promise.resolve(new Blob(["x"]).stream()),
        keepIndex: () => Promise.resolve(void kept++),
      },
      read: () => {
        reads++;
        return Promise.resolve({ type: "failed", reason: "overdue", message: "It failed.", isPassing });
      },
      index: () => Promise.resolve(undefined),
      log: linesLogger([]),
    });
    const made = [await maker.make(file), await maker.make(file)];
    assert.deepEqual(made.map((one) => one?.lack), Array(2).fill(isPassing ? undefined : "It failed."));
    assert.deepEqual([kept, reads], [isPassing ? 0 : 2, 2]);
  }
});
