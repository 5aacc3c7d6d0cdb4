import assert from "node:assert/strict";
import { testEndpoint } from "../../tests/support/endpoint.ts";
import { RequestRecord } from "./request_record.ts";

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
  record.openCall({ step: 2, purpose: "tool:image_generation" }).candidates = [endpoint];
  assert.equal(record.lastTurn, second);
  assert.deepEqual(record.dropped, ["seed", "top_k"]);
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
