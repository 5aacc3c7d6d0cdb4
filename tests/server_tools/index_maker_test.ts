/** Which failures to read a file are kept as its index. */

import assert from "node:assert/strict";
import { IndexMaker } from "../../server/pipeline/tools/file_search/index_maker.ts";
import { isPassing, type ReadFailure } from "../../server/web/reader/reader.ts";
import { linesLogger } from "../support/reader.ts";

/** The file is at fault, so that no other search tries it again. */
const isFault: Readonly<Record<ReadFailure, boolean>> = {
  unsupported_type: true,
  broken: true,
  encrypted: true,
  unpacks_too_large: true,
  old_office: true,
  rich_text: true,
  time_limit: true,
  memory_limit: true,
  too_large: true,
  overdue: false,
  busy: false,
  unavailable: false,
};

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
  for (const [reason, expected] of Object.entries(isFault)) {
    let [kept, reads] = [0, 0];
    const maker = new IndexMaker({
      files: {
        open: () => Promise.resolve(new Blob(["x"]).stream()),
        keepIndex: () => Promise.resolve(void kept++),
      },
      read: () => {
        reads++;
        return Promise.resolve({ type: "failed", reason: toFailure(reason), message: "It failed." });
      },
      index: () => Promise.resolve(undefined),
      log: linesLogger([]),
    });
    const made = [await maker.make(file), await maker.make(file)];
    assert.deepEqual(
      [made[0]?.lack, kept > 0, reads],
      [expected ? "It failed." : undefined, expected, 2],
      reason,
    );
    assert.equal(isPassing(toFailure(reason)), !expected, reason);
  }
});

const toFailure = (name: string) => name as ReadFailure;
