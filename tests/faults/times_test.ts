import assert from "node:assert/strict";
import { TEXT, WORDS } from "../faultd/wires.ts";
import { fakeClock } from "../support/clock.ts";
import { resultText, streamedText } from "../support/event_stream.ts";
import { runOut } from "../support/run_out.ts";
import { ask } from "../support/call.ts";
import { providerAt, startGateway } from "../support/gateway.ts";
import { deltaFrame, openingFrames, scripted, type Wire, wires } from "../support/scripted.ts";
import { pause } from "../support/until.ts";
import { outcomeOf, withFaults } from "./rig.ts";

const SECOND = 1_000;

function assertTook(took: number, seconds: number): void {
  assert(took >= seconds * SECOND && took <= (seconds + 30) * SECOND, `took ${took / SECOND} s`);
}

/** The first comment would come before, and with it the status. */
const quiet = { heartbeat_seconds: 5_000 };

for (const wire of wires) {
  for (const fault of ["hang", "header-stall"]) {
    Deno.test(`U6 POST /responses answers 524 after 60 s of ${fault}, streamed (${wire})`, async () => {
      const clock = fakeClock();
      await withFaults({ wire, clock, limits: quiet }, async ({ ask, faultd }) => {
        const { value, took } = await runOut(ask({ fault, stream: true }), {
          clock,
          once: () => faultd.requests.length > 0,
        });
        assert.equal((await outcomeOf(value)).status, 524);
        assertTook(took, 60);
        assert.equal(faultd.aborted(), 1);
      });
    });

    Deno.test(`U6 POST /responses answers 524 after 10 min of ${fault}, whole (${wire})`, async () => {
      const clock = fakeClock();
      await withFaults({ wire, clock }, async ({ ask, faultd }) => {
        const { value, took } = await runOut(ask({ fault }), {
          clock,
          once: () => faultd.requests.length > 0,
        });
        assert.equal((await outcomeOf(value)).status, 524);
        assertTook(took, 600);
      });
    });

    Deno.test(`U6 route asks the next endpoint after 60 s of ${fault} (${wire})`, async () => {
      const clock = fakeClock();
      await withFaults({ wire, clock, endpoints: [fault, "ok"] }, async ({ ask, faultd }) => {
        const { value, took } = await runOut(ask({ stream: true }).then(outcomeOf), {
          clock,
          once: () => faultd.requests.length > 0,
        });
        assert.equal(value.ended, "completed");
        assertTook(took, 60);
        assert((value.stream?.comments ?? 0) >= 5, "a comment every ten seconds");
        assert.equal(faultd.requests.length, 2);
      });
    });
  }

  Deno.test(`U6 POST /responses gives a whole answer its time (${wire})`, async () => {
    const clock = fakeClock();
    await withFaults({ wire, clock }, async ({ ask, faultd }) => {
      const requested = ask({ fault: "slow-300" });
      await clock.advanceOnce(() => faultd.requests.length === 1, 61 * SECOND);
      const { ended, result } = await outcomeOf(await requested);
      assert.equal(ended, "completed");
      assert.equal(faultd.requests.length, 1, "one attempt");
      assert(result);
      assert.equal(resultText(result), TEXT);
    });
  });

  Deno.test(`U6 POST /responses gives up in real time, too (${wire})`, () =>
    withFaults({ wire, limits: { first_byte_seconds: 0.3 } }, async ({ ask }) => {
      assert.equal((await outcomeOf(await ask({ fault: "hang", stream: true }))).status, 524);
    }));

  Deno.test(`U7 POST /responses answers 408 when a whole answer is not complete in time (${wire})`, async () => {
    const clock = fakeClock();
    await withFaults({ wire, clock }, async ({ ask, faultd }) => {
      const { value, took } = await runOut(ask({ fault: "stall-after" }), {
        clock,
        once: () => faultd.requests.length > 0,
      });
      const { status, error } = await outcomeOf(value);
      assert.equal(status, 408);
      assert.match(error?.message ?? "", /600 s/);
      assertTook(took, 600);
    });
  });

  Deno.test(`U7 POST /responses ends a stream that takes too long in all (${wire})`, async () => {
    const clock = fakeClock();
    await withFaults({ wire, clock, limits: { stream_seconds: 90 } }, async ({ ask, faultd }) => {
      const { value, took } = await runOut(
        ask({ fault: "stall-after-2", stream: true }).then(outcomeOf),
        { clock, once: () => faultd.requests.length > 0 },
      );
      assert.deepEqual([value.status, value.ended], [200, "failed"]);
      assert.equal(value.result?.error_type, "timeout");
      assertTook(took, 90);
    });
  });

  for (let deltas = 0; deltas <= 5; deltas++) {
    Deno.test(`U8 POST /responses tells of silence after ${deltas} deltas (${wire})`, async () => {
      const clock = fakeClock();
      await withFaults({ wire, clock }, async ({ ask, faultd }) => {
        const fault = `stall-after-${deltas}`;
        const { value, took } = await runOut(ask({ fault, stream: true }).then(outcomeOf), {
          clock,
          once: () => faultd.requests.length > 0,
        });
        assert.deepEqual([value.status, value.ended], [200, "failed"]);
        assertTook(took, 120);
        const { stream, result } = value;
        assert(stream && result);
        assert.equal(streamedText(stream), WORDS.slice(0, deltas).join(""));
        assert.equal(resultText(result), streamedText(stream));
        assert(stream.comments >= 10 && stream.comments <= 15, `${stream.comments} comments`);
        assert.equal(faultd.aborted(), 1, "the provider is hung up on");
      });
    });
  }

  for (const stream of [false, true]) {
    Deno.test(`U16 POST /responses ends an answer that only drips, ${stream ? "streamed" : "whole"} (${wire})`, async () => {
      const clock = fakeClock();
      await using upstream = scripted(() => dripping(wire, stream));
      await using gateway = await startGateway({
        clock,
        providers: [providerAt(upstream.baseUrl, { wire })],
        limits: { stream_seconds: 900 },
      });
      const requested = ask(gateway, { model: "mock/model", input: "Hi", stream }).then(outcomeOf);
      const { value, took } = await runOut(requested, {
        clock,
        once: () => upstream.requested.length > 0,
        step: 20 * SECOND,
      });
      assert.deepEqual([value.status, value.ended], stream ? [200, "failed"] : [408, undefined]);
      assertTook(took, stream ? 900 : 600);
      await pause(20); // the provider's last pause
    });
  }
}

/** Begins an answer, then sends a byte every few milliseconds that ends nothing. */
function dripping(wire: Wire, stream: boolean): Response {
  const encoder = new TextEncoder();
  const head = stream ? [...openingFrames(wire), deltaFrame(wire, "Slow"), ":"].join("") : '{"id":"';
  let begun = false;
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (begun) await pause(3);
      controller.enqueue(encoder.encode(begun ? "x" : head));
      begun = true;
    },
  }, { highWaterMark: 0 });
  const type = stream ? "text/event-stream" : "application/json";
  return new Response(body, { headers: { "content-type": type } });
}
