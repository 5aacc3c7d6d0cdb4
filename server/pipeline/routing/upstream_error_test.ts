import assert from "node:assert/strict";
import { testEndpoint } from "../../../tests/support/endpoint.ts";
import { apiErrorKinds } from "../../../shared/errors.ts";
import {
  allAttemptsFailed,
  countsAgainstHealth,
  isMisconfiguration,
  isRetryable,
  type UpstreamErrorInfo,
} from "./upstream_error.ts";

const endpoint = testEndpoint();
const fault = (
  kind: UpstreamErrorInfo["kind"],
  more: Partial<UpstreamErrorInfo> = {},
): UpstreamErrorInfo => ({
  endpoint,
  kind,
  status: 500,
  message: `it was ${kind}`,
  endpointSpecific: false,
  ...more,
});

const mixes: readonly (readonly [string, readonly UpstreamErrorInfo[], number])[] = [
  ["one broken provider", [fault("upstream_failed")], 502],
  ["all overloaded", [fault("overloaded"), fault("overloaded")], 529],
  ["all unavailable", [fault("unavailable"), fault("unavailable")], 503],
  ["all silent", [fault("upstream_timeout"), fault("upstream_timeout")], 524],
  ["overloaded and broken", [fault("overloaded"), fault("upstream_failed")], 502],
  ["a 429 among others", [fault("rate_limited"), fault("upstream_failed")], 429],
  ["the request is at fault", [fault("invalid_request", { status: 400 })], 400],
  ["the model is unknown there", [fault("not_found", { status: 404 })], 404],
];

for (const [name, faults, status] of mixes) {
  Deno.test(`exhausted answers ${status} when ${name}`, () => {
    const error = allAttemptsFailed({ faults });
    assert.equal(error.status, status);
    assert.equal(error.message, faults.at(-1)?.message);
  });
}

Deno.test("exhausted answers 502 in our words when our credential is refused, and says that it lasts", () => {
  const error = allAttemptsFailed({ faults: [fault("upstream_failed", { status: 401 })] });
  assert.equal(error.status, 502);
  assert.match(
    error.message,
    /refuses the gateway's key \(status 401: it is wrong, expired or disabled\)\.$/,
  );
  assert.equal(error.details.isPermanent, true);
});

Deno.test("exhausted names the wait when every endpoint rests", () => {
  const error = allAttemptsFailed({ faults: [], coolingFor: 4 });
  assert.equal(error.status, 429);
  assert.equal(error.details.retryAfter, 4);
});

Deno.test("isRetryable keeps a fault of the request from going round, unless it is the endpoint's own limit", () => {
  assert.equal(isRetryable(fault("invalid_request")), false);
  assert.equal(isRetryable(fault("context_length", { endpointSpecific: true })), true);
  assert.equal(isRetryable(fault("overloaded")), true);
});

Deno.test("isRetryable and hurtsHealth do what the table of kinds says, but a refused credential is ours", () => {
  for (const [kind, row] of Object.entries(apiErrorKinds)) {
    const info = fault(toKind(kind));
    assert.equal(isRetryable(info), row.fallback === "next", kind);
    assert.equal(isRetryable({ ...info, endpointSpecific: true }), true, kind);
    assert.equal(countsAgainstHealth(info), row.hurtsHealth, kind);
    const isRefused = kind !== "content_policy";
    assert.equal(isRetryable({ ...info, status: 401 }), isRefused, kind);
    const hurts = row.hurtsHealth || (isRefused && row.fallback === "unless_request");
    assert.equal(countsAgainstHealth({ ...info, status: 403 }), hurts, kind);
  }
});

function toKind(name: string): UpstreamErrorInfo["kind"] {
  return name as UpstreamErrorInfo["kind"];
}

Deno.test("isMisconfiguration tells a refused credential from refused contents", () => {
  assert.equal(isMisconfiguration(fault("upstream_failed", { status: 403 })), true);
  assert.equal(isMisconfiguration(fault("content_policy", { status: 403 })), false);
});

Deno.test("hurtsHealth spares an endpoint that only refused a bad request", () => {
  assert.equal(countsAgainstHealth(fault("invalid_request")), false);
  assert.equal(countsAgainstHealth(fault("not_found")), false);
  assert.equal(countsAgainstHealth(fault("upstream_timeout")), true);
});
