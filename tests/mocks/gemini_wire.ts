/** A plan in the bytes of generateContent, streamed and whole. */

import { piecesOf, type Plan, type Planned, valueOf } from "./plan.ts";
import type { Json } from "./published.ts";

export interface GeminiEcho {
  readonly id: string;
  readonly model: string;
  /** Thoughts are shown only to those who asked for them. */
  readonly showsThoughts: boolean;
}

const reasons = { stop: "STOP", length: "MAX_TOKENS", content_filter: "SAFETY" } as const;

/** A part for every chunk of the plan; a call comes whole, and the first one is signed. */
function partsOf(plan: Plan, { showsThoughts }: GeminiEcho): readonly Json[] {
  let calls = 0;
  return plan.items.flatMap((item) => {
    if (item.type === "call") return [callPart(item, calls++)];
    if (item.type === "search") return [];
    if (item.type !== "reasoning") return piecesOf(item.text, plan.pieces).map((text) => ({ text }));
    const thoughts = showsThoughts ? item.thoughts || item.summary.join("\n") : "";
    return piecesOf(thoughts, plan.pieces).map((text) => ({ text, thought: true }));
  });
}

function callPart(item: Extract<Planned, { type: "call" }>, at: number): Json {
  const args: unknown = item.kind === "custom" ? { input: item.arguments } : valueOf(item.arguments);
  const signed = at === 0 ? { thoughtSignature: "bW9jay1zaWduYXR1cmU=" } : {};
  return { functionCall: { id: item.callId, name: item.name, args }, ...signed };
}

/** Counts that are zero are left out. */
function usageOf({ counts }: Plan): Json {
  if (counts === undefined) return {};
  const { input, output, cached, reasoning } = counts;
  const usage = {
    promptTokenCount: input,
    candidatesTokenCount: output - reasoning,
    thoughtsTokenCount: reasoning,
    cachedContentTokenCount: cached,
    totalTokenCount: input + output,
  };
  return { usageMetadata: Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== 0)) };
}

const answer = (parts: readonly Json[], finishReason: string | undefined): Json => ({
  candidates: [{
    content: { parts, role: "model" },
    ...(finishReason === undefined ? {} : { finishReason }),
    index: 0,
  }],
});

const echoFields = ({ id, model }: GeminiEcho): Json => ({ modelVersion: model, responseId: id });

/** The answer that is not streamed. */
export const contentOf = (plan: Plan, echo: GeminiEcho): Json => ({
  ...answer(partsOf(plan, echo), reasons[plan.finish]),
  ...usageOf(plan),
  ...echoFields(echo),
});

/** The chunks of the stream; nothing stands behind the last one. */
export function chunksOf(plan: Plan, echo: GeminiEcho): readonly Json[] {
  const chunks = partsOf(plan, echo).map((part) => ({ ...answer([part], undefined), ...echoFields(echo) }));
  return [...chunks, {
    ...answer([{ text: "" }], reasons[plan.finish]),
    ...usageOf(plan),
    ...echoFields(echo),
  }];
}

/** Google ends its lines as HTTP does. */
export const frameOf = (chunk: Json): string => `data: ${JSON.stringify(chunk)}\r\n\r\n`;
