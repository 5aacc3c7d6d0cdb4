/** Input items of a request → canonical items (specification, Input items). */

import type {
  AgentMessageInput,
  CallInput,
  InputItem,
  MessageItemInput,
  ReasoningInput,
  ResultInput,
} from "../../../../shared/responses/items.ts";
import { truncate } from "../../../../shared/util/text.ts";
import { serviceKindOf } from "../../../../shared/fields/service_tool_names.ts";
import type { TextFormat } from "../../../../shared/responses/text_config.ts";
import type { ToolInput } from "../../../../shared/responses/tools.ts";
import type {
  ContentPart,
  Item,
  JsonObject,
  MessageItem,
  PassthroughItem,
  ReasoningItem,
  Role,
  ToolCallItem,
  ToolResultItem,
} from "../../canonical/item.ts";
import { unknownFields } from "./parse_fields.ts";
import { parseAgentPart, parsePart } from "./parse_parts.ts";
import { describeHostedItem, describeServiceItem } from "./describe_items.ts";

/** Parsed input: the conversation, and what some items say of the request itself. */
export interface ParsedInput {
  readonly items: readonly Item[];
  /** Tools of `additional_tools` items, in their order. */
  readonly tools: readonly ToolInput[];
  /** Effort of the last `configuration_update` that names one. */
  readonly effort?: string;
  readonly format?: TextFormat;
  readonly dropped: readonly string[];
}

/** The same, while it grows. */
interface Draft {
  readonly items: Item[];
  readonly tools: ToolInput[];
  readonly dropped: string[];
  effort?: string;
  format?: TextFormat;
}

/** Notes kept of what was dropped; a caller who sends more references knows by then. */
const NOTES = 50;

function reportDropped(draft: Draft, note: string): void {
  if (draft.dropped.length < NOTES) draft.dropped.push(note);
}

/** A plain string is one user message. */
export function parseInput(input: string | readonly InputItem[]): ParsedInput {
  if (typeof input === "string") {
    return {
      items: [message({ role: "user", parts: [{ type: "text", text: input }] })],
      tools: [],
      dropped: [],
    };
  }
  const draft: Draft = { items: [], tools: [], dropped: [] };
  for (const item of input) addItem(draft, item);
  return draft;
}

function addItem(draft: Draft, item: InputItem): void {
  switch (item.type) {
    case undefined:
    case null:
    case "message":
      return takeMessage(draft, item);
    case "reasoning":
      return void draft.items.push(parseReasoning(item));
    case "function_call":
    case "custom_tool_call":
      return void draft.items.push(parseCall(item));
    case "function_call_output":
    case "custom_tool_call_output":
      return void draft.items.push(parseResult(item));
    case "item_reference":
      return reportDropped(draft, `item_reference ${truncate(item.id)}`);
    case "additional_tools":
      for (const tool of item.tools) draft.tools.push(tool);
      return;
    case "configuration_update":
      draft.effort = item.reasoning?.effort ?? draft.effort;
      draft.format = item.text?.format ?? draft.format;
      return;
    case "agent_message":
      return takeAgentMessage(draft, item);
    default:
      return void draft.items.push(parsePassthroughItem(item));
  }
}

const messageKeys = new Set(["type", "role", "content", "id", "status", "phase"]);

/** `{"id": "rs_1"}` alone is a reference; nothing is stored that it could point to. */
function takeMessage(draft: Draft, item: MessageItemInput): void {
  if (item.role === undefined) return reportDropped(draft, `item_reference ${truncate(item.id ?? "")}`);
  draft.items.push({
    type: "message",
    role: item.role,
    parts: parseContent(item.content),
    id: item.id || undefined,
    status: item.status ?? undefined,
    phase: item.phase ?? undefined,
    extra: unknownFields(item, messageKeys),
  });
}

function parseContent(content: MessageItemInput["content"]): readonly ContentPart[] {
  if (content === null || content === undefined) return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content.map(parsePart);
}

function message(
  { role, parts }: { readonly role: Role; readonly parts: readonly ContentPart[] },
): MessageItem {
  return { type: "message", role, parts };
}

/** Other agents speak as users do; who spoke, and to whom, is told to the model. */
function takeAgentMessage(draft: Draft, item: AgentMessageInput): void {
  const heading = `[Message from agent ${item.author} to ${item.recipient}]`;
  const parts: ContentPart[] = [{ type: "text", text: heading }];
  for (const content of item.content) {
    const part = parseAgentPart(content);
    if (part === undefined) reportDropped(draft, "agent_message encrypted_content");
    else parts.push(part);
  }
  draft.items.push(message({ role: "user", parts }));
}

const reasoningKeys = new Set([
  "type",
  "id",
  "summary",
  "content",
  "encrypted_content",
  "signature",
  "format",
  "status",
]);

function parseReasoning(item: ReasoningInput): ReasoningItem {
  return {
    type: "reasoning",
    summary: texts(item.summary),
    content: texts(item.content),
    encrypted: item.encrypted_content ?? undefined,
    signature: item.signature ?? undefined,
    format: item.format ?? undefined,
    id: item.id || undefined,
    status: item.status ?? undefined,
    extra: unknownFields(item, reasoningKeys),
  };
}

function texts(parts: readonly { readonly text: string }[] | null | undefined): readonly string[] {
  return parts?.map(({ text }) => text) ?? [];
}

const callKeys = new Set(["type", "id", "call_id", "name", "namespace", "arguments", "input", "status"]);

function parseCall(item: CallInput): ToolCallItem {
  const custom = item.type === "custom_tool_call";
  return {
    type: "call",
    kind: custom ? "custom" : "function",
    callId: item.call_id,
    name: item.name,
    namespace: item.namespace ?? undefined,
    arguments: custom ? item.input : item.arguments,
    id: item.id || undefined,
    status: item.status ?? undefined,
    extra: unknownFields(item, callKeys),
  };
}

const resultKeys = new Set(["type", "id", "call_id", "output", "status"]);

function parseResult(item: ResultInput): ToolResultItem {
  return {
    type: "result",
    kind: item.type === "custom_tool_call_output" ? "custom" : "function",
    callId: item.call_id,
    output: typeof item.output === "string" ? item.output : item.output.map(parsePart),
    id: item.id || undefined,
    status: item.status ?? undefined,
    extra: unknownFields(item, resultKeys),
  };
}

type ForeignInput = { readonly type: string; readonly id?: string | null } & JsonObject;

/** Server tools' items have the kind `service:…`, however they were spelled. */
function parsePassthroughItem(item: ForeignInput): PassthroughItem {
  const service = serviceKindOf(item.type);
  const words = service === undefined
    ? describeHostedItem(item.type, item)
    : describeServiceItem(service, item);
  return {
    type: "foreign",
    wire: "responses",
    kind: service === undefined ? item.type : `service:${service}`,
    value: item,
    id: item.id || undefined,
    textFallback: words,
  };
}
