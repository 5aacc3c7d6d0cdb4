/** The part of a request or an error that is read in one go stays small, whatever its sender makes large. */

import assert from "node:assert/strict";
import { parseModelRequest } from "../../server/app/compose/guardrails.ts";
import { compileContentFilters } from "../../server/pipeline/guardrails/content_filters.ts";
import type { FilterAction } from "../../server/pipeline/guardrails/filter_strength.ts";
import { OneShotSignal } from "../../server/one_shot_signal.ts";
import { RequestRecord } from "../../server/pipeline/request_record.ts";
import { CallerGuards } from "../../server/pipeline/stages/guardrails/request_guards.ts";

interface GuardInput {
  readonly body: unknown;
  readonly patterns?: readonly string[];
  readonly action?: FilterAction;
}

/** A guard by a clock that finds a fifth of a millisecond gone with each look at it. */
async function guardOf({ body, patterns = ["zz\\d"], action = "redact" }: GuardInput) {
  const contentFilters = compileContentFilters([{
    id: "11111111-1111-4111-8111-111111111111",
    scope: "workspace",
    content_filters: patterns.map((pattern) => ({ pattern, action })),
    content_filter_builtins: null,
  }]);
  const request = parseModelRequest("chat", body);
  let [looks, pauses] = [0, 0];
  const guards = new CallerGuards({
    clock: { monotonic: () => ++looks / 5 },
    log: { error: () => {} },
    pause: () => Promise.resolve(void pauses++),
    rulesOf: () => ({ contentFilters, byokKeys: [] }),
  }, {
    caller: { kind: "api", keyHash: "0".repeat(64), workspaceId: "w" },
    record: new RequestRecord(),
    request,
    clientDisconnect: new OneShotSignal(),
  });
  const guard = await guards.current();
  assert.ok(guard);
  return { guard, request, counts: () => ({ looks, pauses }) };
}

const MANY = 20_000;
const messages = Array.from({ length: MANY }, (_, at) => ({
  role: at % 2 === 0 ? "user" : "assistant",
  content: `What is ${at} and twenty?`,
}));

for (const action of ["redact", "mask"] as const) {
  Deno.test(`many short messages are read with pauses, to ${action} what is found`, async () => {
    const { guard, request, counts } = await guardOf({ body: { messages }, action });
    const read = await guard.readRequest(request);
    const first = counts();
    // A turn ends with the 26th look at the clock, and there is one for every 64 short messages.
    assert.ok(first.pauses >= MANY / 64 / 26 - 1, `${first.pauses} pauses`);
    await guard.readCall(read);
    const { looks } = counts();
    assert.ok(looks - first.looks >= MANY / 1_024 - 1, "what was read before is looked at with pauses too");
  });
}

Deno.test("the words of an error are withheld where judging them takes long, and only there", async () => {
  const body = { messages: [{ role: "user", content: "Hi" }] };
  const long = "abcdefgh".repeat(1_000);
  const costly = Array.from({ length: 20 }, (_, at) => `[a-z]{1,900}\\d${at}`);
  const words = Array.from({ length: 200 }, (_, at) => `word${at}`);
  const slow = await guardOf({ body, patterns: costly });
  assert.match(slow.guard.readErrorText(long), /withheld by a guardrail/);
  assert.equal(slow.guard.readErrorText("The model is overloaded."), "The model is overloaded.");
  const quick = await guardOf({ body, patterns: words });
  assert.equal(quick.guard.readErrorText(long), long);
  assert.match(quick.guard.readErrorText("It says word7 here."), /^It says \[\w+\] here\.$/);
});
