import assert from "node:assert/strict";
import { testEndpoint } from "../../tests/support/endpoint.ts";
import { fakeClock } from "../../tests/support/clock.ts";
import { modelRequest } from "../../tests/support/requests.ts";
import { Refusal } from "../../shared/errors.ts";
import { Once } from "../pipeline/once.ts";
import type { Turn } from "../pipeline/turn.ts";
import { outboundOf } from "../protocols/mod.ts";
import { exhausted, Fault, mayTryNext } from "../routing/fault.ts";
import { call, type CallDeps } from "./call.ts";

const limits = { firstByteMs: 1, silenceMs: 1, streamTotalMs: 1, wholeTotalMs: 1, maxAnswerBytes: 1 };

function rig() {
  const deps: CallDeps = {
    clock: fakeClock(),
    transport: () => Promise.reject(new Error("nobody is called")),
    credentials: { headersFor: () => Promise.reject(new Error("nobody is called")), forget: () => {} },
    limits,
    stop: new Once(),
    outbound: outboundOf,
    safetyIdentifier: () => undefined,
  };
  const turn: Turn = {
    request: modelRequest({
      tools: [{ type: "hosted", wire: "responses", kind: "web_search", value: { type: "web_search" } }],
      toolChoice: { type: "hosted", kind: "web_search", value: { type: "web_search" } },
    }),
    caller: { kind: "api", keyHash: "h", workspaceId: "w" },
    ids: { generation: "gen-1", request: "req_1" },
    hangup: new Once(),
    notes: { attempts: [], stages: [], dropped: [], candidates: [], strategy: "direct", upstreamMs: 0 },
    startedAt: 0,
    endpoint: testEndpoint({ provider: { wire: "chat" } }),
  };
  return { deps, turn };
}

Deno.test("call leaves to the next candidate what an endpoint's wire cannot say", async () => {
  const { deps, turn } = rig();
  const faults: Fault[] = [];
  await assert.rejects(call(deps)(turn), (error) => error instanceof Fault && faults.push(error) > 0);
  const [fault] = faults;
  assert.ok(fault !== undefined && mayTryNext(fault.info));
  const refusal = exhausted({ faults: [fault.info] });
  assert.equal(refusal.status, 400);
  assert.ok(refusal === fault.info.cause && refusal instanceof Refusal);
});
