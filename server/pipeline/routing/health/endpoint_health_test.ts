import assert from "node:assert/strict";
import { memoryClock } from "../../../../tests/support/clock.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import type { UpstreamErrorInfo } from "../upstream_error.ts";
import { EndpointHealth } from "./endpoint_health.ts";
import { testEndpoint } from "../../../../tests/support/endpoint.ts";

const endpoint: Endpoint = testEndpoint();
const fault = (more: Partial<UpstreamErrorInfo> = {}): UpstreamErrorInfo => ({
  endpoint,
  kind: "upstream_failed",
  status: 500,
  message: "broken",
  endpointSpecific: false,
  ...more,
});

function rig() {
  const clock = memoryClock();
  const health = new EndpointHealth(clock);
  return { clock, health, standing: () => health.stateOf(endpoint.id) };
}

Deno.test("EndpointHealth rests an endpoint after three failures in a row, and lets one request probe it", async () => {
  const { clock, health, standing } = rig();
  health.recordFailure(fault());
  health.recordFailure(fault());
  assert.deepEqual(standing(), { type: "well" });
  health.recordFailure(fault());
  assert.deepEqual(standing(), { type: "resting", forSeconds: 5 });
  await clock.advance(5_000);
  assert.deepEqual(standing(), { type: "probe" });
  health.startProbe(endpoint.id);
  assert.deepEqual(standing(), { type: "resting", forSeconds: 1 });
});

Deno.test("EndpointHealth doubles the rest after a failed probe, up to half a minute", async () => {
  const { clock, health, standing } = rig();
  for (let n = 0; n < 3; n++) health.recordFailure(fault());
  const rests: number[] = [];
  for (let n = 0; n < 6; n++) {
    const now = standing();
    assert.equal(now.type, "resting");
    if (now.type === "resting") rests.push(now.forSeconds);
    await clock.advance(60_000);
    health.startProbe(endpoint.id);
    health.recordFailure(fault());
  }
  assert.deepEqual(rests, [5, 10, 20, 30, 30, 30]);
});

Deno.test("EndpointHealth rests an endpoint after five failures within 30 s even with successes between", async () => {
  const { clock, health, standing } = rig();
  for (let n = 0; n < 5; n++) {
    health.recordFailure(fault());
    await clock.advance(1_000);
  }
  assert.equal(standing().type, "resting");
});

Deno.test("EndpointHealth forgets everything after a success", () => {
  const { health, standing } = rig();
  for (let n = 0; n < 3; n++) health.recordFailure(fault());
  health.recordSuccess(endpoint);
  assert.deepEqual(standing(), { type: "well" });
});

Deno.test("EndpointHealth honours Retry-After of a 429, at most a minute", () => {
  const { health, standing } = rig();
  health.recordFailure(fault({ kind: "rate_limited", status: 429, retryAfter: 7 }));
  assert.deepEqual(standing(), { type: "resting", forSeconds: 7 });
  health.recordFailure(fault({ kind: "rate_limited", status: 429, retryAfter: 1e9 }));
  assert.deepEqual(standing(), { type: "resting", forSeconds: 60 });
});

Deno.test("EndpointHealth lets one request a minute ask whether a refused key is taken again", async () => {
  const { clock, health, standing } = rig();
  const refused = { type: "misconfigured", refusal: { account: "credentials", status: 401 } } as const;
  for (let n = 0; n < 3; n++) {
    health.recordFailure(fault({ status: 401 }));
    assert.deepEqual(standing(), { ...refused, forSeconds: 60 });
    await clock.advance(59_000);
    assert.deepEqual(standing(), { ...refused, forSeconds: 1 });
    await clock.advance(1_000);
    assert.deepEqual(standing(), { type: "probe" });
    health.startProbe(endpoint.id);
    assert.deepEqual(standing(), { ...refused, forSeconds: 1 });
  }
  health.recordSuccess(endpoint);
  assert.deepEqual(standing(), { type: "well" });
});

Deno.test("EndpointHealth forgets a refusal after a failure of another kind", () => {
  const { health, standing } = rig();
  health.recordFailure(fault({ status: 401 }));
  health.recordFailure(fault());
  assert.deepEqual([standing().type, health.refusalOf(endpoint.id)], ["resting", undefined]);
});

Deno.test("EndpointHealth names providers whose last call was a refusal of the gateway's own key", () => {
  const { health } = rig();
  health.recordFailure(fault({ status: 403, endpoint: { ...endpoint, byok: true } }));
  assert.deepEqual(health.refusingProviders, []);
  health.recordFailure(fault({ status: 402 }));
  const { name } = endpoint.provider;
  assert.deepEqual(health.refusingProviders, [{ name, account: "funds", status: 402 }]);
  health.recordSuccess({ ...endpoint, id: "workspace", byok: true });
  assert.equal(health.refusingProviders.length, 1);
  health.recordSuccess({ ...endpoint, id: "other" });
  assert.deepEqual(health.refusingProviders, []);
});

Deno.test("EndpointHealth takes a probe back that brought no verdict", async () => {
  const { clock, health, standing } = rig();
  for (let n = 0; n < 3; n++) health.recordFailure(fault());
  await clock.advance(5_000);
  health.startProbe(endpoint.id);
  health.cancelProbe(endpoint.id);
  assert.deepEqual(standing(), { type: "probe" });
});
