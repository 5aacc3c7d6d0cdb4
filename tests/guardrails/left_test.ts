/** Long readings that nobody waits for any more, or that take too long. */

import assert from "node:assert/strict";
import { ApiError } from "../../shared/errors.ts";
import { parseModelRequest } from "../../server/app/compose/guardrails.ts";
import { pause } from "../../shared/util/pause.ts";
import { compileContentFilters } from "../../server/pipeline/guardrails/content_filters.ts";
import { OneShotSignal } from "../../server/one_shot_signal.ts";
import { RequestRecord } from "../../server/pipeline/request_record.ts";
import { findGuardrail } from "../../server/management/guardrails/guardrail_rows.ts";
import { testGuardrail } from "../../server/management/guardrails/test_guardrail.ts";
import { CallerGuards } from "../../server/pipeline/stages/guardrails/request_guards.ts";
import { adminRig } from "../support/admin.ts";

const MOST_TURNS = 10_000;

/** A reading of a long text by a clock that moves on by some milliseconds with each look at it. */
async function reading({ ms, leaveAt }: { readonly ms: number; readonly leaveAt?: number }) {
  const contentFilters = compileContentFilters([{
    id: "11111111-1111-4111-8111-111111111111",
    scope: "workspace",
    content_filters: [{ pattern: "a", action: "redact" }],
    content_filter_builtins: null,
  }]);
  const clientDisconnect = new OneShotSignal();
  let [now, turns] = [0, 0];
  const pause = () => {
    if (++turns === leaveAt) clientDisconnect.fire();
    assert.ok(turns < MOST_TURNS);
    return Promise.resolve();
  };
  const request = parseModelRequest("chat", { messages: [{ role: "user", content: "a".repeat(200_000) }] });
  const guards = new CallerGuards({
    clock: { monotonic: () => now += ms },
    log: { error: () => {} },
    pause,
    rulesOf: () => ({ contentFilters, byokKeys: [] }),
  }, {
    caller: { kind: "api", keyHash: "0".repeat(64), workspaceId: "w" },
    record: new RequestRecord(),
    request,
    clientDisconnect,
  });
  const guard = await guards.current();
  assert.ok(guard);
  const failure = await Promise.resolve(guard.readRequest(request)).then(() => undefined, (error) => error);
  return { failure, turns };
}

Deno.test("a reading ends with the turn in which its client leaves", async () => {
  const whole = await reading({ ms: 1 });
  assert.equal(whole.failure, undefined);
  assert.ok(whole.turns > 100, `${whole.turns} turns`);
  const { failure, turns } = await reading({ ms: 1, leaveAt: 7 });
  assert.ok(failure instanceof ApiError);
  assert.equal(failure.kind, "timeout");
  assert.equal(turns, 7);
});

Deno.test("a reading of more than 30 seconds blocks the request", async () => {
  const { failure } = await reading({ ms: 100 });
  assert.ok(failure instanceof ApiError);
  assert.equal(failure.kind, "blocked");
  assert.match(failure.message, /could not be judged/);
});

Deno.test("a guardrail's test that takes more than 30 seconds says so", async () => {
  const { call, deps, store } = await adminRig();
  const { data: { id } } = await call("guardrails.create", {
    body: { name: "Slow", content_filters: [{ pattern: "a", action: "redact" }] },
  });
  const { record: row } = await findGuardrail(store, id);
  let now = 0;
  const clock = { ...deps.runtime.clock, monotonic: () => now += 100 };
  const tested = testGuardrail(
    { runtime: { ...deps.runtime, clock }, parseModelRequest, pause },
    { row, body: { text: "a".repeat(200_000) } },
  );
  await assert.rejects(tested, (error) => {
    assert.ok(error instanceof ApiError);
    assert.equal(error.kind, "unprocessable");
    assert.match(error.message, /longer than 30 s/);
    return true;
  });
});
