/** A plan as Converse tells it, whole and in messages. */

import { piecesOf, type Plan, type Planned, valueOf } from "./plan.ts";
import type { Json } from "./published.ts";

const SIGNATURE = "YmVkcm9jay1zaWduYXR1cmU=";

/** Custom tools reach this wire as functions of one text. */
const inputOf = ({ kind, arguments: text }: Extract<Planned, { type: "call" }>): string =>
  kind === "custom" ? JSON.stringify({ input: text }) : text;

/** The models refuse in plain text. */

function stopReason({ finish, items }: Plan): string {
  if (finish === "length") return "max_tokens";
  if (finish === "content_filter") return "guardrail_intervened";
  return items.some(({ type }) => type === "call") ? "tool_use" : "end_turn";
}

/** Renders the usage; what came from the cache is not counted in the input. */
function usageOf({ counts }: Plan): Json | undefined {
  if (counts === undefined) return undefined;
  const { input, output, cached } = counts;
  return {
    inputTokens: input - cached,
    outputTokens: output,
    totalTokens: input + output,
    cacheReadInputTokens: cached,
    cacheWriteInputTokens: 0,
  };
}

function blockOf(item: Planned): readonly Json[] {
  switch (item.type) {
    case "text":
    case "refusal":
      return item.text === "" ? [] : [{ text: item.text }];
    case "reasoning":
      return [
        ...(item.thoughts === "" ? [] : [sealed(item.thoughts)]),
        ...(item.encrypted === undefined ? [] : [{ reasoningContent: { redactedContent: item.encrypted } }]),
      ];
    case "call":
      return [{ toolUse: { toolUseId: item.callId, name: item.name, input: valueOf(inputOf(item)) } }];
    default:
      return [];
  }
}

const sealed = (text: string): Json => ({
  reasoningContent: { reasoningText: { text, signature: SIGNATURE } },
});

/** The answer that is not streamed. */
export function answerOf(plan: Plan): Json {
  return {
    output: { message: { role: "assistant", content: plan.items.flatMap(blockOf) } },
    stopReason: stopReason(plan),
    usage: usageOf(plan),
    metrics: { latencyMs: 100 },
  };
}

type Message = readonly [name: string, payload: Json];

/** The messages of the stream, each with its name. */
export function messagesOf(plan: Plan): readonly Message[] {
  return [
    ["messageStart", { role: "assistant" }],
    ...plan.items.flatMap((item, index) => blockMessages(item, { index, plan })),
    ["messageStop", { stopReason: stopReason(plan) }],
    ["metadata", { usage: usageOf(plan), metrics: { latencyMs: 100 } }],
  ];
}

interface Place {
  readonly index: number;
  readonly plan: Plan;
}

function blockMessages(item: Planned, { index, plan }: Place): readonly Message[] {
  const at = { contentBlockIndex: index };
  const delta = (value: Json): Message => ["contentBlockDelta", { ...at, delta: value }];
  const chunks = (text: string, make: (chunk: string) => Json) =>
    piecesOf(text, plan.pieces).map((chunk) => delta(make(chunk)));
  const stop: Message = ["contentBlockStop", at];
  switch (item.type) {
    case "text":
    case "refusal":
      return [...chunks(item.text, (text) => ({ text })), stop];
    case "reasoning":
      return [
        ...chunks(item.thoughts, (text) => ({ reasoningContent: { text } })),
        ...(item.thoughts === "" ? [] : [delta({ reasoningContent: { signature: SIGNATURE } })]),
        ...(item.encrypted === undefined
          ? []
          : [delta({ reasoningContent: { redactedContent: item.encrypted } })]),
        stop,
      ];
    case "call": {
      const start = { ...at, start: { toolUse: { toolUseId: item.callId, name: item.name } } };
      return [
        ["contentBlockStart", start],
        ...chunks(inputOf(item), (input) => ({ toolUse: { input } })),
        stop,
      ];
    }
    default:
      return [];
  }
}
