import assert from "node:assert/strict";
import { testEndpoint } from "../../../tests/support/endpoint.ts";
import { toResponse } from "../../http_server/reply.ts";
import type { ModelEvent, OutputEvent } from "../../canonical/event.ts";
import type { ModelResponse } from "../../pipeline/request_context.ts";
import { sourceFrom } from "../../stream/source.ts";
import { wholeReply } from "./whole_reply.ts";

const endpoint = testEndpoint();
const last: OutputEvent = { type: "finish", reason: "stop" };
const failed: OutputEvent = {
  type: "failure",
  failure: { kind: "unavailable", message: "no receipt", retryAfter: 5 },
};

/** A renderer that keeps what it was given, and refuses with the error's message. */
function renderer() {
  const given: (readonly ModelEvent[])[] = [];
  const render = (events: readonly ModelEvent[]) => {
    given.push(events);
    return events.map(({ type }) => type).join();
  };
  const refused = (error: unknown) => new Response(String(error), { status: 503 });
  return { given, rendering: { render, onError: refused } };
}

/** An answer whose last batch waits for its receipt. */
function waiting(batch: readonly OutputEvent[]) {
  const { promise, resolve, reject } = Promise.withResolvers<readonly OutputEvent[]>();
  const response: ModelResponse = {
    endpoint,
    source: { pull: () => promise, cancel: () => {} },
    pendingLastBatch: () => batch,
  };
  return { answer: response, written: resolve, broken: reject };
}

const ticks = () => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("wholeReply makes the reply while its receipt is being written, and holds it until then", async () => {
  const { given, rendering } = renderer();
  const batch = [last];
  const { answer: response, written } = waiting(batch);
  const held = await wholeReply(response, rendering);
  assert.deepEqual(given, [batch]);
  let left = false;
  const leaving = toResponse(held).finally(() => left = true);
  await ticks();
  assert.equal(left, false);
  written(batch);
  const reply = await leaving;
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get("content-type"), "application/json");
  assert.equal(await reply.text(), "finish");
  assert.equal(given.length, 1);
});

Deno.test("wholeReply has a refusal leave in the place of a reply whose receipt cannot be written", async () => {
  const { answer: response, written } = waiting([last]);
  const held = await wholeReply(response, renderer().rendering);
  written([failed]);
  const reply = await toResponse(held);
  assert.deepEqual([reply.status, await reply.text()], [503, "ApiError: no receipt"]);
});

Deno.test("wholeReply has a refusal leave where the answer breaks behind its last batch", async () => {
  const { answer: response, broken } = waiting([last]);
  const held = await wholeReply(response, renderer().rendering);
  broken(new TypeError("broken"));
  const reply = await toResponse(held);
  assert.deepEqual([reply.status, await reply.text()], [503, "TypeError: broken"]);
});

Deno.test("wholeReply tells that it could not make the reply once its receipt is written", async () => {
  const batch = [last];
  const { answer: response, written } = waiting(batch);
  let told = false;
  const going = wholeReply(response, {
    ...renderer().rendering,
    render: () => {
      throw new TypeError("cannot be rendered");
    },
  });
  going.catch(() => told = true);
  await ticks();
  assert.equal(told, false);
  written(batch);
  await assert.rejects(going, TypeError);
});

Deno.test("wholeReply renders no failure", async () => {
  const { given, rendering } = renderer();
  const batch = [failed];
  const { answer: response, written } = waiting(batch);
  const going = wholeReply(response, rendering);
  written(batch);
  await assert.rejects(going, { kind: "unavailable", message: "no receipt", details: { retryAfter: 5 } });
  assert.deepEqual(given, []);
});

Deno.test("wholeReply puts batches together up to the last word, and takes an answer without one", async () => {
  const part: OutputEvent = { type: "begin" };
  for (
    const [batches, told] of [[[[part], [last], [part]], "begin,finish"], [[[part]], "begin"], [
      [],
      "",
    ]] as const
  ) {
    const { given, rendering } = renderer();
    const reply = await wholeReply({ endpoint, source: sourceFrom<OutputEvent>(...batches) }, rendering);
    assert.equal(await (await toResponse(reply)).text(), told);
    assert.equal(given.length, 1);
  }
});
