import assert from "node:assert/strict";
import { asList, asObject } from "../support/event_stream.ts";
import { wires } from "../support/scripted.ts";
import { fakeClock } from "../support/clock.ts";
import { attemptOf, outcomeOf, withFaults } from "./rig.ts";

const ways = [false, true] as const;
const how = (stream: boolean) => stream ? "streamed" : "whole";

interface Row {
  readonly id: string;
  /** Faults of the endpoints, in their order. */
  readonly endpoints: readonly string[];
  readonly status: number;
  /** Calls that were made. */
  readonly calls: number;
  readonly retryAfter?: string;
  readonly type?: string;
}

const failover: readonly Row[] = [
  { id: "U1", endpoints: ["status-429-retry-2", "ok"], status: 200, calls: 2 },
  { id: "U2", endpoints: ["status-500", "ok"], status: 200, calls: 2 },
  { id: "U2", endpoints: ["status-502", "ok"], status: 200, calls: 2 },
  { id: "U2", endpoints: ["status-503", "ok"], status: 200, calls: 2 },
  { id: "U2", endpoints: ["status-504", "ok"], status: 200, calls: 2 },
  { id: "U2", endpoints: ["status-500", "status-503", "status-529", "ok"], status: 200, calls: 4 },
  { id: "U3", endpoints: ["status-529", "ok"], status: 200, calls: 2 },
  { id: "U3", endpoints: ["error-frame-1", "ok"], status: 200, calls: 2 },
  { id: "U4", endpoints: ["status-401", "ok"], status: 200, calls: 2 },
  { id: "U4", endpoints: ["status-402", "ok"], status: 200, calls: 2 },
  { id: "U4", endpoints: ["status-403", "ok"], status: 200, calls: 2 },
  { id: "U4", endpoints: ["status-404", "ok"], status: 200, calls: 2 },
  { id: "U5", endpoints: ["reset", "ok"], status: 200, calls: 2 },
  { id: "U5", endpoints: ["close-early", "ok"], status: 200, calls: 2 },
  { id: "U5", endpoints: ["garbage-status", "ok"], status: 200, calls: 2 },
  { id: "U12", endpoints: ["html-200", "ok"], status: 200, calls: 2 },
  { id: "U12", endpoints: ["empty-200", "ok"], status: 200, calls: 2 },
  { id: "U12", endpoints: ["truncated-json", "ok"], status: 200, calls: 2 },
];

const exhausted: readonly Row[] = [
  { id: "U1", endpoints: ["status-429-retry-2"], status: 429, calls: 1, retryAfter: "2" },
  {
    id: "U1",
    endpoints: ["status-429-retry-9", "status-429-retry-3"],
    status: 429,
    calls: 2,
    retryAfter: "3",
  },
  { id: "U1", endpoints: ["status-429-retry--5"], status: 429, calls: 1, retryAfter: "1" },
  { id: "U1", endpoints: ["status-429-retry-NaN"], status: 429, calls: 1, retryAfter: "1" },
  { id: "U1", endpoints: ["status-429-retry-1000000000"], status: 429, calls: 1, retryAfter: "60" },
  { id: "U1", endpoints: ["status-429-date-30"], status: 429, calls: 1, retryAfter: "30" },
  { id: "U1", endpoints: ["status-500", "status-429-retry-7"], status: 429, calls: 2, retryAfter: "7" },
  { id: "U2", endpoints: ["status-500"], status: 502, calls: 1, type: "provider_unavailable" },
  { id: "U2", endpoints: ["status-502"], status: 502, calls: 1 },
  { id: "U2", endpoints: ["status-503"], status: 503, calls: 1 },
  { id: "U2", endpoints: ["status-503", "status-503"], status: 503, calls: 2 },
  { id: "U2", endpoints: ["status-503", "status-500"], status: 502, calls: 2 },
  { id: "U2", endpoints: ["status-504", "status-524"], status: 524, calls: 2, type: "timeout" },
  {
    id: "U2",
    endpoints: ["status-500", "status-500", "status-500", "status-500", "ok"],
    status: 502,
    calls: 4,
  },
  { id: "U3", endpoints: ["status-529", "status-529"], status: 529, calls: 2, type: "provider_overloaded" },
  { id: "U3", endpoints: ["status-529", "status-503"], status: 502, calls: 2 },
  { id: "U3", endpoints: ["error-frame-1"], status: 529, calls: 1 },
  { id: "U4", endpoints: ["status-400", "ok"], status: 400, calls: 1, type: "invalid_request" },
  { id: "U4", endpoints: ["status-413", "ok"], status: 200, calls: 2 },
  { id: "U4", endpoints: ["status-413", "status-413"], status: 413, calls: 2, type: "payload_too_large" },
  { id: "U4", endpoints: ["status-422", "ok"], status: 400, calls: 1 },
  { id: "U4", endpoints: ["status-404"], status: 404, calls: 1, type: "not_found" },
  { id: "U4", endpoints: ["redirect"], status: 502, calls: 1 },
  { id: "U5", endpoints: ["reset"], status: 502, calls: 1 },
  { id: "U5", endpoints: ["close-early", "reset"], status: 502, calls: 2 },
  { id: "U5", endpoints: ["garbage-status"], status: 502, calls: 1 },
  { id: "U5", endpoints: ["header-huge"], status: 502, calls: 1 },
  { id: "U12", endpoints: ["html-200"], status: 502, calls: 1 },
  { id: "U12", endpoints: ["empty-200"], status: 502, calls: 1 },
  { id: "U12", endpoints: ["array-200"], status: 502, calls: 1 },
  { id: "U12", endpoints: ["truncated-json"], status: 502, calls: 1 },
];

