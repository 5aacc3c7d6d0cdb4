/** A plan in the bytes of Chat Completions, streamed and whole, as OpenAI and servers like it send them. */

import type { Plan, Planned } from "./plan.ts";
import { piecesOf } from "./plan.ts";
import type { Json } from "./published.ts";

export interface ChatEcho {
  readonly id: string;
  readonly model: string;
  readonly stamp: number;
  /** `stream_options.include_usage`: counts come in a last chunk without choices. */
  readonly includeUsage: boolean;
}

type Call = Extract<Planned, { type: "call" }>;

const callsOf = ({ items }: Plan): readonly Call[] => items.filter((item) => item.type === "call");
const joined = (plan: Plan, type: "text" | "refusal"): string =>
  plan.items.flatMap((item) => item.type === type ? [item.text] : []).join("");

const thoughtsOf = ({ items }: Plan): string =>
  items.flatMap((item) => item.type === "reasoning" ? [item.thoughts] : []).join("");

/** Tools of a namespace and custom tools reach this wire as functions; the plan names them as they came. */
const functionOf = ({ name, arguments: text }: Call) => ({ name, arguments: text });

function finishReason(plan: Plan): string {
  if (plan.finish !== "stop") return plan.finish;
  return callsOf(plan).length > 0 ? "tool_calls" : "stop";
}

function usageOf({ counts }: Plan): Json | undefined {
  return counts && {
    prompt_tokens: counts.input,
    completion_tokens: counts.output,
    total_tokens: counts.input + counts.output,
    prompt_tokens_details: { cached_tokens: counts.cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: counts.reasoning, audio_tokens: 0 },
  };
}

/** The answer that is not streamed. */
export function completionOf(plan: Plan, { id, model, stamp }: ChatEcho): Json {
  const calls = callsOf(plan).map((call) => ({
    id: call.callId,
    type: "function",
    function: functionOf(call),
  }));
  const thoughts = thoughtsOf(plan);
  const message = {
    role: "assistant",
    content: joined(plan, "text") || null,
    refusal: joined(plan, "refusal") || null,
    annotations: [],
    ...(thoughts === "" ? {} : { reasoning_content: thoughts }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    id,
    object: "chat.completion",
    created: stamp,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(plan) }],
    ...(plan.counts === undefined ? {} : { usage: usageOf(plan) }),
    service_tier: "default",
    system_fingerprint: null,
  };
}

/** The chunks of the stream, without the `[DONE]` behind them. */
export function chunksOf(plan: Plan, echo: ChatEcho): readonly Json[] {
  const chunk = (delta: Json, finish_reason: string | null = null): Json => ({
    ...head(echo),
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    ...(echo.includeUsage ? { usage: null } : {}),
  });
  const grown = (key: string, text: string) =>
    piecesOf(text, plan.pieces).map((piece) => chunk({ [key]: piece }));
  const last = echo.includeUsage && plan.counts !== undefined
    ? [{ ...head(echo), choices: [], usage: usageOf(plan) }]
    : [];
  return [
    chunk({ role: "assistant", content: callsOf(plan).length > 0 ? null : "", refusal: null }),
    ...grown("reasoning_content", thoughtsOf(plan)),
    ...grown("content", joined(plan, "text")),
    ...grown("refusal", joined(plan, "refusal")),
    ...callsOf(plan).flatMap((call, index) => callDeltas(call, { index, plan }).map((delta) => chunk(delta))),
    chunk({}, finishReason(plan)),
    ...last,
  ];
}

const head = ({ id, model, stamp }: ChatEcho): Json => ({
  id,
  object: "chat.completion.chunk",
  created: stamp,
  model,
  service_tier: "default",
  system_fingerprint: null,
});

function callDeltas(
  call: Call,
  { index, plan }: { readonly index: number; readonly plan: Plan },
): readonly Json[] {
  const first = { index, id: call.callId, type: "function", function: { name: call.name, arguments: "" } };
  const chunks = piecesOf(call.arguments, plan.pieces).map((text) => ({
    index,
    function: { arguments: text },
  }));
  return [first, ...chunks].map((one) => ({ tool_calls: [one] }));
}

export const frameOf = (chunk: Json): string => `data: ${JSON.stringify(chunk)}\n\n`;
