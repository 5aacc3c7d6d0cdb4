/** Messages and their blocks → canonical items. */

import { isRecord } from "../../../../shared/util/json.ts";
import { truncate } from "../../../../shared/util/text.ts";
import {
  isKnownBlock,
  type KnownBlock,
  type MessagesBlockInput,
  type OwnBlock,
  type ShownBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from "../../../../shared/messages/blocks.ts";
import type { MessagesMessageInput, MessagesRequest } from "../../../../shared/messages/request.ts";
import type {
  ContentPart,
  Item,
  PassthroughItem,
  Role,
  ToolCallItem,
  ToolResultItem,
} from "../../canonical/item.ts";
import { unprocessableRequestError } from "../../common/inbound/request_errors.ts";
import { parseCacheBreakpoint, parsePart, unknownFields } from "./parse_parts.ts";
import {
  isOfGateway,
  parseBashResult,
  parseServerToolCall,
  withServerToolResult,
} from "./server_tool_blocks.ts";
import { decodeReasoning, decodeRedactedReasoning } from "./reasoning_signature.ts";

/** Throws an ApiError for a result whose call does not stand before it. */
export function parseMessages(messages: readonly MessagesMessageInput[]): readonly Item[] {
  const calls = new Set<string>();
  return messages.flatMap(({ role, content }, index) => {
    if (typeof content === "string") {
      return received(role, content === "" ? [] : [{ type: "text", text: content }]);
    }
    return parseBlocks(content, { role, calls, path: `messages[${index}]` });
  });
}

/** Blocks of a system prompt keep their marks as a message; a plain text is the request's instructions. */
export function parseSystem(system: MessagesRequest["system"]): readonly Item[] {
  return Array.isArray(system) ? received("system", system.map(parsePart)) : [];
}

const received = (role: Role, parts: readonly ContentPart[]): readonly Item[] =>
  parts.length === 0 ? [] : [{ type: "message", role, parts }];

interface Place {
  readonly role: Role;
  /** Ids of the calls so far. */
  readonly calls: Set<string>;
  readonly path: string;
}

/** Blocks that show something and follow one another are one message. */
function parseBlocks(blocks: readonly MessagesBlockInput[], { role, calls, path }: Place): readonly Item[] {
  const items: Item[] = [];
  let shown: ContentPart[] = [];
  const flush = () => {
    items.push(...received(role, shown));
    shown = [];
  };
  blocks.forEach((block, index) => {
    if (!isItemBlock(block)) return void shown.push(parsePart(block));
    flush();
    if (block.type === "tool_use") calls.add(block.id);
    if (block.type === "tool_result" && !calls.has(block.tool_use_id)) {
      throw missingCallError(block, `${path}.content[${index}]`);
    }
    if (block.type === "openrouter_bash_tool_result") return void addBashResult(items, block);
    const before = items.at(-1);
    if (isServerToolResult(block) && before?.type === "foreign") {
      items[items.length - 1] = withServerToolResult(before, block);
    } else items.push(parseItem(block));
  });
  flush();
  return items;
}

const isOwnBlock = (block: ItemBlock): block is OwnBlock =>
  block.type !== "thinking" && block.type !== "redacted_thinking" && block.type !== "tool_use" &&
  block.type !== "tool_result";

/** True for the result of a tool of the gateway's: it stands right behind its call. */
const isServerToolResult = (block: ItemBlock): block is OwnBlock =>
  isOwnBlock(block) && block.type.endsWith("_tool_result") && isOfGateway(block);

/** The result takes the place of its call, which stands before it: other providers have no such block. */
function addBashResult(items: Item[], block: OwnBlock): void {
  const place = items.findIndex((item) =>
    item.type === "foreign" && item.kind === "server_tool_use" && item.value.id === block.tool_use_id
  );
  const call = items[place];
  const item = parseBashResult(block, call?.type === "foreign" ? call.value : undefined);
  items.splice(place < 0 ? items.length : place, place < 0 ? 0 : 1, item);
}

const shownTypes: ReadonlySet<string> = new Set(["text", "image", "document", "search_result"]);

/** A block that is an item by itself; what is newer than we are shows something, as far as anyone knows. */
type ItemBlock = Exclude<KnownBlock, ShownBlock>;
const isItemBlock = (block: MessagesBlockInput): block is ItemBlock =>
  isKnownBlock(block) && !shownTypes.has(block.type);

function missingCallError({ tool_use_id: id }: ToolResultBlock, path: string) {
  const complaint = `answers the call ${
    JSON.stringify(truncate(id))
  }, which is not in the messages before it`;
  return unprocessableRequestError(`${path}.tool_use_id`, complaint);
}

const known = {
  thinking: new Set(["type", "thinking", "signature"]),
  redacted_thinking: new Set(["type", "data"]),
  tool_use: new Set(["type", "id", "name", "input"]),
  tool_result: new Set(["type", "tool_use_id", "content", "cache_control", "is_error"]),
} as const;

function parseItem(block: ItemBlock): Item {
  switch (block.type) {
    case "thinking": {
      const extra = unknownFields(block, known.thinking);
      return { ...decodeReasoning(block.thinking, block.signature), ...(extra && { extra }) };
    }
    case "redacted_thinking": {
      const extra = unknownFields(block, known.redacted_thinking);
      return { ...decodeRedactedReasoning(block.data), ...(extra && { extra }) };
    }
    case "tool_use":
      return parseCall(block);
    case "tool_result":
      return parseResult(block);
    default:
      return parseProviderBlock(block);
  }
}

function parseCall(block: ToolUseBlock): ToolCallItem {
  const { id: callId, name, input } = block;
  const extra = unknownFields(block, known.tool_use);
  return {
    type: "call",
    kind: "function",
    callId,
    name,
    arguments: JSON.stringify(input ?? {}),
    ...(extra && { extra }),
  };
}

function parseResult(block: ToolResultBlock): ToolResultItem {
  const extra = unknownFields(block, known.tool_result)?.messages;
  const failed = block.is_error ? { is_error: true } : undefined;
  return {
    type: "result",
    kind: "function",
    callId: block.tool_use_id,
    output: outputOf(block),
    ...(extra || failed ? { extra: { messages: { ...extra, ...failed } } } : {}),
  };
}

/** A mark on the whole result is a mark behind its last part. */
function outputOf(block: ToolResultBlock): string | readonly ContentPart[] {
  const { content } = block;
  const cache = parseCacheBreakpoint(block);
  if (typeof content === "string" && cache === undefined) return content;
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content ?? [];
  const parts = blocks.map(parsePart);
  const [only] = parts;
  if (parts.length === 0) return "";
  if (parts.length === 1 && only?.type === "text" && !only.cache && !only.extra && !cache) return only.text;
  if (cache === undefined) return parts;
  return parts.map((part, at) =>
    at < parts.length - 1 || part.type === "refusal" ? part : { ...part, cache }
  );
}

/** Anthropic's own tools speak for themselves there; other models are told what was asked of them. */
function parseProviderBlock(block: OwnBlock): PassthroughItem {
  if (block.type === "server_tool_use" && isOfGateway(block)) return parseServerToolCall(block);
  const { type: kind, id } = block;
  return {
    type: "foreign",
    wire: "messages",
    kind,
    value: block,
    id: id || undefined,
    textFallback: wordsOf(block),
  };
}

/** A compaction is a summary of all that came before it, as text. */
function wordsOf({ type, name, input, content }: OwnBlock): string | undefined {
  if (type === "advisor_tool_result") {
    return isRecord(content) && typeof content.text === "string" ? `[Advice]\n${content.text}` : undefined;
  }
  if (type === "compaction") return typeof content === "string" ? content : undefined;
  return name ? `[Called ${name} with ${JSON.stringify(input ?? {})}]` : undefined;
}
