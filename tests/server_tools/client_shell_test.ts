/** A shell of the client's own (`environment: {type: "local"}`): its commands are the client's to run, on every wire. */

import assert from "node:assert/strict";
import type { Json } from "../support/event_stream.ts";
import { calls, outputOf, says, send, type ToolRig, upstreamWires, withTools } from "./rig.ts";

const shell = { type: "shell", environment: { type: "local" } };
const question = { role: "user", content: "What is in this folder?" };
const output = [{ stdout: "notes.md\n", stderr: "", outcome: { type: "exit", exit_code: 0 } }];

interface Turn {
  readonly wire: (typeof upstreamWires)[number];
  readonly input: readonly Json[];
  readonly stream: boolean;
}

async function ask(rig: ToolRig, { wire, input, stream }: Turn): Promise<readonly Json[]> {
  const sent = await send(rig.gateway, {
    api: "responses",
    body: { model: `mock/${wire}`, input, tools: [shell], stream },
  });
  return outputOf(sent);
}

for (const wire of upstreamWires.filter((one) => one !== "responses")) {
  for (const stream of [false, true]) {
    Deno.test(`a client's shell is its own (${wire}, ${stream ? "streamed" : "whole"})`, async () => {
      await withTools({}, async (rig) => {
        rig.plan(() => [calls("shell", { args: { commands: ["ls"] }, id: "call_1" })]);
        const first = await ask(rig, { wire, input: [question], stream });
        assert.equal(rig.taken(wire).length, 1, "nothing was run here, and the model was asked once");
        const ofTools = first.filter(({ type }) => type !== "reasoning");
        assert.deepEqual(ofTools.map(({ type }) => type), ["shell_call"]);
        const [call] = ofTools;
        assert.deepEqual([call?.call_id, call?.status], ["call_1", "completed"]);
        assert.deepEqual(call?.action, { commands: ["ls"], timeout_ms: null, max_output_length: null });

        rig.plan(() => [says("There are notes.")]);
        const answered = { type: "shell_call_output", call_id: "call_1", output };
        const second = await ask(rig, { wire, input: [question, ...first, answered], stream });
        assert.equal(second.at(-1)?.type, "message");
        assert(
          JSON.stringify(rig.taken(wire).at(-1)).includes("notes.md"),
          "the model reads what was printed",
        );
      });
    });
  }
}
