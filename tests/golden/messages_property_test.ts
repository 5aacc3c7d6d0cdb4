import assert from "node:assert/strict";
import fc from "fast-check";
import type { ModelEvent } from "../../server/protocols/canonical/event.ts";
import type {
  CacheBreakpoint,
  ContentPart,
  Item,
  JsonObject,
} from "../../server/protocols/canonical/item.ts";
import type { Tool } from "../../server/protocols/canonical/request.ts";
import { parseEvents } from "../../server/protocols/messages/outbound/parse_events.ts";
import { renderRequest } from "../../server/protocols/messages/outbound/render_request.ts";
import { foldEvents } from "../../server/protocols/stream/state_machine.ts";
import { collect } from "../support/collect.ts";
import { asObject } from "../support/event_stream.ts";
import { endpointTraits, modelRequest } from "../support/requests.ts";
import { assertProperty, runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";

const numRuns = runs(200);

const tools: readonly Tool[] = [
  { type: "function", name: "get", parameters: null },
  { type: "custom", name: "patch" },
  { type: "namespace", name: "crm", tools: [{ type: "custom", name: "query" }] },
];

const parse = (frames: readonly unknown[]): readonly ModelEvent[] =>
  foldEvents(parseEvents(modelRequest({ tools })), frames.map((one) => ({ data: JSON.stringify(one) })));

/** A block of an answer, and what the client gets of it. */
interface Made {
  readonly opening: JsonObject;
  readonly deltas: readonly JsonObject[];
  readonly reported: string;
}

/** The text in random chunks. */
function cut(text: string, cuts: readonly number[]): readonly string[] {
  const places = [...new Set(cuts.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [...places, text.length].map((end, at) => text.slice(at === 0 ? 0 : places[at - 1], end));
}

const chunks = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, fc.array(fc.nat(200), { maxLength: 8 })).map(([whole, cuts]) => ({
    whole,
    parts: cut(whole, cuts),
  }));

const thoughts: fc.Arbitrary<Made> = fc.tuple(chunks(fc.string()), fc.base64String({ minLength: 4 })).map(
  ([{ whole, parts }, signature]) => ({
    opening: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      ...parts.map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature },
    ],
    reported: `thought ${whole} ${signature}`,
  }),
);

const redacted: fc.Arbitrary<Made> = fc.base64String({ minLength: 4 }).map((data) => ({
  opening: { type: "redacted_thinking", data },
  deltas: [],
  reported: `redacted ${data}`,
}));

function call(name: string, { whole, parts, reported = whole }: Chunks): Made {
  return {
    opening: { type: "tool_use", id: `toolu_${name}`, name, input: {} },
    deltas: parts.map((partial_json) => ({ type: "input_json_delta", partial_json })),
    reported: `call ${name} ${reported}`,
  };
}

interface Chunks {
  readonly whole: string;
  readonly parts: readonly string[];
  readonly reported?: string;
}

const objects = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }).map((value) =>
  JSON.stringify(value)
);
const functions = fc.tuple(fc.constantFrom("get", "made_up"), chunks(objects)).map(([name, all]) =>
  call(name, all)
);
const customs = fc.tuple(
  fc.constantFrom("patch", "crm__query"),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.array(fc.nat(200), { maxLength: 8 }),
).map(([name, reported, cuts]) => {
  const whole = JSON.stringify({ input: reported });
  return call(name, { whole, parts: cut(whole, cuts), reported });
});

const frames = (made: readonly Made[]): readonly unknown[] => [
  { type: "message_start", message: { id: "m", usage: { input_tokens: 1, output_tokens: 1 } } },
  ...made.flatMap(({ opening, deltas }, index) => [
    { type: "content_block_start", index, content_block: opening },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]),
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
  { type: "message_stop" },
];

const wireNames: Readonly<Record<string, string>> = { query: "crm__query" };

function reportedOf(item: Item): string {
  if (item.type === "call") return `call ${wireNames[item.name] ?? item.name} ${item.arguments}`;
  if (item.type !== "reasoning") return item.type;
  const { encrypted, content: thoughts, signature } = item;
  return encrypted === undefined ? `thought ${thoughts.join("")} ${signature}` : `redacted ${encrypted}`;
}

Deno.test(`blocks in any pieces add up to the same items (SEED=${seed})`, () => {
  const blocks = fc.array(fc.oneof(thoughts, redacted, functions, customs), { minLength: 1, maxLength: 6 });
  const property = fc.property(blocks, (made) => {
    const { items } = collect(parse(frames(made)));
    assert.deepEqual(items.map(reportedOf), made.map(({ reported }) => reported));
  });
  assertProperty(property, { numRuns });
});

const odd = fc.oneof(fc.constant(null), fc.string(), fc.integer(), fc.constant([]), fc.constant({}));
const field = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const kinds = [
  "text",
  "thinking",
  "redacted_thinking",
  "tool_use",
  "server_tool_use",
  "web_search_tool_result",
  "x",
];

/** Frames that a server might send that means well, or does not. */
const frame = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("content_block_start"), content_block: anyBlock() }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("content_block_delta"), delta: anyDelta() }) },
  { weight: 2, arbitrary: fc.constantFrom({ type: "content_block_stop" }, { type: "ping" }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constantFrom("message_start", "message_delta", "message_stop", "error"),
      message: field(odd),
      delta: field(fc.record({ stop_reason: fc.constantFrom("end_turn", "refusal", "max_tokens", null) })),
      usage: field(odd),
      error: field(odd),
    }),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
);

