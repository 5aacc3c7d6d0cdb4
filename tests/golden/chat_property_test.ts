import assert from "node:assert/strict";
import fc from "fast-check";
import type { ModelEvent } from "../../server/protocols/canonical/event.ts";
import type { JsonObject } from "../../server/protocols/canonical/item.ts";
import type { Tool } from "../../server/protocols/canonical/request.ts";
import { parseEvents } from "../../server/protocols/chat/outbound/events/parse_events.ts";
import { foldEvents } from "../../server/protocols/stream/state_machine.ts";
import { collect } from "../support/collect.ts";
import { modelRequest } from "../support/requests.ts";
import { assertProperty, runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";

const numRuns = runs(200);

const tools: readonly Tool[] = [
  { type: "function", name: "get", parameters: null },
  { type: "function", name: "get_weather", parameters: null },
  { type: "custom", name: "patch" },
  {
    type: "namespace",
    name: "crm",
    tools: [{ type: "function", name: "get", parameters: null }, { type: "custom", name: "query" }],
  },
];

const parse = (chunks: readonly unknown[]): readonly ModelEvent[] =>
  foldEvents(parseEvents(modelRequest({ tools })), chunks.map((chunk) => ({ data: JSON.stringify(chunk) })));

/** One call as a model makes it: the name it was offered, and what its arguments or its input say. */
interface Made {
  readonly wireName: string;
  readonly text: string;
}

const input = fc.string({ unit: "binary", maxLength: 30 });

const made: fc.Arbitrary<Made> = fc.oneof(
  fc.record({
    wireName: fc.constantFrom("get", "get_weather", "crm__get", "made_up"),
    text: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }).map((value) => JSON.stringify(value)),
  }),
  fc.record({ wireName: fc.constantFrom("patch", "crm__query"), text: input }),
);

const isCustom = ({ wireName }: Made) => wireName === "patch" || wireName === "crm__query";

const argumentsOf = (one: Made) => isCustom(one) ? JSON.stringify({ input: one.text }) : one.text;

/** The text in random chunks. */
const cut = (text: string, cuts: readonly number[]) => {
  const places = [...new Set(cuts.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [...places, text.length].map((end, at) => text.slice(at === 0 ? 0 : places[at - 1], end));
};

interface Split {
  readonly call: Made;
  readonly cuts: readonly number[];
  readonly withFirst: boolean;
}

const split: fc.Arbitrary<Split> = fc.record({
  call: made,
  cuts: fc.array(fc.nat(200), { maxLength: 8 }),
  withFirst: fc.boolean(),
});

/** The deltas of one call: the name with or without the first chunk of the arguments, then the other chunks. */
function deltas({ call, cuts, withFirst }: Split, index: number): readonly JsonObject[] {
  const chunks = cut(argumentsOf(call), cuts);
  const [first = "", ...rest] = withFirst ? chunks : ["", ...chunks];
  return [
    { index, id: `call_${index}`, function: { name: call.wireName, arguments: first } },
    ...rest.map((piece) => ({ index, function: { arguments: piece } })),
  ];
}

/** Shuffles the deltas of all calls together; each call's own stay in order. */
function interleave(
  all: readonly (readonly JsonObject[])[],
  order: readonly number[],
): readonly JsonObject[] {
  const queues = all.map((one) => [...one]);
  const out: JsonObject[] = [];
  for (let turn = 0; queues.some((queue) => queue.length > 0); turn++) {
    const open = queues.filter((queue) => queue.length > 0);
    const next = open[(order[turn % order.length] ?? 0) % open.length]?.shift();
    if (next !== undefined) out.push(next);
  }
  return out;
}

const chunkOf = (tool_calls: readonly JsonObject[]) => ({ choices: [{ index: 0, delta: { tool_calls } }] });
const last = { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };

Deno.test(`calls in any pieces, in any order, add up to the same calls (SEED=${seed})`, () => {
  const order = fc.array(fc.nat(10), { minLength: 1, maxLength: 20 });
  const property = fc.property(fc.array(split, { minLength: 1, maxLength: 4 }), order, (splits, order) => {
    const chunks = interleave(splits.map(deltas), order);
    const { items } = collect(parse([...chunks.map((piece) => chunkOf([piece])), last]));
    const calls = items.flatMap((item) => item.type === "call" ? [`${item.callId} ${item.arguments}`] : []);
    const expected = splits.map(({ call }, index) => `call_${index} ${call.text}`);
    assert.deepEqual(calls.toSorted(), expected.toSorted());
  });
  assertProperty(property, { numRuns });
});

const word = fc.oneof(
  fc.constant(null),
  fc.constant(""),
  fc.string(),
  fc.constant("stop"),
  fc.constant("length"),
);
const odd = fc.oneof(word, fc.integer(), fc.constant([]), fc.constant({}), fc.constant([null]));

/** Chunks that a server might send that means well, or does not. */
const chunk = fc.oneof(
  { weight: 5, arbitrary: likelyChunk(word) },
  { weight: 1, arbitrary: likelyChunk(odd) },
  { weight: 1, arbitrary: fc.jsonValue() },
);

function likelyChunk(value: fc.Arbitrary<unknown>) {
  const field = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
  const call = fc.record({
    index: field(fc.oneof(fc.nat(2), value)),
    id: field(value),
    function: field(fc.record({ name: field(value), arguments: field(value) })),
  });
  const delta = fc.record({
    content: field(value),
    refusal: field(value),
    reasoning: field(value),
    tool_calls: field(fc.array(call, { maxLength: 2 })),
    annotations: field(value),
    images: field(value),
  });
  const choice = fc.record({
    delta: field(delta),
    finish_reason: field(value),
    index: fc.constantFrom(0, 0, 0, 1),
  });
  return fc.record({
    choices: field(fc.array(choice, { maxLength: 2 })),
    usage: field(value),
    error: field(value),
  });
}

Deno.test(`whatever a server sends, exactly one end comes of it, and it comes last (SEED=${seed})`, () => {
  const frames = fc.array(
    fc.oneof({ weight: 8, arbitrary: chunk }, { weight: 1, arbitrary: fc.constant(last) }),
    {
      maxLength: 12,
    },
  );
  assertProperty(fc.property(frames, (chunks) => void collect(parse(chunks))), { numRuns: numRuns * 5 });
});
