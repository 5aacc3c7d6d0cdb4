/** A call of the code interpreter that runs out of time is incomplete, and shows what it printed. */

import assert from "node:assert/strict";
import type { Container, RunResult } from "../../../sandbox/containers/containers.ts";
import { codeInterpreter } from "./code_interpreter.ts";
import type { ToolInput } from "../tool_definition.ts";

const result = (status: RunResult["results"][number]["status"]): RunResult => ({
  results: [{ command: "print(1)", stdout: "1\n", stderr: "", status }],
  files: [],
  notes: [],
  seconds: 1,
});

/** Casts the part of an input that the tool reads. */
function asToolInput(input: object): ToolInput {
  return input as ToolInput;
}

function inputFor(ran: RunResult): ToolInput {
  const container: Pick<Container, "id" | "run"> = { id: "sess_1", run: () => Promise.resolve(ran) };
  return asToolInput({
    args: { code: "print(1)" },
    settings: {},
    session: {},
    include: ["code_interpreter_call.outputs"],
    signal: new AbortController().signal,
    countCommands: () => {},
    deps: { containers: { open: () => Promise.resolve(container) } },
  });
}

const cases = {
  timeout: [{ type: "timeout" }, { incomplete: true, failed: undefined }],
  exit: [{ type: "exit", exitCode: 1 }, { incomplete: undefined, failed: undefined }],
  failed: [{ type: "failed", reason: "No process." }, { incomplete: undefined, failed: true }],
} as const;

for (const [name, [status, expected]] of Object.entries(cases)) {
  Deno.test(`code_interpreter tells a run that ended by ${name} apart from others`, async () => {
    const outcome = await codeInterpreter.run?.(inputFor(result(status)));
    assert.deepEqual({ incomplete: outcome?.incomplete, failed: outcome?.failed }, expected);
    assert.deepEqual(outcome?.fields.outputs, [{ type: "logs", logs: "1\n" }]);
  });
}