function anyBlock() {
  return fc.record({
    type: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...kinds) }, { weight: 1, arbitrary: odd }),
    id: field(fc.constantFrom("a", "b")),
    tool_use_id: field(fc.constantFrom("a", "b")),
    name: field(fc.constantFrom("get", "patch", "web_search", "code_execution")),
    text: field(fc.string()),
    input: field(odd),
    content: field(odd),
    citations: field(odd),
  });
}

function anyDelta() {
  return fc.record({
    type: fc.constantFrom(
      "text_delta",
      "input_json_delta",
      "thinking_delta",
      "signature_delta",
      "citations_delta",
    ),
    text: field(fc.string()),
    partial_json: field(fc.string()),
    thinking: field(fc.string()),
    signature: field(fc.string()),
    citation: field(odd),
  });
}

Deno.test(`whatever a server sends, exactly one end comes of it, and it comes last (SEED=${seed})`, () => {
  const all = fc.array(frame, { maxLength: 15 });
  assertProperty(fc.property(all, (some) => void collect(parse(some))), { numRuns: numRuns * 5 });
});

const cache: fc.Arbitrary<CacheBreakpoint | undefined> = field(
  fc.record({ ttl: fc.constantFrom("5m", "1h", undefined) }),
);
const text: fc.Arbitrary<ContentPart> = fc.record({
  type: fc.constant("text"),
  text: fc.constantFrom("", " ", "a", "b"),
  cache,
});
const part: fc.Arbitrary<ContentPart> = fc.oneof(
  text,
  fc.record({ type: fc.constant("image"), url: fc.constant("https://x.example/a.png"), cache }),
  fc.constant<ContentPart>({ type: "audio", data: "AAAA", format: "wav" }),
);
const id = fc.constantFrom("1", "2", "3", "call:4");
const item: fc.Arbitrary<Item> = fc.oneof(
  fc.record({
    type: fc.constant("message"),
    role: fc.constantFrom("user", "assistant", "developer", "system"),
    parts: fc.array(part, { maxLength: 3 }),
  }),
  fc.record({
    type: fc.constant("reasoning"),
    content: fc.constant(["t"]),
    summary: fc.constant([]),
    signature: field(fc.constant("s")),
    encrypted: field(fc.constant("e")),
    format: fc.constantFrom("anthropic-claude-v1", "openai-responses-v1", undefined),
  }),
);

/** Conversations as they pass the API: every call has an id of its own, every result a call before it. */
const conversation = fc.array(fc.oneof(item, id), { maxLength: 14 }).map((list) => {
  const called = new Set<string>();
  return list.map((one): Item => {
    if (typeof one !== "string") return one;
    if (called.has(one)) return { type: "result", kind: "function", callId: one, output: "r" };
    called.add(one);
    return { type: "call", kind: "function", callId: one, name: "get", arguments: "{}" };
  });
});

const objectsOf = (value: unknown): readonly JsonObject[] => Array.isArray(value) ? value.map(asObject) : [];

/** The rules by which the provider judges a conversation. */
function judge(body: JsonObject): void {
  const messages = objectsOf(body.messages);
  const turns = messages.map(({ role, content }) => ({ role, blocks: objectsOf(content) }));
  turns.forEach(({ role, blocks }, at) => {
    assert.equal(role, at % 2 === 0 ? "user" : "assistant", "roles alternate, the user begins");
    assert.ok(blocks.length > 0, "no message is empty");
    assert.ok(
      blocks.every(({ type, text }) => type !== "text" || String(text).trim() !== ""),
      "no text is blank",
    );
    assert.notEqual(String(blocks.at(-1)?.type), "thinking", "thinking is not the end of a message");
    const calls = blocks.flatMap(({ type, id }) => type === "tool_use" ? [id] : []);
    const next = turns[at + 1]?.blocks ?? [];
    const answers = next.slice(0, calls.length).map(({ tool_use_id }) => tool_use_id);
    if (role === "assistant") assert.deepEqual(answers, calls, "every call is answered at once");
  });
  assert.equal(turns.at(-1)?.role, "user", "the user ends");
  const marks = [...objectsOf(body.system), ...turns.flatMap(({ blocks }) => blocks)].flatMap((block) =>
    block.cache_control === undefined ? [] : [asObject(block.cache_control)]
  );
  assert.ok(marks.length <= 4, "at most four breakpoints");
  const firstShort = marks.findIndex(({ ttl }) => ttl !== "1h");
  assert.ok(
    firstShort < 0 || marks.slice(firstShort).every(({ ttl }) => ttl !== "1h"),
    "hours before minutes",
  );
}

Deno.test(`any conversation is rendered as the provider takes it (SEED=${seed})`, () => {
  const property = fc.property(conversation, field(cache), (input, cache) => {
    const { body } = renderRequest(modelRequest({ input, tools, cache }), endpointTraits());
    judge(body);
  });
  assertProperty(property, { numRuns: numRuns * 5 });
});

Deno.test(`what was said before stays as it was sent, for caches and seals (SEED=${seed})`, () => {
  const messagesOf = (input: readonly Item[]) =>
    objectsOf(renderRequest(modelRequest({ input, tools }), endpointTraits()).body.messages);
  const unmarked = (value: unknown) =>
    JSON.parse(JSON.stringify(value, (key, inner) => key === "cache_control" ? undefined : inner));
  const more: Item = { type: "message", role: "user", parts: [{ type: "text", text: "more" }] };
  const property = fc.property(conversation, (input) => {
    const before = messagesOf(input).slice(0, -1);
    assert.deepEqual(unmarked(messagesOf([...input, more]).slice(0, before.length)), unmarked(before));
  });
  assertProperty(property, { numRuns: numRuns * 5 });
});
