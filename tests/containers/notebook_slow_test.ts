/** The interpreter of a container lasts from call to call, and says when it does not. */

import assert from "node:assert/strict";
import { hasBubblewrap } from "../support/bubblewrap.ts";
import { containerRig, interpret, logsOf } from "../support/containers.ts";

if (hasBubblewrap()) {
  Deno.test("a new interpreter is told of to the model and to the client", async () => {
    await using rig = await containerRig({ env: { TOLLGATE_SANDBOX: "bubblewrap" } });
    assert.equal(logsOf((await interpret(rig, "x = 1; x")).item), "1\n");
    assert.equal(logsOf((await interpret(rig, "x + 1")).item), "2\n");
    await interpret(rig, "import os; os._exit(1)");
    const { item, read } = await interpret(rig, "'x' in globals()");
    assert.match(logsOf(item), /^False\nThe interpreter was restarted: variables of earlier calls are gone/);
    assert.match(read, /The interpreter was restarted/);
    assert.equal(logsOf((await interpret(rig, "1")).item), "1\n");
  });
}
