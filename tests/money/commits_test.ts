import assert from "node:assert/strict";
import { denoKvStore } from "../../server/storage/stores/embedded/deno_kv_store.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { type Store, StoreError } from "../../server/storage/stores/store.ts";
import { decodeBatch, JOURNAL_ROWS } from "../../server/billing/ledger/journal/journal_batch.ts";
import { fakeClock, turns } from "../support/clock.ts";
import { asObject, checkStream, parseStream } from "../support/event_stream.ts";
import { startGateway } from "../support/gateway.ts";
import { everything } from "../support/journal.ts";
import { deltaFrame, endFrames, openingFrames, says, type Script, scripted } from "../support/scripted.ts";
import { runOut } from "../support/run_out.ts";
import { pause, until } from "../support/until.ts";
import { apiNames, call, framesOf, pricedAt, receiptOf, spentBy, usageIn } from "./rig.ts";

/** A store whose commits wait, or fail, while a test says so. */
function heldStore() {
  const inner = memoryStore();
  let gate: Promise<void> | undefined;
  let open = () => {};
  const state = { failing: false, waiting: 0, failed: 0 };
  const store: Store = {
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    list: (prefix, options) => inner.list(prefix, options),
    commit: async (commit) => {
      state.waiting++;
      await gate;
      state.waiting--;
      if (state.failing) {
        state.failed++;
        throw new StoreError("unavailable", "The disk is full");
      }
      return await inner.commit(commit);
    },
    health: () => inner.health(),
    close: () => inner.close(),
  };
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    open = resolve;
  };
  const release = () => {
    gate = undefined;
    open();
  };
  return { store, hold, release, state };
}

const encoder = new TextEncoder();

/** A stream that says one word, and the rest when it is told to. */
function inTwo(): { script: Script; go: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const script: Script = () => {
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(encoder.encode([...openingFrames("chat"), deltaFrame("chat", "one")].join("")));
        await promise;
        controller.enqueue(encoder.encode(endFrames("chat", "one").join("")));
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { script, go: resolve };
}

/** Reads a stream as it comes. */
function reading(response: Response) {
  const read = { text: "", done: false };
  const whole = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) read.text += decoder.decode(chunk, { stream: true });
    read.done = true;
    return read.text;
  })();
  return { read, whole };
}

/** Long enough for whatever would come. */
const A_WHILE = 60;
const terminals = {
  responses: "response.completed",
  chat: 'finish_reason":"stop"',
  messages: "message_stop",
} as const;

for (const api of apiNames) {
  Deno.test(`the last event waits for the receipt (${api})`, async () => {
    const { store, hold, release } = heldStore();
    const { script, go } = inTwo();
    await using upstream = scripted(script);
    await using gateway = await startGateway({
      store,
      providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
    });
    const response = await call(gateway, { api, key: gateway.apiKey, stream: true });
    const { read, whole } = reading(response);
    await until(() => read.text.includes("one"));
    hold();
    go();
    await pause(A_WHILE);
    assert(!read.text.includes(terminals[api]) && !read.done, read.text);
    release();
    assert((await whole).includes(terminals[api]));
    assert.equal((await receiptOf(gateway, response)).status, "completed");
  });
}

Deno.test("a whole answer waits for its receipt", async () => {
  const { store, hold, release, state } = heldStore();
  await using upstream = scripted(says("chat", "one"));
  await using gateway = await startGateway({
    store,
    providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
  });
  hold();
  let answered = false;
  const going = call(gateway, { key: gateway.apiKey }).finally(() => answered = true);
  await until(() => upstream.requested.length === 1 && state.waiting > 0);
  await pause(A_WHILE);
  assert.equal(answered, false);
  release();
  const response = await going;
  assert.equal(response.status, 200, await response.text());
  assert.equal((await receiptOf(gateway, response)).status, "completed");
});

Deno.test("a whole answer whose receipt cannot be written is refused after five seconds", async () => {
  const clock = fakeClock();
  const { store, hold, release, state } = heldStore();
  await using upstream = scripted(says("chat", "one"));
  await using gateway = await startGateway({
    store,
    clock,
    providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
  });
  hold();
  const going = call(gateway, { key: gateway.apiKey });
  const once = () => upstream.requested.length === 1 && state.waiting > 0;
  const { value: response, took } = await runOut(going, { clock, once });
  const body = await response.text();
  assert.equal(response.status, 503, body);
  assert(took >= 5_000 && took < 10_000, String(took));
  assert(!body.includes("one"), "nothing of the answer may leave");
  release();
});

