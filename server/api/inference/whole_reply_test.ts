import assert from "node:assert/strict";
import { testEndpoint } from "../../../tests/support/endpoint.ts";
import { asResponse } from "../../http_server/reply.ts";
import type { AnswerEvent, ModelEvent } from "../../canonical/event.ts";
import type { Answer } from "../../pipeline/request_context.ts";
import { sourceOf } from "../../stream/source.ts";
import { wholeReply } from "./whole_reply.ts";

const endpoint = testEndpoint();
const last: AnswerEvent = { type: "finish", reason: "stop" };
const failed: AnswerEvent = {
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
  return { given, rendering: { render, refused } };
}

/** An answer whose last batch waits for its receipt. */
function waiting(batch: readonly AnswerEvent[]) {
  const { promise, resolve, reject } = Promise.withResolvers<readonly AnswerEvent[]>();
  const answer: Answer = { endpoint, source: { pull: () => promise, cancel: () => {} }, coming: () => batch };
  return { answer, written: resolve, broken: reject };
}

const ticks = () => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("wholeReply makes the reply while its receipt is being written, and holds it until then", async () => {
  const { given, rendering } = renderer();
  const batch = [last];
  const { answer, written } = waiting(batch);
  const held = await wholeReply(answer, rendering);
  assert.deepEqual(given, [batch]);
  let left = false;
  const leaving = asResponse(held).finally(() => left = true);
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
  const { answer, written } = waiting([last]);
  const held = await wholeReply(answer, renderer().rendering);
  written([failed]);
  const reply = await asResponse(held);
  assert.deepEqual([reply.status, await reply.text()], [503, "Refusal: no receipt"]);
});

Deno.test("wholeReply has a refusal leave where the answer breaks behind its last batch", async () => {
  const { answer, broken } = waiting([last]);
  const held = await wholeReply(answer, renderer().rendering);
  broken(new TypeError("broken"));
  const reply = await asResponse(held);
  assert.deepEqual([reply.status, await reply.text()], [503, "TypeError: broken"]);
});

Deno.test("wholeReply tells that it could not make the reply once its receipt is written", async () => {
  const batch = [last];
  const { answer, written } = waiting(batch);
  let told = false;
  const going = wholeReply(answer, {
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
  const { answer, written } = waiting(batch);
  const going = wholeReply(answer, rendering);
  written(batch);
  await assert.rejects(going, { kind: "unavailable", message: "no receipt", details: { retryAfter: 5 } });
  assert.deepEqual(given, []);
});

Deno.test("wholeReply puts batches together up to the last word, and takes an answer without one", async () => {
  const part: AnswerEvent = { type: "begin" };
  for (
    const [batches, told] of [[[[part], [last], [part]], "begin,finish"], [[[part]], "begin"], [
      [],
      "",
    ]] as const
  ) {
    const { given, rendering } = renderer();
    const reply = await wholeReply({ endpoint, source: sourceOf<AnswerEvent>(...batches) }, rendering);
    assert.equal(await (await asResponse(reply)).text(), told);
    assert.equal(given.length, 1);
  }
});
