import assert from "node:assert/strict";
import fc from "fast-check";
import type { ModelEvent } from "../../server/protocols/canonical/event.ts";
import type { Item, OutputItem } from "../../server/protocols/canonical/item.ts";
import { parseEvents } from "../../server/protocols/gemini/outbound/parse_events.ts";
import { renderRequest } from "../../server/protocols/gemini/outbound/render_request.ts";
import { foldEvents } from "../../server/protocols/stream/state_machine.ts";
import { collect } from "../support/collect.ts";
import { endpointTraits, modelRequest } from "../support/requests.ts";
import { assertProperty, runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";

const numRuns = runs(200);

const parse = (chunks: readonly unknown[]): readonly ModelEvent[] =>
  foldEvents(parseEvents(modelRequest()), chunks.map((chunk) => ({ data: JSON.stringify(chunk) })));

const word = fc.oneof(fc.constantFrom(null, "", "STOP", "MAX_TOKENS", "SAFETY", "OTHER"), fc.string());
const odd = fc.oneof(word, fc.integer(), fc.constantFrom([], {}, [null], true));

/** Chunks that a server might send that means well, or does not. */
const chunk = fc.oneof(
  { weight: 5, arbitrary: likelyChunk(word) },
  { weight: 1, arbitrary: likelyChunk(odd) },
  { weight: 1, arbitrary: fc.jsonValue() },
);

function likelyChunk(value: fc.Arbitrary<unknown>) {
  const field = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
  const part = fc.record({
    text: field(value),
    thought: field(fc.boolean()),
    thoughtSignature: field(value),
    functionCall: field(
      fc.record({ id: field(value), name: value, args: field(fc.constantFrom({}, { a: 1 })) }),
    ),
    inlineData: field(fc.record({ mimeType: fc.constantFrom("image/png", "x"), data: value })),
  });
  const candidate = fc.record({
    content: field(fc.record({ parts: field(fc.array(part, { maxLength: 3 })) })),
    finishReason: field(value),
    groundingMetadata: field(value),
    index: fc.constantFrom(0, undefined, 1),
  });
  return fc.record({
    candidates: field(fc.array(candidate, { maxLength: 2 })),
    promptFeedback: field(fc.record({ blockReason: field(value) })),
    usageMetadata: field(value),
    error: field(value),
  });
}

const last = { candidates: [{ finishReason: "STOP" }] };

Deno.test(`whatever Gemini sends, exactly one end comes of it, and it comes last (SEED=${seed})`, () => {
  const frames = fc.array(
    fc.oneof({ weight: 8, arbitrary: chunk }, { weight: 1, arbitrary: fc.constant(last) }),
    { maxLength: 12 },
  );
  assertProperty(fc.property(frames, (chunks) => void collect(parse(chunks))), { numRuns: numRuns * 5 });
});

interface Sent {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: { readonly id: string; readonly name: string; readonly args: unknown };
}

const signature = fc.option(fc.base64String({ minLength: 4, maxLength: 12 }), { nil: undefined });
const text = fc.string({ minLength: 1, maxLength: 8 });

/** Values as JSON carries them: it has no negative zero. */
const json = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));

/** One turn as the newest models make it: thoughts, a text, calls; signatures on texts and on the first call. */
const turn: fc.Arbitrary<readonly Sent[]> = fc.record({
  thoughts: fc.array(text, { maxLength: 2 }),
  texts: fc.array(text, { maxLength: 2 }),
  late: signature,
  args: fc.array(fc.dictionary(fc.string(), json, { maxKeys: 2, noNullPrototype: true }), {
    maxLength: 3,
  }),
  first: fc.base64String({ minLength: 4, maxLength: 12 }),
}).map(({ thoughts, texts, late, args, first }) => [
  ...thoughts.map((text) => ({ text, thought: true })),
  ...texts.map((text) => ({ text })),
  ...(late === undefined ? [] : [{ text: "", thoughtSignature: late }]),
  ...args.map((args, at) => ({
    functionCall: { id: `call-${at}`, name: "f", args },
    ...(at === 0 ? { thoughtSignature: first } : {}),
  })),
]);

/** Makes the input that the client sends back: every item as it came, and a result for every call. */
function replay(items: readonly OutputItem[]): readonly Item[] {
  const results = items.flatMap((item): Item[] =>
    item.type === "call" ? [{ type: "result", kind: "function", callId: item.callId, output: "ok" }] : []
  );
  return [{ type: "message", role: "user", parts: [{ type: "text", text: "Hi" }] }, ...items, ...results];
}

/** Texts in a row as one; the signature of an empty text stands where it was. */
const joined = (parts: readonly Sent[]): readonly Sent[] =>
  parts.reduce<readonly Sent[]>((all, part) => {
    const before = all.at(-1);
    const grows = before?.text && part.text && before.thought === part.thought && !before.thoughtSignature;
    return grows && !part.thoughtSignature
      ? [...all.slice(0, -1), { ...before, text: before.text + part.text }]
      : [...all, part];
  }, []);

Deno.test(`what a model said goes back to it as it was, signatures in their places (SEED=${seed})`, () => {
  assertProperty(
    fc.property(turn, (parts) => {
      const chunks = [...parts.map((part) => ({ candidates: [{ content: { parts: [part] } }] })), last];
      const { items } = collect(parse(chunks));
      const { body } = renderRequest(
        modelRequest({ input: replay(items) }),
        endpointTraits({ upstreamModel: "gemini-4-neon" }),
      );
      const contents: unknown = body.contents;
      assert.ok(Array.isArray(contents));
      const sent = parts.length === 0 ? undefined : { role: "model", parts: joined(parts) };
      assert.deepEqual(contents[1], sent);
    }),
    { numRuns },
  );
});
