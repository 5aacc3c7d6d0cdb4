/** Sessions in a sandbox give way to the gateway where Linux shares the processor among sessions. */

import assert from "node:assert/strict";
import { hasBubblewrap } from "../support/bubblewrap.ts";
import { runIn, sandboxRig } from "../support/sandbox.ts";

/** Waits for it as long as the command may run. */
const WAITS = "until grep -q 'nice 10$' /proc/self/autogroup; do :; done; echo gives way";

const sessions: Readonly<Record<string, { readonly language: "bash" | "python"; readonly code: string }>> = {
  "a command": { language: "bash", code: WAITS },
  "a session of its own": { language: "bash", code: `setsid -w bash -c "${WAITS}"` },
  "a session that takes its niceness back": {
    language: "bash",
    code: `setsid -w bash -c "${WAITS} > /dev/null; sleep 0.2; echo 0 > /proc/self/autogroup; ${WAITS}"`,
  },
  "a call of code_interpreter": {
    language: "python",
    code: "while 'nice 10' not in open('/proc/self/autogroup').read(): pass\nprint('gives way')",
  },
};

/** A kernel may have been built without it, or with it switched off. */
const sharesBySession = (): boolean => {
  const { stdout } = new Deno.Command("cat", { args: ["/proc/self/autogroup"], stderr: "null" }).outputSync();
  return stdout.length > 0;
};

if (hasBubblewrap() && sharesBySession()) {
  for (const [name, { language, code }] of Object.entries(sessions)) {
    Deno.test(`${name} gives way to the gateway`, async () => {
      await using rig = sandboxRig({ engine: "bubblewrap" });
      const process = await rig.open();
      for (const container of ["new", "used"]) {
        const outcome = await runIn(process, code, { language, timeoutMs: 30_000 });
        assert.deepEqual([outcome.type, outcome.stdout], ["ended", "gives way\n"], container);
      }
    });
  }
}