Deno.test("a whole answer costs one commit, which holds its receipt; a stream has its reserve entry before", async () => {
  for (const stream of [false, true]) {
    const { store } = heldStore();
    await using upstream = scripted(says("chat", "one"));
    // Its time stands still: a slow machine must not make a slow call of it.
    await using gateway = await startGateway({
      store,
      clock: fakeClock(),
      providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
    });
    const response = await call(gateway, { key: gateway.apiKey, stream });
    assert.equal(response.status, 200, await response.text());
    const blocks = (await everything(store, [JOURNAL_ROWS])).map(decodeBatch);
    const entryTypes = blocks.map(({ entries }) => entries.map(({ type }) => type).join());
    assert.deepEqual(entryTypes, stream ? ["open", "close"] : ["close"]);
  }
});

Deno.test("what is written with every request stands at the end of the store", async () => {
  const kv = await Deno.openKv(":memory:");
  const store = denoKvStore({ kv, clock: fakeClock() });
  await using upstream = scripted(says("chat", "one"));
  await using gateway = await startGateway({
    store,
    providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
  });
  const key = await gateway.addKey({ kind: "api", limit: 1 });
  const response = await call(gateway, { key });
  assert.equal(response.status, 200, await response.text());
  await gateway.ledger.caughtUp();
  const rows = await Array.fromAsync(kv.list({ prefix: [] }), ({ key: [name] }) => name);
  const behind = rows.slice(rows.indexOf(JOURNAL_ROWS)).filter((name) => name !== JOURNAL_ROWS);
  assert(rows.includes(JOURNAL_ROWS) && rows.length > 10, rows.join());
  assert.deepEqual(behind.filter((name) => name !== "~health"), []);
  await store.close();
});

Deno.test("a call that takes its time is in the journal before its answer is there", async () => {
  const clock = fakeClock();
  const { store } = heldStore();
  const { promise, resolve } = Promise.withResolvers<void>();
  await using upstream = scripted(async (...requested) => {
    await promise;
    return await says("chat", "one")(...requested);
  });
  await using gateway = await startGateway({
    store,
    clock,
    providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
  });
  const going = call(gateway, { key: gateway.apiKey });
  await clock.advanceOnce(() => upstream.requested.length === 1, 50);
  const [first] = (await everything(store, [JOURNAL_ROWS])).map(decodeBatch);
  assert.deepEqual(first?.entries.map(({ type }) => type), ["open"]);
  resolve();
  const response = await going;
  assert.equal(response.status, 200, await response.text());
  assert.equal((await receiptOf(gateway, response)).status, "completed");
});

Deno.test("nothing of a stream comes before its reserve entry is durable, while the call opens", async () => {
  const { store, hold, release } = heldStore();
  await using upstream = scripted(says("chat", "one two three"));
  await using gateway = await startGateway({
    store,
    providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
  });
  hold();
  let begun = false;
  const going = call(gateway, { key: gateway.apiKey, stream: true }).finally(() => begun = true);
  await until(() => upstream.requested.length === 1);
  await pause(A_WHILE);
  assert.equal(begun, false);
  release();
  checkStream(parseStream(await (await going).text()));
});

Deno.test("a store that fails in mid-stream ends it after five seconds, and what was said stands", async () => {
  const clock = fakeClock();
  const { store, state } = heldStore();
  const { script, go } = inTwo();
  await using upstream = scripted(script);
  await using gateway = await startGateway({
    store,
    clock,
    providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
  });
  const key = await gateway.addKey({ kind: "api", limit: 1 });
  const response = await call(gateway, { key, stream: true });
  const { read, whole } = reading(response);
  await until(() => read.text.includes("one"));
  state.failing = true;
  go();
  const { value: text, took } = await runOut(whole, { clock, once: () => state.failed > 0 });
  assert(took >= 5_000 && took < 10_000, String(took));
  const stream = parseStream(text);
  const result = checkStream(stream);
  assert.equal(result.status, "failed");
  assert.deepEqual(stream.events.slice(-2).map(({ type }) => type), ["error", "response.failed"]);
  assert(JSON.stringify(result.output).includes("one"), "the output already sent stands");
  assert.equal(usageIn(framesOf(text)).cost, 0.000009);
  const refused = await call(gateway, { key });
  const body = asObject(await refused.json());
  assert.equal(refused.status, 503, JSON.stringify(body));
  assert.match(gateway.ledger.unavailableReason ?? "", /store/);
  state.failing = false;
  await clock.advanceOnce(turns, 5_000);
  await until(() => gateway.ledger.unavailableReason === undefined);
  // What the client was told has failed is in the books all the same: the provider has answered.
  assert.equal(await spentBy(gateway, key), 9_000);
  assert.equal((await receiptOf(gateway, response)).cost, 9_000);
  const after = await call(gateway, { key, stream: true });
  checkStream(parseStream(await after.text()));
  assert.equal(await spentBy(gateway, key), 18_000);
});
