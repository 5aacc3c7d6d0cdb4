import assert from "node:assert/strict";
import { testEndpoint } from "../../tests/support/endpoint.ts";
import type { AnswerEvent, ModelEvent } from "../hub/event.ts";
import type { Answer } from "../pipeline/turn.ts";
import { sourceOf } from "../stream/source.ts";
import { wholeReply } from "./whole_reply.ts";

const endpoint = testEndpoint();
const last: AnswerEvent = { type: "finish", reason: "stop" };
const failed: AnswerEvent = {
  type: "failure",
  failure: { kind: "unavailable", message: "no receipt", retryAfter: 5 },
};

/** A renderer that keeps what it was given. */
function renderer() {
  const given: (readonly ModelEvent[])[] = [];
  const render = (events: readonly ModelEvent[]) => {
    given.push(events);
    return events.map(({ type }) => type).join();
  };
  return { given, render };
}

/** An answer whose last batch waits for its receipt. */
function waiting(batch: readonly AnswerEvent[]) {
  const { promise, resolve } = Promise.withResolvers<readonly AnswerEvent[]>();
  const answer: Answer = { endpoint, source: { pull: () => promise, cancel: () => {} }, coming: () => batch };
  return { answer, written: resolve };
}

const ticks = () => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("wholeReply makes the reply while its receipt is being written, and gives it behind that", async () => {
  const { given, render } = renderer();
  const batch = [last];
  const { answer, written } = waiting(batch);
  let answered = false;
  const going = wholeReply(answer, render).finally(() => answered = true);
  await ticks();
  assert.deepEqual(given, [batch]);
  assert.equal(answered, false);
  written(batch);
  const reply = await going;
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get("content-type"), "application/json");
  assert.equal(await reply.text(), "finish");
  assert.equal(given.length, 1);
});

Deno.test("wholeReply throws away what it has made when its receipt cannot be written", async () => {
  const { answer, written } = waiting([last]);
  const going = wholeReply(answer, renderer().render);
  await ticks();
  written([failed]);
  await assert.rejects(going, { kind: "unavailable", message: "no receipt", details: { retryAfter: 5 } });
});

Deno.test("wholeReply tells that it could not make the reply once its receipt is written", async () => {
  const batch = [last];
  const { answer, written } = waiting(batch);
  let told = false;
  const going = wholeReply(answer, () => {
    throw new TypeError("cannot be rendered");
  });
  going.catch(() => told = true);
  await ticks();
  assert.equal(told, false);
  written(batch);
  await assert.rejects(going, TypeError);
});

Deno.test("wholeReply renders no failure", async () => {
  const { given, render } = renderer();
  const batch = [failed];
  const { answer, written } = waiting(batch);
  const going = wholeReply(answer, render);
  written(batch);
  await assert.rejects(going, { kind: "unavailable" });
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
    const { given, render } = renderer();
    const reply = await wholeReply({ endpoint, source: sourceOf<AnswerEvent>(...batches) }, render);
    assert.equal(await reply.text(), told);
    assert.equal(given.length, 1);
  }
});
