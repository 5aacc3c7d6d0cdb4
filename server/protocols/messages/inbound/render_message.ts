/** The message object, its usage and its end, as POST /messages spells them. */

import { isRecord } from "../../../../shared/util/json.ts";
import { ownValue } from "../../../../shared/util/own_value.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { FinishEvent } from "../../canonical/event.ts";
import type { JsonObject } from "../../canonical/item.ts";
import type { MessagesContext } from "./render_context.ts";

/** The message before its first block; counts are known at the end. */
export function renderMessageStart(context: MessagesContext): JsonObject {
  return {
    id: context.responseId,
    type: "message",
    role: "assistant",
    model: context.model(),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    usage: renderUsage(undefined, {}),
  };
}

const tiers: Readonly<Record<string, string>> = { default: "standard" };

interface UsageContext {
  readonly serviceTier?: string;
  /** Cost and the like. */
  readonly settled?: JsonObject;
  /** Pages that blocks of the message tell of. */
  readonly fetches?: number;
}

/** Input is here what the cache neither had nor took. */
export function renderUsage(
  usage: Usage | undefined,
  { serviceTier, settled, fetches = 0 }: UsageContext,
): JsonObject {
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } =
    usage ?? {};
  return {
    input_tokens: Math.max(0, inputTokens - cachedTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    output_tokens: outputTokens,
    output_tokens_details: { thinking_tokens: reasoningTokens },
    server_tool_use: renderToolUse(settled, fetches),
    service_tier: serviceTier === undefined ? "standard" : ownValue(tiers, serviceTier) ?? serviceTier,
    ...settled,
  };
}

/** Null where there was none, as the provider says it. */
function renderToolUse(settled: JsonObject | undefined, fetches: number): JsonObject | null {
  const details = settled?.server_tool_use_details;
  const counted = isRecord(details) ? details.web_search_requests : undefined;
  const searches = typeof counted === "number" ? counted : 0;
  if (searches === 0 && fetches === 0) return null;
  return { web_search_requests: searches, web_fetch_requests: fetches };
}

/** Contents of the answer that its stop reason and its usage depend on. */
export interface ResponseContents {
  readonly calls: boolean;
  readonly refusal: boolean;
  readonly fetches: number;
}

/** Which of the two it is, the blocks of the message say: some servers end a turn with a call as any other. */
const byContents: ReadonlySet<unknown> = new Set(["end_turn", "tool_use"]);

/** A provider of this same wire has said why in words of its own, which say more. */
export function renderStop({ reason, extra }: FinishEvent, contents: ResponseContents): JsonObject {
  const { stop_reason, stop_sequence, stop_details, own: fields } = extra?.messages ?? {};
  const own = typeof stop_reason === "string" && !byContents.has(stop_reason) ? stop_reason : undefined;
  const stopReason = own ?? reasonOf(reason, contents);
  return {
    ...(isRecord(fields) ? fields : {}),
    stop_reason: stopReason,
    stop_sequence: typeof stop_sequence === "string" ? stop_sequence : null,
    stop_details: stop_details ?? (stopReason === "refusal" ? unexplained : null),
  };
}

const unexplained: JsonObject = { type: "refusal", category: null, explanation: null };

function reasonOf(reason: FinishEvent["reason"], { calls, refusal }: ResponseContents): string {
  if (reason === "length") return "max_tokens";
  if (reason === "content_filter" || refusal) return "refusal";
  return calls ? "tool_use" : "end_turn";
}
