/**
 * The U rows of server/README.md over two and three candidates, streamed and whole, with what the metadata tells of
 * them.
 */

import assert from "node:assert/strict";
import { asList, asObject } from "../support/event_stream.ts";
import { fakeClock } from "../support/clock.ts";
import { wires } from "../support/scripted.ts";
import { type Outcome, outcomeOf, withFaults } from "../faults/rig.ts";

interface Row {
  readonly id: string;
  readonly endpoints: readonly string[];
  readonly status: number;
  readonly calls: number;
  readonly retryAfter?: string;
  /** Row of `error.availability`. */
  readonly code?: string;
}

const rows: readonly Row[] = [
  { id: "U1", endpoints: ["status-429-retry-2", "status-429-retry-9", "ok"], status: 200, calls: 3 },
  { id: "U2", endpoints: ["status-500", "status-503", "ok"], status: 200, calls: 3 },
  { id: "U3", endpoints: ["status-529", "error-frame-1", "ok"], status: 200, calls: 3 },
  { id: "U4", endpoints: ["status-401", "status-403", "ok"], status: 200, calls: 3 },
  { id: "U5", endpoints: ["reset", "close-early", "ok"], status: 200, calls: 3 },
  {
    id: "U1",
    endpoints: ["status-429-retry-9", "status-429-retry-4", "status-429-retry-7"],
    status: 429,
    calls: 3,
    retryAfter: "4",
    code: "capacity_exhausted",
  },
  {
    id: "U1",
    endpoints: ["status-500", "status-429-retry-5", "status-503"],
    status: 429,
    calls: 3,
    retryAfter: "5",
    code: "capacity_exhausted",
  },
  {
    id: "U2",
    endpoints: ["status-503", "status-503", "status-503"],
    status: 503,
    calls: 3,
    code: "temporarily_unavailable",
  },
  { id: "U2", endpoints: ["status-503", "status-500", "status-503"], status: 502, calls: 3 },
  {
    id: "U3",
    endpoints: ["status-529", "status-529", "status-529"],
    status: 529,
    calls: 3,
    code: "temporarily_unavailable",
  },
  { id: "U3", endpoints: ["status-529", "status-503", "status-529"], status: 502, calls: 3 },
  { id: "U4", endpoints: ["status-400", "ok", "ok"], status: 400, calls: 1 },
  { id: "U4", endpoints: ["status-500", "status-400", "ok"], status: 400, calls: 2 },
  { id: "U4", endpoints: ["status-401", "status-402", "status-403"], status: 502, calls: 3 },
  {
    id: "U4",
    endpoints: ["status-404", "status-404", "status-404"],
    status: 404,
    calls: 3,
    code: "model_unavailable_upstream",
  },
  { id: "U5", endpoints: ["reset", "close-early", "reset"], status: 502, calls: 3 },
  { id: "U2", endpoints: ["status-504", "status-524", "status-504"], status: 524, calls: 3 },
];

function metadataOf({ error, result }: Outcome) {
  return asObject((error?.body ?? result)?.service_metadata);
}

for (const wire of wires) {
  for (const stream of [false, true]) {
    for (const row of rows) {
      const { id, endpoints, status, calls, retryAfter, code } = row;
      const how = `${wire}, ${stream ? "streamed" : "whole"}`;
      Deno.test(`${id} route ends ${endpoints.join(", ")} with ${status} and tells how (${how})`, () =>
        withFaults({ wire, endpoints, clock: fakeClock() }, async ({ ask, faultd }) => {
          const outcome = await outcomeOf(await ask({ stream }));
          assert.equal(outcome.status, status);
          assert.equal(faultd.requests.length, calls);
          checkMetadata(outcome, row);
          if (status === 200) return;
          assert.equal(outcome.error?.headers.get("retry-after") ?? undefined, retryAfter);
          const { availability, metadata } = asObject(outcome.error?.error);
          assert.equal(asList(asObject(metadata).previous_errors).length, calls);
          assert.equal(availability === undefined ? undefined : asObject(availability).code, code);
          if (code === undefined) return;
          assert.deepEqual(asObject(availability).requested_models, ["mock/model"]);
          assert.deepEqual(asObject(availability).affected_providers, ["p0", "p1", "p2"]);
        }));
    }
  }
}

function checkMetadata(outcome: Outcome, { calls, status, endpoints }: Row): void {
  const metadata = metadataOf(outcome);
  assert.equal(metadata.attempt, status === 200 ? calls : 0);
  const attempts = asList(metadata.attempts).map(asObject);
  assert.deepEqual(attempts.map(({ provider }) => provider), ["p0", "p1", "p2"].slice(0, calls));
  const { available, total } = asObject(metadata.endpoints);
  assert.equal(total, endpoints.length);
  const selected = asList(available).map((one) => asObject(one).selected);
  assert.deepEqual(selected, endpoints.map((_, at) => status === 200 && at === calls - 1));
  assert.equal(metadata.strategy, "direct");
  assert.equal(metadata.summary, `available=3, selected=${status === 200 ? `p${calls - 1}` : "none"}`);
}

Deno.test("U1 route makes one attempt where the caller allows no fallback", () =>
  withFaults({ endpoints: ["status-503", "ok"], clock: fakeClock() }, async ({ ask, faultd }) => {
    const provider = { order: ["p0"], allow_fallbacks: false };
    const outcome = await outcomeOf(await ask({ body: { provider } }));
    assert.equal(outcome.status, 503);
    assert.equal(faultd.requests.length, 1);
    const { params } = metadataOf(outcome);
    assert.deepEqual(asObject(params).excluded, [
      { model: "mock/model", provider: "p1", excluded_by: "allow_fallbacks" },
    ]);
  }));

Deno.test("U4 route names resting and misconfigured endpoints in the metadata", () =>
  withFaults(
    { endpoints: ["status-401", "status-429-retry-20", "ok"], clock: fakeClock() },
    async ({ ask }) => {
      await outcomeOf(await ask());
      const { params } = metadataOf(await outcomeOf(await ask()));
      const excluded = asList(asObject(params).excluded).map((one) => asObject(one).excluded_by);
      assert.deepEqual(excluded, ["misconfigured", "resting"]);
    },
  ));
