import assert from "node:assert/strict";
import { testEndpoint } from "../../tests/support/endpoint.ts";
import { refusalKinds } from "../../shared/errors.ts";
import { exhausted, type FaultInfo, hurtsHealth, mayTryNext } from "./upstream_error.ts";

const endpoint = testEndpoint();
const fault = (kind: FaultInfo["kind"], more: Partial<FaultInfo> = {}): FaultInfo => ({
  endpoint,
  kind,
  status: 500,
  message: `it was ${kind}`,
  endpointSpecific: false,
  ...more,
});

const mixes: readonly (readonly [string, readonly FaultInfo[], number])[] = [
  ["one broken provider", [fault("upstream_failed")], 502],
  ["all overloaded", [fault("overloaded"), fault("overloaded")], 529],
  ["all unavailable", [fault("unavailable"), fault("unavailable")], 503],
  ["all silent", [fault("upstream_timeout"), fault("upstream_timeout")], 524],
  ["overloaded and broken", [fault("overloaded"), fault("upstream_failed")], 502],
  ["a 429 among others", [fault("rate_limited"), fault("upstream_failed")], 429],
  ["the request is at fault", [fault("invalid_request", { status: 400 })], 400],
  ["our credential is refused", [fault("upstream_failed", { status: 401 })], 502],
  ["the model is unknown there", [fault("not_found", { status: 404 })], 404],
];

for (const [name, faults, status] of mixes) {
  Deno.test(`exhausted answers ${status} when ${name}`, () => {
    const refusal = exhausted({ faults });
    assert.equal(refusal.status, status);
    assert.equal(refusal.message, faults.at(-1)?.message);
  });
}

Deno.test("exhausted names the wait when every endpoint rests", () => {
  const refusal = exhausted({ faults: [], coolingFor: 4 });
  assert.equal(refusal.status, 429);
  assert.equal(refusal.details.retryAfter, 4);
});

Deno.test("mayTryNext keeps a fault of the request from going round, unless it is the endpoint's own limit", () => {
  assert.equal(mayTryNext(fault("invalid_request")), false);
  assert.equal(mayTryNext(fault("context_length", { endpointSpecific: true })), true);
  assert.equal(mayTryNext(fault("overloaded")), true);
});

Deno.test("mayTryNext and hurtsHealth do what the table of kinds says, but a refused credential is ours", () => {
  for (const [kind, row] of Object.entries(refusalKinds)) {
    const info = fault(toKind(kind));
    assert.equal(mayTryNext(info), row.fallback === "next", kind);
    assert.equal(mayTryNext({ ...info, endpointSpecific: true }), true, kind);
    assert.equal(hurtsHealth(info), row.hurtsHealth, kind);
    assert.equal(mayTryNext({ ...info, status: 401 }), true, kind);
    const hurts = row.hurtsHealth || row.fallback === "unless_request";
    assert.equal(hurtsHealth({ ...info, status: 403 }), hurts, kind);
  }
});

function toKind(name: string): FaultInfo["kind"] {
  return name as FaultInfo["kind"];
}

Deno.test("hurtsHealth spares an endpoint that only refused a bad request", () => {
  assert.equal(hurtsHealth(fault("invalid_request")), false);
  assert.equal(hurtsHealth(fault("not_found")), false);
  assert.equal(hurtsHealth(fault("upstream_timeout")), true);
});
