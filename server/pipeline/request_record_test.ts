import assert from "node:assert/strict";
import { testEndpoint } from "../../tests/support/endpoint.ts";
import { type CallRecord, RequestRecord } from "./request_record.ts";

const endpoint = testEndpoint();
const attempt = (sentAt: number, latencyMs: number) => ({ endpoint, status: 200, sentAt, latencyMs });

Deno.test("RequestRecord adds up waits, those at the same time once", () => {
  const record = new RequestRecord();
  record.first.attempts.push(attempt(0, 100));
  const calls = [1, 2, 3].map(() => record.openCall({ step: 1, purpose: "tool:image_generation" }));
  calls[0]?.attempts.push(attempt(200, 300));
  calls[1]?.attempts.push(attempt(250, 50));
  calls[2]?.attempts.push(attempt(400, 200));
  assert.equal(record.upstreamMs, 100 + 400);
});

Deno.test("RequestRecord tells of the turn that the model answered last, and names what was dropped once", () => {
  const record = new RequestRecord();
  record.first.candidates = [endpoint];
  record.first.dropped.push("seed", "top_k");
  const second = record.openCall({ step: 2, purpose: "model" });
  assert.equal(record.lastTurn, record.first, "the second has no plan yet");
  second.candidates = [endpoint, endpoint];
  second.dropped.push("seed");
  const nested = record.openCall({ step: 2, purpose: "fusion:analysis" });
  nested.candidates = [endpoint];
  nested.dropped.push("temperature");
  nested.loweredMaxTokens = 10;
  assert.equal(record.lastTurn, second);
  assert.deepEqual(record.dropped, ["seed", "top_k", "fusion:analysis: temperature"]);
  assert.equal(record.loweredMaxTokens, undefined);
  second.loweredMaxTokens = 20;
  assert.equal(record.loweredMaxTokens, 20);
});

Deno.test("RequestRecord.abort ends every call that is under way, and keeps the reason", () => {
  const record = new RequestRecord();
  const ended: number[] = [];
  record.first.abort = () => ended.push(1);
  record.openCall({ step: 1, purpose: "tool:datetime" }).abort = () => ended.push(2);
  const failure = { kind: "forbidden", message: "The key was disabled." } as const;
  record.abort(failure);
  assert.deepEqual(ended, [1, 2]);
  assert.equal(record.abortReason, failure);
});

Deno.test("RequestRecord waits for every call that is being settled", async () => {
  const record = new RequestRecord();
  assert.equal(record.settling, undefined);
  const settled: number[] = [];
  record.first.settling = Promise.resolve().then(() => void settled.push(1));
  record.openCall({ step: 2, purpose: "model" }).settling = Promise.resolve().then(() =>
    void settled.push(2)
  );
  await record.settling;
  assert.deepEqual(settled, [1, 2]);
});

Deno.test("RequestRecord waits for work until it has ended, and forgets it then", async () => {
  const record = new RequestRecord();
  const { promise, reject } = Promise.withResolvers<never>();
  record.holdReceipt(promise);
  record.holdReceipt(Promise.resolve({ body: "large" }));
  assert.ok(record.settling instanceof Promise);
  reject(new Error("It came to nothing."));
  assert.doesNotMatch(JSON.stringify(await record.settling), /large/);
  assert.equal(record.settling, undefined);
});

Deno.test("CallRecord.finish keeps what the receipt tells and nothing else", () => {
  const record = new RequestRecord();
  const aborted: number[] = [];
  const call = record.openCall({ step: 1, purpose: "tool:image_generation" });
  call.abort = () => aborted.push(1);
  call.skipped = [];
  call.routingParams = () => ({});
  call.finish({ status: "completed", at: 5 });
  record.abort({ kind: "forbidden", message: "The key was disabled." });
  assert.deepEqual(aborted, [], "it is over");
  assert.deepEqual([call.end?.status, call.end?.at], ["completed", 5]);
  assert.deepEqual([call.skipped, call.routingParams], [undefined, undefined]);
});

Deno.test("RequestRecord keeps the plan of the latest turn, and what the first one's routing looked at", () => {
  const record = new RequestRecord();
  const plan = (call: CallRecord, name: string) => {
    call.candidates = [endpoint];
    call.skipped = [];
    call.routingParams = () => ({ name });
  };
  const input = { tokens: 1 };
  plan(record.first, "first");
  record.first.routeInput = () => input;
  const turns = [2, 3, 4].map((step) => {
    const call = record.openCall({ step, purpose: "model" });
    plan(call, `turn ${step}`);
    return call;
  });
  const unplanned = record.openCall({ step: 5, purpose: "model" });
  assert.equal(record.first.routeInput(), input);
  assert.deepEqual(record.lastTurn.routingParams?.(), { name: "turn 4" });
  assert.deepEqual([record.first, ...turns.slice(0, 2)].map(({ routingParams }) => routingParams), [
    undefined,
    undefined,
    undefined,
  ]);
  assert.equal(unplanned.routingParams, undefined);
});
