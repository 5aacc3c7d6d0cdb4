import assert from "node:assert/strict";
import { fakeClock } from "../../../tests/support/clock.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import type { FaultInfo } from "../upstream_error.ts";
import { Health } from "./endpoint_health.ts";
import { testEndpoint } from "../../../tests/support/endpoint.ts";

const endpoint: Endpoint = testEndpoint();
const fault = (more: Partial<FaultInfo> = {}): FaultInfo => ({
  endpoint,
  kind: "upstream_failed",
  status: 500,
  message: "broken",
  endpointSpecific: false,
  ...more,
});

function rig() {
  const clock = fakeClock();
  const health = new Health(clock);
  return { clock, health, standing: () => health.standing(endpoint.id) };
}

Deno.test("Health rests an endpoint after three failures in a row, and lets one request probe it", async () => {
  const { clock, health, standing } = rig();
  health.failed(fault());
  health.failed(fault());
  assert.deepEqual(standing(), { type: "well" });
  health.failed(fault());
  assert.deepEqual(standing(), { type: "resting", forSeconds: 5 });
  await clock.advance(5_000);
  assert.deepEqual(standing(), { type: "probe" });
  health.probing(endpoint.id);
  assert.deepEqual(standing(), { type: "resting", forSeconds: 1 });
});

Deno.test("Health doubles the rest after a failed probe, up to a minute", async () => {
  const { clock, health, standing } = rig();
  for (let n = 0; n < 3; n++) health.failed(fault());
  const rests: number[] = [];
  for (let n = 0; n < 6; n++) {
    const now = standing();
    assert.equal(now.type, "resting");
    if (now.type === "resting") rests.push(now.forSeconds);
    await clock.advance(60_000);
    health.probing(endpoint.id);
    health.failed(fault());
  }
  assert.deepEqual(rests, [5, 10, 20, 40, 60, 60]);
});

Deno.test("Health rests an endpoint after five failures within 30 s even with successes between", async () => {
  const { clock, health, standing } = rig();
  for (let n = 0; n < 5; n++) {
    health.failed(fault());
    await clock.advance(1_000);
  }
  assert.equal(standing().type, "resting");
});

Deno.test("Health forgets everything after a success", () => {
  const { health, standing } = rig();
  for (let n = 0; n < 3; n++) health.failed(fault());
  health.succeeded(endpoint.id);
  assert.deepEqual(standing(), { type: "well" });
});

Deno.test("Health honours Retry-After of a 429, at most a minute", () => {
  const { health, standing } = rig();
  health.failed(fault({ kind: "rate_limited", status: 429, retryAfter: 7 }));
  assert.deepEqual(standing(), { type: "resting", forSeconds: 7 });
  health.failed(fault({ kind: "rate_limited", status: 429, retryAfter: 1e9 }));
  assert.deepEqual(standing(), { type: "resting", forSeconds: 60 });
});

Deno.test("Health keeps an endpoint away for good whose credential is refused", async () => {
  const { clock, health, standing } = rig();
  health.failed(fault({ status: 401 }));
  await clock.advance(1e9);
  assert.deepEqual(standing(), { type: "misconfigured" });
});

Deno.test("Health takes a probe back that brought no verdict", async () => {
  const { clock, health, standing } = rig();
  for (let n = 0; n < 3; n++) health.failed(fault());
  await clock.advance(5_000);
  health.probing(endpoint.id);
  health.unproved(endpoint.id);
  assert.deepEqual(standing(), { type: "probe" });
});
