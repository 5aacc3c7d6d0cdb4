import assert from "node:assert/strict";
import { createReceiptReader } from "../../server/billing/ledger/journal/receipt_reader.ts";
import type { Receipt } from "../../shared/receipts.ts";
import { fakeClock, turns } from "../support/clock.ts";
import { asObject } from "../support/event_stream.ts";
import { type Gateway, mockModel, startGateway } from "../support/gateway.ts";
import {
  chatChunk,
  deltaFrame,
  endFrames,
  frame,
  openingFrames,
  responseObject,
  says,
  type Script,
  scripted,
} from "../support/scripted.ts";
import { pause, until } from "../support/until.ts";
import {
  apiNames,
  call,
  framesOf,
  newestReceipt,
  price,
  pricedAt,
  receiptOf,
  spentBy,
  usageIn,
} from "./rig.ts";

const encoder = new TextEncoder();

/** A stream that says its frames and then nothing, until somebody disconnects; `cut` breaks it off instead. */
function stuck(frames: readonly string[], { cut = false } = {}): { script: Script; hungUp: Promise<void> } {
  const { promise: hungUp, resolve } = Promise.withResolvers<void>();
  const script: Script = () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(encoder.encode(frames.join("")));
        // A stream that ends without its last word is as broken as one that is reset.
        if (cut) controller.close();
      },
      cancel: () => resolve(),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { script, hungUp };
}

/** The receipt of a request whose answer nobody read to its end; waits until it is written. */
async function eventually(gateway: Gateway, id: string): Promise<Receipt> {
  let receipt: Receipt | undefined;
  await until(async () => {
    await gateway.ledger.caughtUp();
    receipt = await createReceiptReader(gateway.store).receipt(id);
    return receipt !== undefined;
  }, { what: `the receipt of ${id}` });
  return receipt ?? assert.fail();
}

for (const api of apiNames) {
  Deno.test(`a client that leaves a stream pays what went in and came out (${api})`, async () => {
    const { script, hungUp } = stuck([...openingFrames("chat"), deltaFrame("chat", " one".repeat(10))]);
    await using upstream = scripted(script);
    await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
    const key = await gateway.addKey({ kind: "api", limit: 1 });
    const leave = new AbortController();
    const response = await call(gateway, {
      api,
      key,
      stream: true,
      text: " one".repeat(20),
      signal: leave.signal,
    });
    const reader = response.body?.getReader();
    await reader?.read();
    leave.abort();
    await assert.rejects(async () => await reader?.read());
    await hungUp;
    const receipt = await eventually(gateway, response.headers.get("x-generation-id") ?? "");
    assert.equal(receipt.status, "cancelled");
    assert.equal(receipt.estimated, true);
    // 20 tokens of input at 1, ten of output at 2 millionths.
    assert.equal(receipt.cost, 40_000);
    assert.equal(await spentBy(gateway, key), 40_000);
  });
}

/** A provider that does not stream: says how far it came, and keeps the rest to itself. */
function silentWhole(begins: boolean): { script: Script; requested: Promise<void>; end: () => void } {
  const { promise: requested, resolve } = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Response>();
  const script: Script = () => {
    if (!begins) {
      resolve();
      return answer.promise;
    }
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (pulls++ === 0) controller.enqueue(encoder.encode(" "));
        // The first chunk has left.
        else resolve();
      },
    }, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-type": "application/json" } });
  };
  return { script, requested, end: () => answer.resolve(new Response("{}")) };
}

for (const begins of [true, false]) {
  const name = begins
    ? "pays what went in and what may have been written where the provider had begun to answer"
    : "pays nothing where the provider had not begun to answer";
  Deno.test(`who disconnects from a whole answer ${name}`, async () => {
    const { script, requested, end } = silentWhole(begins);
    await using upstream = scripted(script);
    const clock = fakeClock();
    const providers = [pricedAt(upstream.baseUrl, { wire: "chat" })];
    await using gateway = await startGateway({ clock, providers });
    const leave = new AbortController();
    const going = call(gateway, { key: gateway.apiKey, text: " one".repeat(20), signal: leave.signal });
    await requested;
    // What the provider has sent goes over a real socket.
    await pause(120);
    await clock.advanceOnce(turns, 1_000);
    leave.abort();
    await assert.rejects(going);
    const receipt = await newestReceipt(gateway);
    end();
    const { status, cost } = receipt;
    assert.equal(status, "cancelled");
    assert.equal(await spentBy(gateway, gateway.apiKey), cost);
    if (!begins) return assert.deepEqual([cost, receipt.calls?.length ?? 0], [0, 0]);
    // Tokens that nobody saw count by the time, at 50 a second.
    const [least, most] = [20_000 + 45 * 2_000, 20_000 + 55 * 2_000];
    assert(cost >= least && cost <= most, `${cost}`);
    assert.equal(receipt.estimated, true);
  });
}

