/** Messages of a chat → canonical items. */

import type {
  AssistantInput,
  ChatMessageInput,
  ChatToolCall,
  ToolMessageInput,
} from "../../../../shared/chat/messages.ts";
import { truncate } from "../../../../shared/validation/validate.ts";
import type { ContentPart, Item, ToolCallItem, ToolResultItem } from "../../../canonical/item.ts";
import { unprocessableRequestError } from "../../common/inbound/request_errors.ts";
import { parseContent, unknownFields } from "./parse_parts.ts";
import { parseReplayedReasoning } from "./parse_replayed_reasoning.ts";

export interface ParsedMessages {
  readonly items: readonly Item[];
  readonly dropped: readonly string[];
}

/** Throws an ApiError (422) for a result whose call does not stand before it. */
export function parseMessages(messages: readonly ChatMessageInput[]): ParsedMessages {
  const items: Item[] = [];
  const calls = new Map<string, ToolCallItem["kind"]>();
  messages.forEach((message, index) => {
    for (const item of parseMessage(message, { calls, path: `messages[${index}]` })) {
      if (item.type === "call") calls.set(item.callId, item.kind);
      items.push(item);
    }
  });
  const named = messages.some((message) => "name" in message && message.name);
  return { items, dropped: named ? ["messages[].name"] : [] };
}

interface Place {
  /** Calls so far. */
  readonly calls: ReadonlyMap<string, ToolCallItem["kind"]>;
  readonly path: string;
}

const messageKeys = new Set(["role", "content", "name"]);

function parseMessage(message: ChatMessageInput, place: Place): readonly Item[] {
  switch (message.role) {
    case "assistant":
      return parseAssistant(message);
    case "tool":
      return [parseResult(message, place)];
    default: {
      const { role, content } = message;
      return [{
        type: "message",
        role,
        parts: parseContent(content),
        extra: unknownFields(message, messageKeys),
      }];
    }
  }
}

/** Thoughts come first, then what was said, then the calls: the order in which a model puts them out. */
function parseAssistant(message: AssistantInput): readonly Item[] {
  const { content, refusal, images, tool_calls: calls } = message;
  const refused: readonly ContentPart[] = refusal ? [{ type: "refusal", text: refusal }] : [];
  const shown = (images ?? []).map(({ image_url }): ContentPart => ({ type: "image", url: image_url.url }));
  const parts = [...parseContent(content), ...refused, ...shown];
  return [
    ...parseReplayedReasoning(message),
    ...(parts.length === 0 ? [] : [{ type: "message", role: "assistant", parts } as const]),
    ...(calls ?? []).map(parseCall),
  ];
}

function parseCall(call: ChatToolCall): ToolCallItem {
  if (call.type === "custom") {
    const { name, input } = call.custom;
    return { type: "call", kind: "custom", callId: call.id, name, arguments: input };
  }
  const { name, arguments: text } = call.function;
  return { type: "call", kind: "function", callId: call.id, name, arguments: text };
}

function parseResult(message: ToolMessageInput, { calls, path }: Place): ToolResultItem {
  const { tool_call_id: callId, content, cache_control: control } = message;
  const kind = calls.get(callId);
  if (kind === undefined) {
    throw unprocessableRequestError(
      `${path}.tool_call_id`,
      `answers the call ${JSON.stringify(truncate(callId))}, which is not in the messages before it`,
    );
  }
  if (typeof content === "string" && !control) return { type: "result", kind, callId, output: content };
  const parts = parseContent(content);
  const cache = control ? { ttl: control.ttl ?? undefined } : undefined;
  return { type: "result", kind, callId, output: cache === undefined ? parts : markLast(parts, cache) };
}

/** A mark on the whole message is a mark behind its last part. */
function markLast(parts: readonly ContentPart[], cache: { readonly ttl?: string }): readonly ContentPart[] {
  return parts.map((part, at) =>
    at < parts.length - 1 || part.type === "refusal" ? part : { ...part, cache }
  );
}