for (const wire of wires) {
  for (const stream of ways) {
    for (const { id, endpoints, status, calls, retryAfter, type } of [...failover, ...exhausted]) {
      Deno.test(`${id} route answers ${status} after ${endpoints.join(", ")} (${wire}, ${how(stream)})`, () =>
        withFaults({ wire, endpoints, clock: fakeClock() }, async ({ ask, faultd }) => {
          const outcome = await outcomeOf(await ask({ stream }));
          assert.equal(outcome.status, status);
          assert.deepEqual(
            faultd.requests.map(({ body }) => asObject(body).model),
            endpoints.slice(0, calls),
          );
          if (status === 200) {
            assert.equal(outcome.ended, "completed");
            assert.equal(attemptOf(outcome), calls);
            return;
          }
          assert.equal(outcome.error?.headers.get("retry-after") ?? undefined, retryAfter);
          if (type !== undefined) assert.equal(asObject(outcome.error?.error.metadata).error_type, type);
          const previousErrors = asList(asObject(outcome.error?.error.metadata).previous_errors);
          assert.equal(previousErrors.length, calls);
        }));
    }
  }
}

for (const wire of wires) {
  for (const refusal of [401, 402, 403]) {
    Deno.test(`U4 route blames no client for our refused key: 502 each time (${refusal}, ${wire})`, () =>
      withFaults({ wire, endpoints: [`status-${refusal}`] }, async ({ ask, faultd, gateway }) => {
        const first = await outcomeOf(await ask());
        assert.equal(first.status, 502);
        for (const stream of [false, true, false]) {
          const { status, error } = await outcomeOf(await ask({ stream }));
          assert.equal(status, 502);
          assert.equal(error?.error.message, first.error?.error.message);
          assert.match(String(error?.error.message), new RegExp(`\\(status ${refusal}: it`));
        }
        assert.equal(faultd.requests.length, 1, "the provider is not asked again");
        assert(
          gateway.logged.some((line) => line.includes('"level":"error"')),
          "the operator is told loudly",
        );
      }));
  }

  Deno.test(`U1 route leaves an endpoint alone until its Retry-After is over (${wire})`, async () => {
    const clock = fakeClock();
    await withFaults({ wire, endpoints: ["status-429-retry-20", "ok"], clock }, async ({ ask, faultd }) => {
      const requested = () => faultd.requests.map(({ body }) => asObject(body).model);
      assert.equal((await outcomeOf(await ask())).ended, "completed");
      assert.equal((await outcomeOf(await ask())).ended, "completed");
      assert.deepEqual(requested(), ["status-429-retry-20", "ok", "ok"]);
      clock.leap(20_000);
      assert.equal((await outcomeOf(await ask())).ended, "completed");
      assert.deepEqual(requested().slice(3), ["status-429-retry-20", "ok"]);
    });
  });

  Deno.test(`U5 route stops asking an endpoint that keeps failing, then probes it once (${wire})`, async () => {
    const clock = fakeClock();
    await withFaults({ wire, endpoints: ["status-500"], clock }, async ({ ask, faultd }) => {
      for (let at = 0; at < 3; at++) assert.equal((await outcomeOf(await ask())).status, 502);
      const { status, error } = await outcomeOf(await ask());
      assert.equal(status, 429, "all that is left is cooling");
      assert.equal(error?.headers.get("retry-after"), "5");
      assert.equal(faultd.requests.length, 3);
      clock.leap(5_000);
      assert.equal((await outcomeOf(await ask())).status, 502);
      assert.equal((await outcomeOf(await ask())).error?.headers.get("retry-after"), "10");
      assert.equal(faultd.requests.length, 4, "one probe, then a longer rest");
    });
  });
}
