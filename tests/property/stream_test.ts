import assert from "node:assert/strict";
import fc from "fast-check";
import OpenAI from "openai";
import { checkStream, parseStream, resultText, streamedText } from "../support/event_stream.ts";
import { chatPlan, manners, messagesPlan, responsesPlan, splits } from "./plans.ts";
import { answered, inChunks, requested, translated, wires } from "./translate.ts";
import { assertProperty, runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";

const plans = { responses: responsesPlan, chat: chatPlan, messages: messagesPlan };
const entries = [["responses", wires.responses], ["chat", wires.chat], ["messages", wires.messages]] as const;

/** As JSON carries it. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

const speech = (text: string, { lineEnd, between }: { readonly lineEnd: string; readonly between: string }) =>
  text.replaceAll("\n\n", `\n\n${between}`).replaceAll("\n", lineEnd);

for (const [name, wire] of entries) {
  Deno.test(`S5 ${name}: any bytes give the stream that the whole answer gives (SEED=${seed})`, async () => {
    const property = fc.asyncProperty(plans[name], splits, manners, async (plan, sizes, how) => {
      const stream = parseStream(await translated(wire, { text: speech(wire.stream(plan), how), sizes }));
      const result = checkStream(stream);
      assert.deepEqual(result, plain(answered(wire, wire.whole(plan))));
      assert.equal(streamedText(stream), resultText(result), "the deltas add up");
    });
    await assertProperty(property, { numRuns: runs(150) });
  });

  Deno.test(`S5 ${name}: the official accumulator accepts any stream of ours (SEED=${seed})`, async () => {
    const property = fc.asyncProperty(plans[name], splits, async (plan, sizes) => {
      const text = await translated(wire, { text: wire.stream(plan), sizes, strictEvents: true });
      const result = plain(answered(wire, wire.whole(plan)));
      assert.deepEqual(await accumulated(text, sizes), result);
      const built = await accumulated(withoutTerminal(text), sizes);
      assert.deepEqual(built.output, result.output, "built up from the events alone");
    });
    await assertProperty(property, { numRuns: runs(60) });
  });

  Deno.test(`S1 U9 ${name}: a stream cut anywhere fails, and says what it had (SEED=${seed})`, async () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const property = fc.asyncProperty(plans[name], splits, share, async (plan, sizes, cutAt) => {
      const stream = parseStream(await translated(wire, { text: wire.stream(plan), sizes, cutAt }));
      const result = checkStream(stream);
      if (result.status !== "failed") {
        const whole = plain(answered(wire, wire.whole(plan)));
        // On the chat wire the counts follow the finish: cut in between, the answer is whole without them.
        return assert.deepEqual(result, result.usage === null ? { ...whole, usage: null } : whole);
      }
      assert.equal(stream.events.at(-2)?.type, "error");
      assert.equal(streamedText(stream), resultText(result));
      assert.ok(resultText(plain(answered(wire, wire.whole(plan)))).startsWith(resultText(result)));
    });
    await assertProperty(property, { numRuns: runs(150) });
  });
}

/** Damage that a careless server, or one that means harm, does to the events of an answer. */
const blow = fc.record({
  at: fc.nat(60),
  kind: fc.constantFrom("drop", "repeat", "move", "renumber", "nameless", "rename", "empty", "odd"),
  value: fc.oneof(fc.nat(5), fc.constant(null), fc.constant("x"), fc.constant({}), fc.constant([])),
});

Deno.test(`S5 responses: whatever becomes of its events, ours stay in order (SEED=${seed})`, async () => {
  const property = fc.asyncProperty(
    responsesPlan,
    fc.array(blow, { maxLength: 6 }),
    splits,
    async (plan, blows, sizes) => {
      const text = battered(wires.responses.stream(plan), blows);
      const stream = parseStream(await translated(wires.responses, { text, sizes }));
      const result = checkStream(stream);
      assert.equal(streamedText(stream), resultText(result));
      if (result.status === "failed") return;
      const ours = await translated(wires.responses, { text, sizes, strictEvents: true });
      assert.deepEqual((await accumulated(ours, sizes)).output, result.output);
    },
  );
  await assertProperty(property, { numRuns: runs(200) });
});

type Blow = typeof blow extends fc.Arbitrary<infer T> ? T : never;

function battered(text: string, blows: readonly Blow[]): string {
  const frames = text.split("\n\n").slice(0, -1).map((frame) => JSON.parse(frame.slice(frame.indexOf("{"))));
  for (const { at, kind, value } of blows) {
    const place = at % Math.max(1, frames.length);
    const event = frames[place];
    if (event === undefined) break;
    if (kind === "drop") frames.splice(place, 1);
    if (kind === "repeat") frames.splice(place, 0, event);
    if (kind === "move") frames.splice((place * 7) % frames.length, 0, ...frames.splice(place, 1));
    if (kind === "renumber") frames[place] = { ...event, output_index: value };
    if (kind === "nameless") frames[place] = { ...event, item_id: undefined, output_index: undefined };
    if (kind === "rename") {
      frames[place] = { ...event, item_id: "other", item: { ...event.item, id: "other" } };
    }
    if (kind === "empty") frames[place] = emptied(event, value);
    if (kind === "odd") frames.splice(place, 0, { ...event, type: "response.odd", extra: value });
  }
  return frames.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}

/** Empties an event of its subject. */
function emptied(event: Record<string, unknown>, value: unknown): Record<string, unknown> {
  const keys = ["item", "part", "response", "delta", "annotation"].filter((key) => key in event);
  return { ...event, ...Object.fromEntries(keys.map((key) => [key, value])) };
}

/** Accumulates a stream in chunks by openai's `.stream()`; what it parses by itself is left out. */
async function accumulated(text: string, sizes: readonly number[]) {
  const client = new OpenAI({
    apiKey: "k",
    baseURL: "http://mock",
    maxRetries: 0,
    fetch: () => answer(text, sizes),
  });
  const final = await client.responses.stream(requested).finalResponse();
  const { output_parsed: _parsed, output_text: _text, ...response } = final;
  return withoutParsed(plain(response));
}

function answer(text: string, sizes: readonly number[]): Promise<Response> {
  const read = inChunks(new TextEncoder().encode(text), sizes);
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const chunk = await read();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
  return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
}

/** The stream as it was before its end, so that the accumulator has only the events to go by. */
function withoutTerminal(text: string): string {
  const frames = text.split("\n\n");
  return [...frames.slice(0, -3), "data: [DONE]", ""].join("\n\n");
}

function withoutParsed(value: unknown): ReturnType<typeof plain> {
  return JSON.parse(JSON.stringify(value, (key, inner) => key.startsWith("parsed") ? undefined : inner));
}