for (const api of apiNames) {
  Deno.test(`a stream that breaks off is charged what it said, and tells it (${api})`, async () => {
    const frames = [...openingFrames("chat"), deltaFrame("chat", " one".repeat(10))];
    await using upstream = scripted(stuck(frames, { cut: true }).script);
    await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
    const response = await call(gateway, {
      api,
      key: gateway.apiKey,
      stream: true,
      text: " one".repeat(20),
    });
    const sent = framesOf(await response.text());
    const receipt = await receiptOf(gateway, response);
    assert.deepEqual([receipt.status, receipt.cost, receipt.estimated], ["failed", 40_000, true]);
    assert.equal(receipt.error?.status, 502);
    // Anthropic's errors have no usage.
    if (api !== "messages") assert.equal(usageIn(sent).cost, 0.00004);
  });
}

/** The beginning of an answer on Anthropic's wire, which counts its input there and guesses one token of output. */
function messagesFrames(text: string): readonly string[] {
  const usage = { input_tokens: 100, cache_read_input_tokens: 900, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], usage };
  const events = [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...(text === "" ? [] : [{ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }]),
  ];
  return events.map((event) => `event: ${event.type}\n${frame(event)}`);
}

/** Cost of a thousand tokens of input, of which all but a hundred are read from a cache. */
const CACHED_INPUT = 100 * 1_000 + 900 * 100;
const cachedPrice = { prompt: "0.000001", completion: "0.000002", input_cache_read: "0.0000001" };

const messagesAt = (baseUrl: string) =>
  pricedAt(baseUrl, {
    wire: "messages",
    models: [{ id: "mock/model", upstream_id: "m", max_output_tokens: 20_000, pricing: cachedPrice }],
  });

/** Says the first frames, and the rest when it is told to, and is over. */
function inTwo(first: readonly string[], rest: readonly string[]): { script: Script; goOn: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const script: Script = () => {
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(encoder.encode(first.join("")));
        await promise;
        if (rest.length > 0) controller.enqueue(encoder.encode(rest.join("")));
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { script, goOn: resolve };
}

for (const how of ["breaks off", "ends in an error"] as const) {
  Deno.test(`an answer that ${how} costs the input that was told and the output that came (messages)`, async () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "No." } };
    const rest = how === "breaks off" ? [] : [`event: error\n${frame(error)}`];
    const { script, goOn } = inTwo(messagesFrames(" one".repeat(100)), rest);
    await using upstream = scripted(script);
    await using gateway = await startGateway({ providers: [messagesAt(upstream.baseUrl)] });
    const key = await gateway.addKey({ kind: "api", limit: 1 });
    const response = await call(gateway, { key, stream: true, cap: 4_000, text: " one".repeat(20) });
    const reader = response.body?.getReader();
    await reader?.read();
    goOn();
    for (let chunk = await reader?.read(); chunk?.done === false;) chunk = await reader?.read();
    const receipt = await receiptOf(gateway, response);
    assert.deepEqual([receipt.status, receipt.cost], ["failed", CACHED_INPUT + 100 * 2_000]);
    assert.equal(await spentBy(gateway, key), receipt.cost);
  });
}

Deno.test("an answer that breaks off before its first word costs nothing, although its input was told (messages)", async () => {
  await using upstream = scripted(stuck(messagesFrames(""), { cut: true }).script);
  await using gateway = await startGateway({ providers: [messagesAt(upstream.baseUrl)] });
  const response = await call(gateway, { key: gateway.apiKey, stream: true, cap: 4_000 });
  await response.text();
  const receipt = await receiptOf(gateway, response);
  assert.deepEqual([receipt.status, receipt.cost], ["failed", 0]);
});

