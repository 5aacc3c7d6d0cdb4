import assert from "node:assert/strict";
import { TEXT, WORDS } from "../faultd/wires.ts";
import { resultText, streamedText } from "../support/event_stream.ts";
import { wires } from "../support/scripted.ts";
import { outcomeOf, withFaults } from "./rig.ts";

/** Faults after which an answer that has begun cannot be completed, and what was delivered before. */
const broken: readonly (readonly [string, string, number])[] = [
  ["U3", "error-frame-7", -1],
  ["U9", "cut-chunk-1", 1],
  ["U9", "cut-chunk-3", 3],
  ["U9", "cut-length", 2],
  ["U9", "cut-close-1", 1],
  ["U9", "cut-close-5", 5],
  ["U9", "bad-chunk-2", 2],
  ["U9", "reset-after-2", 2],
  ["U10", "bad-json-2", 2],
];

for (const wire of wires) {
  for (const [id, fault, deltas] of broken) {
    Deno.test(`${id} POST /responses tells of the failure after ${fault}, streamed (${wire})`, () =>
      withFaults({ wire }, async ({ ask }) => {
        const { status, ended, stream, result } = await outcomeOf(await ask({ fault, stream: true }));
        assert.deepEqual([status, ended], [200, "failed"]);
        assert(stream && result);
        const received = streamedText(stream);
        if (deltas >= 0) assert.equal(received, WORDS.slice(0, deltas).join(""));
        assert(TEXT.startsWith(received) && received !== TEXT);
        assert.equal(resultText(result), received, "the failed response holds what was delivered");
      }));
  }

  for (const fault of ["cut-chunk", "cut-length", "cut-close", "bad-chunk", "reset-after", "bad-json"]) {
    Deno.test(`U9 POST /responses answers 502 after ${fault}, whole (${wire})`, () =>
      withFaults({ wire }, async ({ ask }) => {
        assert.equal((await outcomeOf(await ask({ fault }))).status, 502);
      }));

    Deno.test(`U9 route asks the next endpoint after ${fault}, whole (${wire})`, () =>
      withFaults({ wire, endpoints: [fault, "ok"] }, async ({ ask, faultd }) => {
        const { result } = await outcomeOf(await ask());
        assert(result);
        assert.equal(resultText(result), TEXT);
        assert.equal(faultd.requests.length, 2);
      }));
  }

  Deno.test(`U9 route asks the next endpoint when a stream is cut before its first delta (${wire})`, () =>
    withFaults({ wire: "chat", endpoints: ["cut-chunk-0", "cut-close-0", "ok"] }, async ({ ask, faultd }) => {
      const { stream } = await outcomeOf(await ask({ stream: true }));
      assert(stream);
      assert.equal(streamedText(stream), TEXT);
      assert.equal(faultd.requests.length, 3);
    }));

  Deno.test(`U9 route asks nobody else once something was delivered (${wire})`, () =>
    withFaults({ wire, endpoints: ["cut-chunk-1", "ok"] }, async ({ ask, faultd }) => {
      assert.equal((await outcomeOf(await ask({ stream: true }))).ended, "failed");
      assert.equal(faultd.requests.length, 1);
    }));
}

/** Odd, and sound: the answer is complete. */
const sound = [
  "ok",
  "split",
  "slow-300",
  "gzip-ok",
  "after-terminal",
  "usage-twice",
  "sse-cr",
  "sse-crlf",
  "sse-bom",
  "sse-nospace",
  "sse-comments",
  "sse-multiline",
  "sse-fields",
  "sse-noevent",
];

for (const wire of wires) {
  for (const fault of sound) {
    const id = fault === "after-terminal" ? "U15" : "U10";
    Deno.test(`${id} POST /responses takes ${fault} for the answer that it is (${wire})`, () =>
      withFaults({ wire }, async ({ ask }) => {
        for (const streaming of [false, true]) {
          const { ended, stream, result } = await outcomeOf(await ask({ fault, stream: streaming }));
          assert.equal(ended, "completed");
          assert(result);
          assert.equal(resultText(result), TEXT);
          if (stream) assert.equal(streamedText(stream), TEXT);
        }
      }));
  }
}

Deno.test("U10 POST /responses takes a last line that broke off for no end (responses)", () =>
  withFaults({ wire: "responses" }, async ({ ask }) => {
    const { ended, stream } = await outcomeOf(await ask({ fault: "sse-noblank", stream: true }));
    assert.equal(ended, "failed");
    assert(stream);
    assert.equal(streamedText(stream), TEXT);
  }));

Deno.test("U10 POST /responses needs no whole [DONE] (chat)", () =>
  withFaults({ wire: "chat" }, async ({ ask }) => {
    assert.equal((await outcomeOf(await ask({ fault: "sse-noblank", stream: true }))).ended, "completed");
  }));

interface Counted {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** Counts of the provider → the counts that may be reported. */
const usages: Readonly<Record<string, (usage: Counted) => boolean>> = {
  "usage-negative": ({ input_tokens, output_tokens }) => input_tokens >= 0 && output_tokens >= 0,
  "usage-missing": ({ input_tokens, output_tokens }) => input_tokens >= 0 && output_tokens >= 0,
  "usage-absurd": ({ input_tokens, output_tokens }) => input_tokens <= 1e8 && output_tokens <= 1e8,
  "usage-text": ({ input_tokens, output_tokens }) => input_tokens >= 0 && output_tokens >= 0,
  "usage-zero": ({ input_tokens, output_tokens }) => input_tokens === 0 && output_tokens === 0,
  "usage-twice": ({ input_tokens, output_tokens }) => input_tokens === 12 && output_tokens === WORDS.length,
};

function asCounted(usage: unknown): Counted {
  return usage as Counted;
}

for (const wire of wires) {
  for (const [fault, holds] of Object.entries(usages)) {
    Deno.test(`U14 POST /responses tells possible counts after ${fault} (${wire})`, () =>
      withFaults({ wire }, async ({ ask }) => {
        for (const stream of [false, true]) {
          const { ended, result } = await outcomeOf(await ask({ fault, stream }));
          assert.equal(ended, "completed");
          const usage = asCounted(result?.usage);
          const { input_tokens, output_tokens } = usage;
          assert(Number.isInteger(input_tokens) && Number.isInteger(output_tokens));
          assert(holds(usage), JSON.stringify(usage));
          assert.equal(Object(usage).total_tokens, input_tokens + output_tokens);
        }
      }));
  }
}
