import assert from "node:assert/strict";
import { memoryClock } from "../../../../tests/support/clock.ts";
import { testEndpoint } from "../../../../tests/support/endpoint.ts";
import { EndpointHealth } from "./endpoint_health.ts";
import { standingOf } from "./endpoint_standing.ts";

const endpoint = testEndpoint();
const failure = { endpoint, message: "broken", endpointSpecific: false, kind: "upstream_failed" } as const;

Deno.test("standingOf tells a rest that is over from one that lasts", async () => {
  const clock = memoryClock();
  const health = new EndpointHealth(clock);
  const standing = () => {
    const { standing, restsForSeconds } = standingOf(health, endpoint.id);
    return [standing, restsForSeconds];
  };
  assert.deepEqual(standing(), ["well", undefined]);
  for (let n = 0; n < 3; n++) health.recordFailure({ ...failure, status: 500 });
  assert.deepEqual(standing(), ["cooling_down", 5]);
  await clock.advance(5_000);
  assert.deepEqual(standing(), ["probe", undefined]);
  health.recordFailure({ ...failure, status: 401 });
  assert.deepEqual(standing(), ["misconfigured", 60]);
  await clock.advance(60_000);
  assert.deepEqual(standing(), ["misconfigured", undefined]);
});
