/**
 * Promise S4: a stream's status goes out with its first event, or with a comment after ten seconds without one.
 * What a fault looks like before that moment is told by statuses_test.ts; here it comes after it.
 */

import assert from "node:assert/strict";
import { TEXT } from "../faultd/wires.ts";
import { fakeClock } from "../support/clock.ts";
import { streamedText } from "../support/event_stream.ts";
import { runOut } from "../support/run_out.ts";
import { wires } from "../support/scripted.ts";
import { until } from "../support/until.ts";
import { type Gate, startGate } from "./gate.ts";
import { type FaultRig, type FaultRigOptions, outcomeOf, withFaults } from "./rig.ts";

type GatedTest = (
  rig: FaultRig & { readonly gate: Gate; readonly late: () => Promise<void> },
) => Promise<void>;

/** Faults behind a gate that the test opens; `late` lets the moment pass in which the status goes out. */
async function withGate(options: FaultRigOptions, test: GatedTest): Promise<void> {
  const clock = fakeClock();
  const gates: Gate[] = [];
  const through: FaultRigOptions["through"] = (faultd) => {
    const gate = startGate(faultd.port);
    gates.push(gate);
    return gate.url;
  };
  await withFaults({ ...options, clock, through }, async (rig) => {
    const [gate] = gates;
    assert(gate);
    const late = async () => {
      await clock.advanceOnce(() => rig.faultd.requests.length > 0, 10_000);
    };
    try {
      await test({ ...rig, gate, late });
    } finally {
      await gate.close();
    }
  });
}

const faults = [
  ["U1", "status-429-retry-2", "rate_limit_exceeded", "rate_limit_exceeded"],
  ["U2", "status-500", "server_error", "provider_unavailable"],
  ["U2", "status-503", "server_error", "provider_overloaded"],
  ["U2", "status-504", "server_error", "timeout"],
  ["U3", "status-529", "server_error", "provider_overloaded"],
  ["U3", "error-frame-1", "server_error", "provider_overloaded"],
  ["U4", "status-400", "invalid_prompt", "invalid_request"],
  ["U4", "status-401", "server_error", "provider_unavailable"],
  ["U4", "status-403", "server_error", "provider_unavailable"],
  ["U4", "status-404", "server_error", "not_found"],
  ["U4", "redirect", "server_error", "provider_unavailable"],
  ["U5", "close-early", "server_error", "provider_unavailable"],
  ["U5", "reset", "server_error", "provider_unavailable"],
  ["U5", "garbage-status", "server_error", "provider_unavailable"],
  ["U9", "cut-close-0", "server_error", "provider_unavailable"],
  ["U9", "cut-chunk-0", "server_error", "provider_unavailable"],
  ["U12", "html-200", "server_error", "provider_unavailable"],
  ["U12", "empty-200", "server_error", "provider_unavailable"],
  ["U12", "array-200", "server_error", "provider_unavailable"],
  ["U12", "truncated-json", "server_error", "provider_unavailable"],
  ["U13", "gzip-corrupt", "server_error", "provider_unavailable"],
] as const;

const beginnings = ["response.created", "response.in_progress"];

for (const wire of wires) {
  for (const [id, fault, code, type] of faults) {
    Deno.test(`${id} S4 POST /responses tells of ${fault} in the stream when its status is out (${wire})`, () =>
      withGate({ wire }, async ({ ask, gate, late, faultd }) => {
        const requested = ask({ fault, stream: true });
        await late();
        const response = await requested;
        assert.equal(response.status, 200);
        gate.open();
        const { ended, stream, result } = await outcomeOf(response);
        assert.equal(ended, "failed");
        assert(stream && result);
        assert(stream.text.startsWith(":"), "a comment came first");
        const types = stream.events.map((event) => event.type).filter((one) => !beginnings.includes(one));
        const own = types.filter((one) => !one.startsWith("response.output_item") && !/part\./.test(one));
        assert.deepEqual(own, ["error", "response.failed"]);
        assert.equal(Object(result.error).code, code);
        assert.equal(result.error_type, type);
        assert.equal(faultd.requests.length, 1);
      }));
  }

  for (const fault of ["status-500", "reset", "error-frame-1", "html-200"]) {
    Deno.test(`S2 S4 route asks the next endpoint after ${fault} although the status is out (${wire})`, () =>
      withGate({ wire, endpoints: [fault, "ok"] }, async ({ ask, gate, late, faultd }) => {
        const requested = ask({ stream: true });
        await late();
        gate.open();
        const { ended, stream } = await outcomeOf(await requested);
        assert.equal(ended, "completed");
        assert(stream);
        assert.equal(streamedText(stream), TEXT);
        assert.equal(stream.comments, 1, "a comment is no part of the answer");
        assert.equal(faultd.requests.length, 2);
      }));
  }

  Deno.test(`U6 S4 POST /responses tells of a provider that never answers (${wire})`, async () => {
    const clock = fakeClock();
    await withFaults({ wire, clock }, async ({ ask, faultd }) => {
      const requested = ask({ fault: "hang", stream: true }).then(outcomeOf);
      const { value } = await runOut(requested, { clock, once: () => faultd.requests.length > 0 });
      assert.deepEqual([value.status, value.ended], [200, "failed"]);
      assert.equal(value.result?.error_type, "timeout");
      assert.deepEqual(
        value.stream?.events.map(({ type }) => type),
        ["response.created", "error", "response.failed"],
      );
    });
  });

  Deno.test(`S4 POST /responses sends its status with the first event when that comes in time (${wire})`, () =>
    withGate({ wire }, async ({ ask, gate, faultd, clock }) => {
      let hasStatus = false;
      const requested = ask({ fault: "ok", stream: true }).finally(() => {
        hasStatus = true;
      });
      await until(() => faultd.requests.length > 0);
      assert.equal(hasStatus, false);
      gate.open();
      const { stream } = await outcomeOf(await requested);
      assert.equal(stream?.comments, 0);
      assert.equal(clock.monotonic(), 0);
    }));
}
