/** Numbers in the shell of a container are as docs/containers.md says. */

import assert from "node:assert/strict";
import { runIn, sandboxRig, shown } from "../support/sandbox.ts";

const outputs: Readonly<Record<string, string>> = {
  // Whole numbers of 53 bits, and signs of bits of 32.
  "echo $((9007199254740991)) $((9007199254740993))": "9007199254740991 9007199254740991\n",
  "echo $((1 << 31)) $((4294967295 & 4294967295)) $((~0))": "-2147483648 -1 -1\n",
  // At most 10,000 words of braces; what is beyond is left out.
  "set -- {1..10002}; echo $# ${10000}": "10000 10000\n",
};

Deno.test("the shell of a container counts in 53 bits, and makes 10,000 words of braces at most", async () => {
  await using rig = sandboxRig();
  const process = await rig.open();
  for (const [code, output] of Object.entries(outputs)) {
    assert.equal(shown(await runIn(process, code, { timeoutMs: 30_000 })), output, code);
  }
});
