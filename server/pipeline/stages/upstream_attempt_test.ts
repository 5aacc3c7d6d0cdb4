import assert from "node:assert/strict";
import { memoryClock, type SteppedClock } from "../../../tests/support/clock.ts";
import { testEndpoint } from "../../../tests/support/endpoint.ts";
import { modelRequest } from "../../../tests/support/requests.ts";
import { OneShotSignal } from "../../one_shot_signal.ts";
import type { RequestContext } from "../request_context.ts";
import { RequestRecord } from "../request_record.ts";
import {
  KeptConnectionEnded,
  TransportError,
  type UpstreamRequest,
  type UpstreamResponse,
} from "../../providers/upstream/transport.ts";
import { recordAttempt, sendRequest, startAttempt } from "./upstream_attempt.ts";

const limits = {
  firstByteMs: 60_000,
  ownFirstByteMs: 300_000,
  idleMs: 120_000,
  streamMs: 3_600_000,
  wholeResponseMs: 600_000,
  maxResponseBytes: 1_000,
  attempts: 4,
};

const answered: UpstreamResponse = {
  status: 200,
  header: () => null,
  text: () => Promise.resolve(""),
  read: () => Promise.resolve(undefined),
  discard: () => {},
};

const rendered = { path: "/x", text: "{}" };
const fields = { latencyMs: 1_000, code: "connection_reset" };

/** An attempt whose transport does what it is told, each call a second after it was made. */
function rig(ends: readonly (Error | undefined)[]) {
  const clock: SteppedClock = memoryClock();
  const calls: UpstreamRequest[] = [];
  const transport = async (call: UpstreamRequest) => {
    const error = ends[calls.length];
    calls.push(call);
    await clock.advance(1_000);
    if (error !== undefined) throw error;
    return answered;
  };
  const credentials = { headersFor: () => Promise.resolve({}), forget: () => {} };
  const record = new RequestRecord();
  const context: RequestContext = {
    request: modelRequest({ input: [] }),
    caller: { kind: "api", keyHash: "h", workspaceId: "w" },
    ids: { generation: "gen-1", request: "req_1" },
    clientDisconnect: new OneShotSignal(),
    record,
    call: record.first,
    startedAt: 0,
  };
  const deps = { clock, transport, credentials, limits, stop: new OneShotSignal() };
  return { attempt: startAttempt(deps, { context, endpoint: testEndpoint() }), calls };
}

const kept = () => new KeptConnectionEnded(new Error("closed"));
const reset = () => new TransportError("connection_reset", "closed");

Deno.test("send sends once more over a new connection where a kept one has ended", async () => {
  const { attempt, calls } = rig([kept(), undefined]);
  const response = await sendRequest(attempt, { providerRequest: rendered });
  recordAttempt(attempt, { status: response.status });
  assert.deepEqual(calls.map(({ fresh }) => fresh), [undefined, true]);
  const { endpoint, context: { record } } = attempt;
  assert.deepEqual(record.attempts, [
    { endpoint, status: 0, sentAt: 0, ...fields },
    { endpoint, status: 200, code: undefined, sentAt: 1_000, latencyMs: 1_000 },
  ]);
  assert.equal(record.upstreamMs, 2_000);
  attempt.call.end();
});

Deno.test("send repeats nothing for any other failure, and nothing twice", async () => {
  const other = rig([reset()]);
  await assert.rejects(sendRequest(other.attempt, { providerRequest: rendered }), {
    kind: "connection_reset",
  });
  assert.equal(other.calls.length, 1);
  const twice = rig([kept(), reset()]);
  await assert.rejects(sendRequest(twice.attempt, { providerRequest: rendered }), { message: "closed" });
  assert.equal(twice.calls.length, 2);
  for (const { attempt } of [other, twice]) attempt.call.end();
});

Deno.test("send makes no more attempts than a request may have, save for a further call of one", async () => {
  const full = rig([kept(), undefined]);
  for (let i = 0; i < 3; i++) recordAttempt(full.attempt, { status: 500 });
  await assert.rejects(sendRequest(full.attempt, { providerRequest: rendered }), KeptConnectionEnded);
  assert.equal(full.calls.length, 1);
  const further = rig([kept(), undefined]);
  for (let i = 0; i < 3; i++) recordAttempt(further.attempt, { status: 200 });
  await sendRequest(further.attempt, { providerRequest: rendered, further: true });
  const statuses = further.attempt.context.record.attempts.map(({ status }) => status);
  assert.deepEqual(statuses, [200, 200, 200, 0, 200], "both sends are attempts");
  for (const { attempt } of [full, further]) attempt.call.end();
});