Deno.test("a client that leaves pays the input that was told and the output that came (messages)", async () => {
  const { script, hungUp } = stuck(messagesFrames(" one".repeat(100)));
  await using upstream = scripted(script);
  await using gateway = await startGateway({ providers: [messagesAt(upstream.baseUrl)] });
  const key = await gateway.addKey({ kind: "api", limit: 1 });
  const leave = new AbortController();
  const { signal } = leave;
  const response = await call(gateway, { key, stream: true, cap: 4_000, text: " one".repeat(20), signal });
  const reader = response.body?.getReader();
  let text = "";
  while (!text.includes("one")) text += new TextDecoder().decode((await reader?.read())?.value);
  leave.abort();
  await assert.rejects(async () => await reader?.read());
  await hungUp;
  const receipt = await eventually(gateway, response.headers.get("x-generation-id") ?? "");
  assert.deepEqual(
    [receipt.status, receipt.cost, receipt.estimated],
    ["cancelled", CACHED_INPUT + 100 * 2_000, true],
  );
});

Deno.test("no output and an error cost nothing, whatever the provider counts", async () => {
  const usage = {
    input_tokens: 500,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 0,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 500,
  };
  const error = { code: "server_error", message: "No." };
  const failed = {
    type: "response.failed",
    response: { id: "r", object: "response", status: "failed", output: [], error, usage },
  };
  const scripts: readonly Script[] = [
    () =>
      new Response([...openingFrames("responses").slice(0, 3), frame(failed)].join(""), {
        headers: { "content-type": "text/event-stream" },
      }),
    () => Response.json({ error: { message: "No." } }, { status: 500 }),
    () => Response.json({ error: { message: "No." } }, { status: 400 }),
  ];
  for (const script of scripts) {
    await using upstream = scripted(script);
    await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl)] });
    const key = await gateway.addKey({ kind: "api", limit: 1 });
    for (const stream of [true, false]) {
      const response = await call(gateway, { key, stream });
      await response.text();
      const receipt = await receiptOf(gateway, response);
      assert.deepEqual([receipt.status, receipt.cost], ["failed", 0]);
      assert(receipt.attempts.length > 0);
    }
    assert.equal(await spentBy(gateway, key), 0);
  }
});

interface FailedStream {
  readonly wire: "responses" | "chat" | "gemini" | "messages";
  /** Frames that begin the answer, and those that end it. */
  readonly first: readonly string[];
  readonly rest: readonly string[];
}

const refusal = { code: "server_error", message: "No." };
const responsesCounts = { input_tokens: 500, output_tokens: 90, total_tokens: 590 };
const chatCounts = { prompt_tokens: 500, completion_tokens: 90, total_tokens: 590 };
const failedResponse = responseObject({
  status: "failed",
  output: [],
  error: refusal,
  usage: responsesCounts,
});
const drawing = { type: "image_generation_call", id: "ig_1", status: "in_progress", result: null };

/** Each has counted before it fails, and has shown nothing. */
const failedStreams: Readonly<Record<string, FailedStream>> = {
  "an item that stays empty (responses)": {
    wire: "responses",
    first: openingFrames("responses"),
    rest: [frame({ type: "response.failed", response: failedResponse })],
  },
  "a picture that does not come (responses)": {
    wire: "responses",
    first: [
      ...openingFrames("responses").slice(0, 2),
      frame({ type: "response.output_item.added", output_index: 0, item: drawing }),
    ],
    rest: [frame({ type: "response.failed", response: failedResponse })],
  },
  "counts while it runs, then an error (responses)": {
    wire: "responses",
    first: [
      ...openingFrames("responses"),
      frame({
        type: "response.in_progress",
        response: responseObject({ status: "in_progress", output: [], usage: responsesCounts }),
      }),
    ],
    rest: [frame({ type: "error", ...refusal })],
  },
  "an error chunk with counts (chat)": {
    wire: "chat",
    first: [chatChunk({ delta: { role: "assistant", content: "" } }), chatChunk(undefined, chatCounts)],
    rest: [frame({ error: refusal, usage: chatCounts })],
  },
  "an error as the reason of its end (chat)": {
    wire: "chat",
    first: [chatChunk({ delta: { role: "assistant", content: "" } })],
    rest: [chatChunk({ delta: {}, finish_reason: "error" }, chatCounts)],
  },
  "bytes that end after the counts (chat)": {
    wire: "chat",
    first: [chatChunk({ delta: { role: "assistant", content: "" } }), chatChunk(undefined, chatCounts)],
    rest: [],
  },
  "an error event after final counts (messages)": {
    wire: "messages",
    first: messagesFrames(""),
    rest: [
      `event: message_delta\n${frame({ type: "message_delta", delta: {}, usage: { output_tokens: 90 } })}`,
      `event: error\n${frame({ type: "error", error: { type: "overloaded_error", message: "No." } })}`,
    ],
  },
  "an error with counts (gemini)": {
    wire: "gemini",
    first: [frame({ candidates: [{ index: 0, content: { role: "model", parts: [] } }] })],
    rest: [
      frame({
        error: { code: 503, message: "No.", status: "UNAVAILABLE" },
        usageMetadata: { promptTokenCount: 500, candidatesTokenCount: 90, totalTokenCount: 590 },
      }),
    ],
  },
};

