import assert from "node:assert/strict";
import { testEndpoint } from "../../../tests/support/endpoint.ts";
import type { ModelEvent, OutputEvent } from "../../protocols/canonical/event.ts";
import type { ModelResponse } from "../../pipeline/request_context.ts";
import { sourceFrom } from "../../protocols/stream/source.ts";
import { wholeReply } from "./whole_reply.ts";

const endpoint = testEndpoint();
const last: OutputEvent = { type: "finish", reason: "stop" };
const failed: OutputEvent = {
  type: "failure",
  failure: { kind: "unavailable", message: "no receipt", retryAfter: 5 },
};

/** A renderer that keeps what it was given. */
function renderer() {
  const input: (readonly ModelEvent[])[] = [];
  const render = (events: readonly ModelEvent[]) => {
    input.push(events);
    return events.map(({ type }) => type).join();
  };
  return { given: input, render };
}

/** A response whose last batch waits for its receipt. */
function waiting() {
  const { promise, resolve, reject } = Promise.withResolvers<readonly OutputEvent[]>();
  const response: ModelResponse = { endpoint, source: { pull: () => promise, cancel: () => {} } };
  return { response, written: resolve, broken: reject };
}

const ticks = () => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("wholeReply waits until the receipt is written", async () => {
  const { response, written } = waiting();
  let left = false;
  const leaving = wholeReply(response, renderer().render).finally(() => left = true);
  await ticks();
  assert.equal(left, false);
  written([last]);
  const reply = await leaving;
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get("content-type"), "application/json");
  assert.equal(reply.body, "finish");
});

Deno.test("wholeReply renders no failure, neither a provider's nor that of the receipt", async () => {
  const { given: input, render } = renderer();
  const { response, written } = waiting();
  written([failed]);
  await assert.rejects(wholeReply(response, render), {
    kind: "unavailable",
    message: "no receipt",
    details: { retryAfter: 5, metadata: undefined },
  });
  assert.deepEqual(input, []);
});

Deno.test("wholeReply fails where the response breaks behind its last batch", async () => {
  const { response, broken } = waiting();
  broken(new TypeError("broken"));
  await assert.rejects(wholeReply(response, renderer().render), TypeError);
});

Deno.test("wholeReply puts batches together up to the last word, and takes a response without one", async () => {
  const part: OutputEvent = { type: "begin" };
  for (
    const [batches, types] of [[[[part], [last], [part]], "begin,finish"], [[[part]], "begin"], [
      [],
      "",
    ]] as const
  ) {
    const { given: input, render } = renderer();
    const reply = await wholeReply({ endpoint, source: sourceFrom<OutputEvent>(...batches) }, render);
    assert.equal(reply.body, types);
    assert.equal(input.length, 1);
  }
});
