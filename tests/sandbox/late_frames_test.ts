/** A process answers what it was asked, once: whatever comes behind an answer ends it. */

import assert from "node:assert/strict";
import { frame, python } from "./forged_frames.ts";
import { runIn, sandboxRig, shown } from "../support/sandbox.ts";
import { until } from "../support/until.ts";

const SLOW = { timeoutMs: 30_000 } as const;

/** JavaScript that runs `late` as soon as the end of the command that it is in has been written. */
const afterItsEnd = (late: string) =>
  "const { prototype } = WritableStreamDefaultWriter; const { write } = prototype;" +
  "prototype.write = function (bytes) { const written = write.call(this, bytes);" +
  `if (new TextDecoder().decode(bytes).includes('"type":"ended"')) { prototype.write = write; written.then(() => { ${late} }); }` +
  "return written; };";

const headers: Readonly<Record<string, object>> = {
  "an end": { type: "ended", request: 1 },
  "an end with a number that was not asked": { type: "ended", request: 999 },
  "a call": { type: "call", request: 1, id: 0, name: "fetch" },
  "printed text": { type: "printed", request: 1 },
  "a content": { type: "content", request: 1 },
  "that it is ready": { type: "ready" },
};

for (const [name, header] of Object.entries(headers)) {
  Deno.test(`${name} that comes after its command has ended ends the process`, async () => {
    await using rig = sandboxRig();
    const process = await rig.open();
    const late = python(afterItsEnd(frame({ header })));
    const outcome = await runIn(process, `touch /tmp/old; ${late}; echo done`, SLOW);
    assert.equal(shown(outcome), "done\n");
    process.release("1");
    // The container has a new process then, without the files of the old one.
    await until(async () => {
      const next = await rig.open({ version: "1" });
      const isNew = shown(await runIn(next, "ls /tmp")) === "";
      next.release(isNew ? undefined : "1");
      return isNew;
    }, { what: "that the process has ended" });
  });
}

Deno.test("an answer of the last command is not taken for that of the next", async () => {
  await using rig = sandboxRig();
  const process = await rig.open();
  const late = `setTimeout(() => { ${frame({ header: { type: "ended", request: 1 } })} }, 100)`;
  await runIn(process, python(late), SLOW);
  assert.equal(shown(await runIn(process, "sleep 5; echo never")), "killed: failed");
});
