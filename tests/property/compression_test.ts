/** Conversations that are shortened to fit: whatever they are, what stays is one that every provider takes. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { runNow } from "../../shared/util/run_work.ts";
import type { Item, WireId } from "../../server/protocols/canonical/item.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import { type Compression, compressRequest } from "../../server/pipeline/compression/compress_request.ts";
import type { CompressionMode } from "../../server/pipeline/compression/compression_mode.ts";
import type { InputLimits } from "../../server/pipeline/compression/context_limits.ts";
import { countMessages } from "../../server/pipeline/compression/conversation_units.ts";
import { ItemCounter } from "../../server/pipeline/compression/counted_unit.ts";
import { tokenMeasure } from "../../server/pipeline/compression/token_measure.ts";
import { outboundFor } from "../../server/protocols/mod.ts";
import { bedrockComplaint } from "../mocks/bedrock_rules.ts";
import { chatComplaint } from "../mocks/chat_rules.ts";
import { geminiComplaint } from "../mocks/gemini_rules.ts";
import { messagesComplaint } from "../mocks/messages_rules.ts";
import type { Json, SchemaViolation } from "../mocks/published.ts";
import { responsesComplaint } from "../mocks/responses_rules.ts";
import { assertProperty, runs } from "../support/property.ts";
import { endpointTraits, modelRequest } from "../support/requests.ts";
import { seed } from "../support/seed.ts";
import { loadedForTest } from "../support/tokenizer.ts";

const chunks = [
  "word ",
  "const value = compute(index);\n",
  "שלום עולם ",
  "مرحبا بالعالم ",
  "漢字かな",
  "e\u0301\u0327",
  "👩‍👩‍👧‍👦",
  "🇩🇪🇫🇷",
  "👍🏽",
  "aaaaaaaa",
  "  \n",
  "0123456789",
] as const;

const longText = fc.tuple(fc.array(fc.constantFrom(...chunks), { minLength: 1, maxLength: 5 }), fc.nat(300))
  .map(([some, times]) => some.join("").repeat(times + 1).slice(0, 6_000).toWellFormed());
const text = fc.oneof({ weight: 2, arbitrary: fc.constantFrom("Hi", "Go on.", "ok") }, {
  weight: 3,
  arbitrary: longText,
});

/** A part of a conversation; `at` numbers its calls. */
type Part = (at: number) => readonly Item[];

const message = (role: "user" | "assistant" | "system" | "developer", said: string): Item => ({
  type: "message",
  role,
  parts: [{ type: "text", text: said }],
});

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A message with a picture, and a mark for the cache. */
const pictured = (said: string): Item => ({
  type: "message",
  role: "user",
  parts: [{ type: "image", url: PIXEL }, { type: "text", text: said, cache: {} }],
});

const thought = fc.option(text, { nil: undefined }).map((summary): readonly Item[] =>
  summary === undefined
    ? []
    : [{ type: "reasoning", summary: [summary], content: [], encrypted: "e".repeat(40) }]
);

const toolTurn = fc.tuple(
  thought,
  fc.array(fc.tuple(text, fc.nat()), { minLength: 1, maxLength: 4 }),
  fc.boolean(),
)
  .map(([thoughts, results, isHeld]): Part => (at) => {
    const callId = (place: number) => `call_${at}_${place}`;
    const calls = results.map((_, place): Item => ({
      type: "call",
      kind: "function",
      callId: callId(place),
      name: "f",
      arguments: '{"path":"a/b.ts"}',
    }));
    const answers = results.map(([output, order], place) => ({ order, place, output }))
      .toSorted((one, other) => one.order - other.order)
      .map(({ place, output }): Item => ({
        type: "result",
        kind: "function",
        callId: callId(place),
        output,
      }));
    const held = isHeld ? [message("user", "Wait")] : [];
    return [...thoughts, ...calls, ...held, ...answers];
  });

const part: fc.Arbitrary<Part> = fc.oneof(
  text.map((said): Part => () => [message("user", said)]),
  text.map((said): Part => () => [pictured(said)]),
  fc.tuple(thought, text).map(([thoughts, said]): Part => () => [...thoughts, message("assistant", said)]),
  { weight: 2, arbitrary: toolTurn },
);

const conversation = fc.tuple(
  fc.option(text, { nil: undefined }),
  text,
  fc.array(part, { maxLength: 40 }),
  text,
).map(([system, first, parts, last]): readonly Item[] => [
  ...(system === undefined ? [] : [message("system", system.slice(0, 300).toWellFormed())]),
  message("user", first),
  ...parts.flatMap((one, at) => one(at)),
  message("user", last),
]);

const requested = fc.record({
  input: conversation,
  limits: fc.record({
    tokens: fc.oneof(fc.integer({ min: 300, max: 4_000 }), fc.constant(Infinity)),
    messages: fc.oneof(fc.constant(Infinity), fc.integer({ min: 8, max: 30 })),
  }),
  mode: fc.constantFrom<CompressionMode>("middle-out", "oldest-first"),
  model: fc.constantFrom("gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro", "acme"),
});

