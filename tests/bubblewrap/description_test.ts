/** Models are told of the shell that they get, and of no other. */

import assert from "node:assert/strict";
import { missingCommands } from "../../server/pipeline/tools/containers/container_commands.ts";
import { bash } from "../../server/pipeline/tools/containers/bash.ts";
import { codeInterpreter } from "../../server/pipeline/tools/containers/code_interpreter.ts";
import { shell } from "../../server/pipeline/tools/containers/shell.ts";
import type { Containers } from "../../server/sandbox/containers/containers.ts";
import { hasBubblewrap } from "../support/bubblewrap.ts";
import { sandboxRig } from "../support/sandbox.ts";

const unexpected = () => Promise.reject(new Error("nothing is run here"));
const containersWith = (programs: readonly string[] | undefined): Containers => ({
  unavailableReason: undefined,
  ready: Promise.resolve(),
  programs,
  open: unexpected,
  verify: unexpected,
});

const absent = missingCommands.map(({ instead }) => `(instead: ${instead})`);

for (const [name, describe] of Object.entries({ bash: bash.describe, shell: shell.describe })) {
  Deno.test(`the description of ${name} names what commands find`, () => {
    const settings = { engine: "container" };
    const virtual = describe(settings, { containers: containersWith(undefined) }).description ?? "";
    for (const words of absent) assert(virtual.includes(words), words);
    const linux = describe(settings, { containers: containersWith(["git", "sqlite3"]) }).description ?? "";
    assert.match(linux, /bash on Linux with the usual commands, and git, sqlite3\./);
    for (const words of absent) assert(!linux.includes(words), words);
  });
}

Deno.test("the description of code_interpreter names the Python that runs", () => {
  const describe = (programs: readonly string[] | undefined) =>
    codeInterpreter.describe({}, { containers: containersWith(programs) }).description;
  assert.match(describe(undefined) ?? "", /numpy, pandas and matplotlib, no pip, no threads/);
  assert.match(describe([]) ?? "", /the python3 of a Linux system/);
});

if (hasBubblewrap()) {
  Deno.test("a sandbox that was tried knows the programs of its system", async () => {
    await using rig = sandboxRig({ engine: "bubblewrap" });
    const process = await rig.open();
    assert(rig.sandbox.programs?.includes("awk"), rig.sandbox.programs?.join());
    assert.equal(rig.sandbox.programs?.includes("no-such-program"), false);
    process.release(undefined);
  });
}
