/** Random answers of a model, and random ways in which their bytes arrive. */

import fc from "fast-check";
import type { Plan, Planned } from "../mocks/plan.ts";

const words = fc.string({ unit: "binary", minLength: 1, maxLength: 24 });
const url = fc.constantFrom("https://example.org/a", "https://example.org/b?c=1");
const jsonText = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }).map((value) =>
  JSON.stringify(value)
);

const text = fc.record({
  type: fc.constant("text" as const),
  text: words,
  citing: fc.option(url, { nil: undefined }),
});
const plainText = fc.record({ type: fc.constant("text" as const), text: words });
const refusal = fc.record({ type: fc.constant("refusal" as const), text: words });

const reasoning = fc.record({
  type: fc.constant("reasoning" as const),
  thoughts: fc.oneof(fc.constant(""), words),
  summary: fc.array(words, { maxLength: 3 }),
  encrypted: fc.option(fc.base64String({ minLength: 4, maxLength: 20 }), { nil: undefined }),
});
const thought = fc.record({
  type: fc.constant("reasoning" as const),
  thoughts: words,
  summary: fc.constant([]),
});

const functionCall = fc.record({
  type: fc.constant("call" as const),
  kind: fc.constant("function" as const),
  name: fc.constantFrom("f", "g"),
  arguments: jsonText,
});
const customCall = fc.record({
  type: fc.constant("call" as const),
  kind: fc.constant("custom" as const),
  name: fc.constant("c"),
  namespace: fc.option(fc.constant("n"), { nil: undefined }),
  arguments: words,
});
const search = fc.record({ type: fc.constant("search" as const), query: words });

const counts = fc.record({
  input: fc.nat(5000),
  output: fc.nat(5000),
  cached: fc.constant(0),
  reasoning: fc.constant(0),
});

/** Call ids differ, as they do at any provider. */
type Unnamed = Exclude<Planned, { type: "call" }> | Omit<Extract<Planned, { type: "call" }>, "callId">;
const named = (items: readonly Unnamed[]): readonly Planned[] =>
  items.map((item, at) => item.type === "call" ? { ...item, callId: `call_${at}` } : item);

const rest = {
  finish: fc.constantFrom("stop" as const, "stop" as const, "length" as const, "content_filter" as const),
  counts: fc.option(counts, { nil: undefined }),
  pieces: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 }),
};

/** Anything that a Responses provider may put out, in any order. */
export const responsesPlan: fc.Arbitrary<Plan> = fc.record({
  items: fc.array(fc.oneof(text, refusal, reasoning, functionCall, customCall, search), { maxLength: 5 }).map(
    named,
  ),
  ...rest,
});

/** Plan of one message of Chat Completions: reasoning, then words, then calls. */
export const chatPlan: fc.Arbitrary<Plan> = fc.tuple(
  fc.array(thought, { maxLength: 1 }),
  fc.array(fc.oneof(plainText, refusal), { maxLength: 1 }),
  fc.array(functionCall, { maxLength: 3 }),
).map((groups): readonly Unnamed[] => groups.flat())
  .filter((items) => items.length > 0)
  .chain((items) => fc.record({ items: fc.constant(named(items)), ...rest }));

/** Plan of a message of Anthropic's: its reasoning is not summed up in parts. */
export const messagesPlan: fc.Arbitrary<Plan> = fc.record({
  items: fc.array(
    fc.oneof(
      text,
      refusal,
      reasoning.map((item) => ({ ...item, summary: [] })),
      functionCall,
      customCall,
      search,
    ),
    { maxLength: 5 },
  ).map(named),
  ...rest,
});

/** Sizes of the chunks in which bytes arrive, over and over. */
export const splits = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 3000 })), {
  minLength: 1,
  maxLength: 12,
});

/** How a server ends its lines, and what it says between its frames. */
export const manners = fc.record({
  lineEnd: fc.constantFrom("\n", "\r\n", "\r"),
  between: fc.constantFrom("", ": keep-alive\n\n", "id: 7\n", "retry: 10\n"),
});