for (const [name, { wire, first, rest }] of Object.entries(failedStreams)) {
  Deno.test(`a stream that fails before its first word costs nothing: ${name}`, async () => {
    const { script, goOn } = inTwo(first, rest);
    await using upstream = scripted(script);
    const models = [{
      ...mockModel,
      max_output_tokens: 20_000,
      pricing: { ...price, image_output: "0.00004" },
    }];
    await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire, models })] });
    const key = await gateway.addKey({ kind: "api", limit: 10 });
    const tools = wire === "responses" ? { tools: [{ type: "image_generation" }] } : {};
    const going = call(gateway, { key, stream: true, cap: 4_000, more: tools });
    await until(() => upstream.requested.length > 0, { what: "that the provider is asked" });
    await pause(50);
    goOn();
    const response = await going;
    await response.text();
    const receipt = await receiptOf(gateway, response);
    assert.deepEqual([receipt.status, receipt.cost], ["failed", 0]);
    assert.equal(await spentBy(gateway, key), 0);
  });
}

Deno.test("an answer without a word that ended well costs what went in", async () => {
  await using upstream = scripted(says("chat", ""));
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const response = await call(gateway, { key: gateway.apiKey });
  await response.text();
  assert.equal((await receiptOf(gateway, response)).cost, 7_000);
});

Deno.test("a provider that bills beyond the cap is the only way past, and shows as overrun", async () => {
  const usage = { prompt_tokens: 7, completion_tokens: 5_000, total_tokens: 5_007 };
  await using upstream = scripted(() =>
    new Response(
      [...openingFrames("chat"), deltaFrame("chat", "Hi"), ...endFrames("chat", "Hi", { usage })].join(""),
      {
        headers: { "content-type": "text/event-stream" },
      },
    )
  );
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const key = await gateway.addKey({ kind: "api", limit: 0.005 });
  const response = await call(gateway, { key, stream: true, cap: 300 });
  await response.text();
  const receipt = await receiptOf(gateway, response);
  assert.equal(receipt.cost, 10_007_000);
  assert.equal(receipt.overrun, receipt.cost - receipt.reserved);
  for (const api of apiNames) {
    const refused = await call(gateway, { api, key, cap: 300 });
    assert.equal(refused.status, 402);
    assert.match(await refused.text(), /is 0.005 USD, of which 0.010007 USD are spent/);
  }
  assert.equal(upstream.requested.length, 1);
});

Deno.test("disabling a key with abort ends its open streams, and charges what they said", async () => {
  const { script, hungUp } = stuck([...openingFrames("chat"), deltaFrame("chat", " one".repeat(10))]);
  await using upstream = scripted(script);
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const made = await fetch(`${gateway.url}/v1/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.managementKey}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "to be disabled" }),
  });
  const { key, data } = asObject(await made.json());
  const response = await call(gateway, { key: String(key), stream: true, text: " one".repeat(20) });
  const reader = response.body?.getReader();
  await reader?.read();
  const disabled = await fetch(`${gateway.url}/v1/keys/${asObject(data).hash}?abort=true`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${gateway.managementKey}`, "content-type": "application/json" },
    body: JSON.stringify({ disabled: true }),
  });
  assert.equal(disabled.status, 200, await disabled.text());
  await hungUp;
  let rest = "";
  for (let chunk = await reader?.read(); chunk?.done === false; chunk = await reader?.read()) {
    rest += new TextDecoder().decode(chunk.value);
  }
  assert.match(rest, /response\.failed/);
  assert.match(rest, /The key was disabled/);
  assert.deepEqual(
    [(await receiptOf(gateway, response)).status, (await receiptOf(gateway, response)).cost],
    ["failed", 40_000],
  );
});
