/** A process answers what it was asked, once: whatever comes behind an answer ends it. */

import assert from "node:assert/strict";
import { runIn, sandboxRig, shown } from "../support/sandbox.ts";
import { until } from "../support/until.ts";

const SLOW = { timeoutMs: 30_000 } as const;

/** JavaScript that runs `late` as soon as the end of the command that it is in has been written. */
const afterItsEnd = (late: string) =>
  "const { prototype } = WritableStreamDefaultWriter; const { write } = prototype;" +
  "prototype.write = function (bytes) { const written = write.call(this, bytes);" +
  `if (new TextDecoder().decode(bytes).includes('"type":"ended"')) { prototype.write = write; written.then(() => { ${late} }); }` +
  "return written; };";

/** JavaScript that writes one frame: its header as JSON, and an empty pack. */
const frame = (header: string) =>
  `const h = new TextEncoder().encode(${
    JSON.stringify(header)
  }); const b = new Uint8Array([0,0,0,2,123,125]);` +
  "const o = new Uint8Array(8 + h.length + b.length); const v = new DataView(o.buffer);" +
  "v.setUint32(0, h.length); v.setUint32(4, b.length); o.set(h, 8); o.set(b, 8 + h.length); Deno.stdout.writeSync(o);";

const python = (javascript: string) =>
  `python3 -c 'import js; js.eval(${JSON.stringify(javascript).replaceAll("'", "'\\''")})'`;

const headers: Readonly<Record<string, string>> = {
  "an end": '{"type":"ended","request":1}',
  "an end with a number that was not asked": '{"type":"ended","request":999}',
  "a call": '{"type":"call","request":1,"id":0,"name":"fetch"}',
  "printed text": '{"type":"printed","request":1}',
  "a content": '{"type":"content","request":1}',
  "that it is ready": '{"type":"ready"}',
};

for (const [name, header] of Object.entries(headers)) {
  Deno.test(`${name} that comes after its command has ended ends the process`, async () => {
    await using rig = sandboxRig();
    const process = await rig.open();
    const late = python(afterItsEnd(frame(header)));
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
  const late = `setTimeout(() => { ${frame('{"type":"ended","request":1}')} }, 100)`;
  await runIn(process, python(late), SLOW);
  assert.equal(shown(await runIn(process, "sleep 5; echo never")), "killed: failed");
});