interface Requested {
  readonly input: readonly Item[];
  readonly limits: InputLimits;
  readonly mode: CompressionMode;
  readonly model: string;
}

const tools: ModelRequest["tools"] = [{ type: "function", name: "f", parameters: { type: "object" } }];
const tokenizer = await loadedForTest();

function compress({ input, limits, mode, model }: Requested): Compression {
  const counter = new ItemCounter(tokenMeasure(() => tokenizer, model), model);
  return runNow(compressRequest({ request: modelRequest({ input, tools }), limits, mode, counter }));
}

const idsOf = (items: readonly Item[], type: "call" | "result") =>
  new Set(items.flatMap((item) => item.type === type ? [item.callId] : []));

const textOf = (item: Item): string => {
  if (item.type === "message") return item.parts.map((one) => "text" in one ? one.text : "").join("");
  return item.type === "result" ? String(item.output) : "";
};

/** Every item that stays is one of the input in its order, as it was or without the middle of its text. */
function assertSubsequence(input: readonly Item[], kept: readonly Item[]): readonly Item[] {
  let at = -1;
  return kept.map((item) => {
    at = input.findIndex((one, place) => place > at && (one === item || isShortened(one, item)));
    const original = input[at];
    assert(original !== undefined, "an item is none of the input's");
    return original;
  });
}

const mark = /\n\[\.\.\. (\d+) characters left out \.\.\.\]\n/;
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

function isShortened(original: Item, item: Item): boolean {
  const [whole, cut] = [textOf(original), textOf(item)];
  const found = mark.exec(cut);
  if (found === null || original.type !== item.type) return false;
  const [head, tail] = [cut.slice(0, found.index), cut.slice(found.index + found[0].length)];
  if (!whole.startsWith(head) || !whole.endsWith(tail)) return false;
  if (head.length + tail.length + Number(found[1]) !== whole.length) return false;
  const places = new Set([0, whole.length]);
  for (const { index } of segmenter.segment(whole)) places.add(index);
  assert(places.has(head.length), `cut inside a character: ${head.slice(-8)}`);
  assert(places.has(whole.length - tail.length), `cut inside a character: ${tail.slice(0, 8)}`);
  return true;
}

function assertWhole(one: Requested, kept: readonly Item[]): void {
  assert.deepEqual(idsOf(kept, "call"), idsOf(kept, "result"), "calls and results are pairs");
  const originals = assertSubsequence(one.input, kept);
  for (const [at, item] of originals.entries()) {
    if (item.type !== "reasoning") continue;
    assert.equal(originals[at + 1], one.input[one.input.indexOf(item) + 1], "thoughts stay with their turn");
  }
  const users = one.input.filter((item) => item.type === "message" && item.role === "user");
  const anchors = one.input.filter((item) => item.type === "message" && item.role === "system");
  const last = users.at(-1);
  if (last !== undefined) anchors.push(last);
  if (users[0] !== undefined && one.mode === "middle-out") anchors.push(users[0]);
  for (const anchor of anchors) assert(originals.includes(anchor), "an anchor is gone");
}

Deno.test(`a conversation that is shortened fits, keeps its pairs and is the same each time (SEED=${seed})`, async () => {
  const seen = { fits: 0, too_long: 0, compressed: 0 };
  await assertProperty(
    fc.property(requested, (one) => {
      const result = compress(one);
      seen[result.type]++;
      assert.deepEqual(compress(structuredClone(one)), result, "equal input, equal output");
      if (result.type !== "compressed") return;
      const { input } = result.request;
      assertWhole(one, input);
      assert(input.length < one.input.length || result.shortened > 0, "nothing was left out");
      assert(countMessages(input) <= one.limits.messages, "too many messages");
      assert.equal(compress({ ...one, input }).type, "fits", "what was shortened is still too long");
    }),
    { numRuns: runs(150) },
  );
  assert(seen.compressed > 10, `nothing to see: ${JSON.stringify(seen)}`);
});

const complaints: { readonly [W in WireId]: (body: Json) => SchemaViolation | undefined } = {
  responses: responsesComplaint,
  chat: chatComplaint,
  messages: messagesComplaint,
  gemini: (body) => geminiComplaint(body, "gemini-2.5-pro"),
  bedrock: bedrockComplaint,
};

const wires = Object.entries(complaints);

Deno.test(`a conversation that is shortened is taken by every wire (SEED=${seed})`, async () => {
  await assertProperty(
    fc.property(requested, (one) => {
      const result = compress(one);
      if (result.type !== "compressed") return;
      for (const [wire, complaint] of wires) {
        const { renderRequest } = outboundFor(asWire(wire));
        const rendered = renderRequest(result.request, endpointTraits({ upstreamModel: "gemini-2.5-pro" }));
        assert.equal(complaint(JSON.parse(JSON.stringify(rendered.body))), undefined, wire);
      }
    }),
    { numRuns: runs(100) },
  );
});

const asWire = (name: string) => name as WireId;
