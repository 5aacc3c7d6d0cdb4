import assert from "node:assert/strict";
import { memoryClock } from "../../../tests/support/clock.ts";
import { ConnectionLost } from "../../api.ts";
import { Run, type RunDeps } from "./run.ts";

const input = { model: "mock/model", body: { input: "Hi" }, workspaceId: undefined, prices: undefined };
const frame = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;
const delta = (text: string) =>
  frame({ type: "response.output_text.delta", output_index: 0, content_index: 0, delta: text });
const opened = frame({
  type: "response.output_item.added",
  output_index: 0,
  item: { type: "message", role: "assistant", content: [] },
});

interface Rig {
  readonly run: Run;
  readonly clock: ReturnType<typeof memoryClock>;
  readonly write: (text: string) => void;
  readonly fail: (error: unknown) => void;
  readonly events: string[];
}

/** A run whose answer the test writes. */
function rig(): Rig {
  const clock = memoryClock();
  const events: string[] = [];
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const api: RunDeps["api"] = {
    send: (_method, _address, { signal } = {}) => {
      const body = new ReadableStream<Uint8Array>({
        start(begun) {
          controller = begun;
          signal?.addEventListener("abort", () => begun.error(signal.reason));
        },
      });
      return Promise.resolve(new Response(body, { headers: { "x-generation-id": "gen-1" } }));
    },
    call: () => Promise.reject(new ConnectionLost("nobody")),
    events: { lost: () => events.push("lost"), answered: () => undefined, signedOut: () => undefined },
  };
  return {
    run: new Run("mock/model", { api, clock, isManager: false }),
    clock,
    write: (text) => controller?.enqueue(new TextEncoder().encode(text)),
    fail: (error) => controller?.error(error),
    events,
  };
}

/** Lets what has been written arrive. */
async function arrive(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

Deno.test("Run takes a gateway that says nothing for 30 seconds for lost, and a comment for a sign of life", async () => {
  const { run, clock, write, events } = rig();
  const ended = run.start(input);
  await arrive();
  write(opened + delta("Half"));
  await arrive();
  for (let time = 0; time < 3; time++) {
    await clock.advance(29_000);
    write(": still here\n\n");
    await arrive();
  }
  assert.equal(run.state.value, "answering");
  await clock.advance(31_000);
  await arrive();
  assert.equal(run.state.value, "lost");
  assert.deepEqual(events, ["lost"]);
  run.abandon();
  for (let tries = 0; tries < 45; tries++) await clock.advance(250);
  await ended;
  assert.deepEqual(run.output, [{
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text: "Half", annotations: [] }],
  }]);
});

Deno.test("Run tells an answer that breaks off from one that fails in words", async () => {
  const cases = [
    [(one: Rig) => one.fail(new TypeError("network error")), "lost"],
    [(one: Rig) => one.write(frame({ type: "error", message: "The provider is gone." })), "failed"],
    [
      (one: Rig) =>
        one.write(frame({
          type: "response.failed",
          response: { status: "failed", error: { message: "The provider is gone." } },
        })),
      "failed",
    ],
  ] as const;
  for (const [end, state] of cases) {
    const one = rig();
    const ended = one.run.start(input);
    await arrive();
    one.write(opened + delta("Half"));
    await arrive();
    end(one);
    await arrive();
    if (state === "failed") one.fail(new TypeError("closed"));
    await arrive();
    one.run.abandon();
    for (let tries = 0; tries < 45; tries++) await one.clock.advance(250);
    await ended;
    assert.equal(one.run.state.value, state);
  }
});
