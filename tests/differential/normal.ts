/** Differences that the wires' answers to the same conversation may have, and why; there may be no other. */

import { asList, asObject, isObject, type Json } from "../support/event_stream.ts";

export interface Normalisation {
  readonly what: string;
  readonly why: string;
  readonly apply: (answer: Json) => Json;
}

const without = (value: Json, ...keys: readonly string[]): Json =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));

type Change = (item: Json) => readonly Json[];

const onItems = (change: Change) => (answer: Json): Json => ({
  ...answer,
  output: asList(answer.output).flatMap((item) => change(asObject(item))),
});

const ofType = (type: string, change: Change): Change => (item) => item.type === type ? change(item) : [item];

const textsIn = (parts: unknown): readonly string[] =>
  Array.isArray(parts) ? parts.flatMap((part) => isObject(part) ? [String(part.text)] : []) : [];

const receivedThoughts = ({ content, summary }: Json) => [...textsIn(content), ...textsIn(summary)];

const asText = (part: Json): Json =>
  part.type === "refusal" ? { type: "output_text", annotations: [], logprobs: [], text: part.refusal } : part;

const refuses = (part: unknown) => isObject(part) && part.type === "refusal";

/** An answer that holds a refusal, without how it ended. */
function withoutRefusalsEnd(answer: Json): Json {
  const items = asList(answer.output).map(asObject);
  if (!items.some(({ content }) => Array.isArray(content) && content.some(refuses))) return answer;
  const end = { status: "completed", incomplete_details: null };
  return { ...answer, ...end, output: items.map((item) => ({ ...item, status: "completed" })) };
}

/** Tokens that an answer was thought in. */
export function thoughtTokens({ usage }: { readonly usage?: unknown }): unknown {
  const details = isObject(usage) ? usage.output_tokens_details : undefined;
  return isObject(details) ? details.reasoning_tokens : undefined;
}

function withoutThoughtTokens(answer: Json): Json {
  const { usage } = answer;
  if (!isObject(usage) || !isObject(usage.output_tokens_details)) return answer;
  const details = without(usage.output_tokens_details, "reasoning_tokens");
  return { ...answer, usage: { ...usage, output_tokens_details: details } };
}

export const normalisations: readonly Normalisation[] = [
  {
    what: "usage: reasoning_tokens",
    why: "bedrock counts thoughts in its output and does not say how many; the others are compared apart",
    apply: withoutThoughtTokens,
  },
  {
    what: "id, created_at, completed_at, ids of items",
    why: "made anew for every answer",
    apply: (answer) =>
      onItems((item) => [without(item, "id")])(without(answer, "id", "created_at", "completed_at")),
  },
  {
    what: "output_text",
    why: "the client adds it to answers that are not streamed",
    apply: (answer) => without(answer, "output_text"),
  },
  {
    what: "model",
    why: "the test gives every wire a model of its own",
    apply: (answer) => without(answer, "model"),
  },
  {
    what: "service_tier",
    why: "the answers of gemini do not tell the tier, and those of the others tell it in their own words",
    apply: (answer) => without(answer, "service_tier"),
  },
  {
    what: "reasoning: encrypted_content, signature, format",
    why: "opaque to all but their maker, and every maker has its own",
    apply: onItems(
      ofType("reasoning", (item) => [without(item, "encrypted_content", "signature", "format")]),
    ),
  },
  {
    what: "reasoning: content or summary",
    why: "gemini calls its thoughts summaries; the words are the same",
    apply: onItems(
      ofType(
        "reasoning",
        (item) => [{ ...without(item, "content", "summary"), said: receivedThoughts(item) }],
      ),
    ),
  },
  {
    what: "reasoning without a word",
    why: "gemini signs a call, and the signature travels in an item of its own",
    apply: onItems(ofType("reasoning", (item) => asList(item.said).length === 0 ? [] : [item])),
  },
  {
    what: "refusal: status, incomplete_details",
    why: "messages tells a refusal as the reason of a safety stop, the others as an answer like any",
    apply: withoutRefusalsEnd,
  },
  {
    what: "refusal: refusal",
    why: "gemini has no word for one: its models refuse in plain text",
    apply: onItems(ofType("message", (item) => [{
      ...item,
      content: asList(item.content).map((part) => asText(asObject(part))),
    }])),
  },
];

/** The answer without what may differ. */
export const normal = (answer: unknown): Json =>
  normalisations.reduce((all, { apply }) => apply(all), asObject(JSON.parse(JSON.stringify(answer))));
