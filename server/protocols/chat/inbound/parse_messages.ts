/** Messages of a chat → canonical items. */

import type {
  AssistantInput,
  ChatMessageInput,
  ChatToolCall,
  ToolMessageInput,
} from "../../../../shared/chat/messages.ts";
import { truncate } from "../../../../shared/util/text.ts";
import type { ContentPart, Item, ToolCallItem, ToolResultItem } from "../../canonical/item.ts";
import { unprocessableRequestError } from "../../common/inbound/request_errors.ts";
import { parseContent, unknownFields } from "./parse_parts.ts";
import { parseReplayedReasoning } from "./parse_replayed_reasoning.ts";

interface ParsedMessages {
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
  return { items, dropped: [] };
}

interface Place {
  /** Calls so far. */
  readonly calls: ReadonlyMap<string, ToolCallItem["kind"]>;
  readonly path: string;
}

const messageKeys = new Set(["role", "content"]);

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

/** `annotations` and `audio` report on an earlier answer, `function_call` is an older `tool_calls`. */
const assistantKeys = new Set([
  "role",
  "content",
  "refusal",
  "tool_calls",
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "images",
  "annotations",
  "audio",
  "function_call",
]);

/**
 * Thoughts come first, then what was said, then the calls, the order in which a model puts them out; those that a
 * call needs stand right before it.
 */
function parseAssistant(message: AssistantInput): readonly Item[] {
  const { content, refusal, images, tool_calls: calls } = message;
  const refused: readonly ContentPart[] = refusal ? [{ type: "refusal", text: refusal }] : [];
  const shown = (images ?? []).map(({ image_url }): ContentPart => ({ type: "image", url: image_url.url }));
  const parts = [...parseContent(content), ...refused, ...shown];
  const extra = unknownFields(message, assistantKeys);
  const said = { type: "message", role: "assistant", parts, ...(extra && { extra }) } as const;
  const { first, beforeCalls } = parseReplayedReasoning(message);
  return [
    ...first,
    ...(parts.length === 0 && extra === undefined ? [] : [said]),
    ...(calls ?? []).flatMap((call) => [...beforeCalls.get(call.id) ?? [], parseCall(call)]),
  ];
}

const callKeys = new Set(["id", "type", "index", "function", "custom"]);

function parseCall(call: ChatToolCall): ToolCallItem {
  const extra = unknownFields(call, callKeys);
  const known = { type: "call", callId: call.id, ...(extra && { extra }) } as const;
  if (call.type === "custom") {
    const { name, input } = call.custom;
    return { ...known, kind: "custom", name, arguments: input };
  }
  const { name, arguments: text } = call.function;
  return { ...known, kind: "function", name, arguments: text };
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
  const extra = unknownFields(message, resultKeys);
  const known = { type: "result", kind, callId, ...(extra && { extra }) } as const;
  if (typeof content === "string" && !control) return { ...known, output: content };
  const parts = parseContent(content);
  const cache = control ? { ttl: control.ttl ?? undefined } : undefined;
  return { ...known, output: cache === undefined ? parts : markLast(parts, cache) };
}

const resultKeys = new Set(["role", "tool_call_id", "content", "cache_control"]);

/** A mark on the whole message is a mark behind its last part. */
function markLast(parts: readonly ContentPart[], cache: { readonly ttl?: string }): readonly ContentPart[] {
  return parts.map((part, at) =>
    at < parts.length - 1 || part.type === "refusal" ? part : { ...part, cache }
  );
}
