/** Hub items → input items of a Responses request (specification, Input items). */

import { ownValue } from "../../../../shared/util/own_value.ts";
import { isRecord, omitUndefined } from "../../../../shared/util/json.ts";
import { callArgumentsText } from "../../canonical/call_arguments.ts";
import type {
  Item,
  JsonObject,
  MessageItem,
  PassthroughItem,
  ReasoningItem,
  ToolCallItem,
  ToolResultItem,
  WireExtra,
} from "../../canonical/item.ts";
import type { EndpointTraits } from "../../wire.ts";
import { renderInputParts, renderOutputParts, type ReportDropped } from "./render_parts.ts";
import { shortenName } from "../../common/outbound/shorten_name.ts";
import { itemKeys, keysOutside, pickKeys, renderEach } from "./published_fields.ts";

export interface InputContext {
  readonly traits: EndpointTraits;
  readonly note: ReportDropped;
}

/** The whole conversation; an item that the provider has no form for is told as text or left out with a note. */
export function renderInput(items: readonly Item[], context: InputContext): readonly JsonObject[] {
  return renderEach(items, (item) => renderItem(item, context));
}

function renderItem(item: Item, context: InputContext): JsonObject | undefined {
  switch (item.type) {
    case "message":
      return item.role === "assistant" ? renderAnswer(item, context.note) : renderMessage(item, context);
    case "reasoning":
      return renderReasoning(item, context);
    case "call":
      return renderCall(item);
    case "result":
      return renderResult(item, context.note);
    case "foreign":
      return renderPassthroughItem(item, context.note);
    default:
      return item satisfies never;
  }
}

/** Ids stay behind: the provider publishes none for messages that it did not write. */
function renderMessage(item: MessageItem, { traits, note }: InputContext): JsonObject | undefined {
  const content = renderInputParts(item.parts, note);
  if (content.length === 0 && item.parts.length > 0) return undefined;
  const role = item.role === "developer" ? traits.developerRole : item.role;
  return omitUndefined({ type: "message", role, content, phase: item.phase });
}

/**
 * A message with the provider's own id goes back as it came. Without one the provider knows an easier form,
 * in which a lone text is a plain string: the one that every compatible server takes.
 */
function renderAnswer(item: MessageItem, note: ReportDropped): JsonObject | undefined {
  const content = renderOutputParts(item.parts, note);
  if (content.length === 0) return undefined;
  const id = isProviderId(item.id, "msg_");
  const { role, phase, status = "completed" } = item;
  if (id !== undefined) return omitUndefined({ type: "message", id, role, status, content, phase });
  const [only] = item.parts;
  const plain = item.parts.length === 1 && only?.type === "text" && !only.annotations?.length;
  return omitUndefined({ type: "message", role, content: plain ? only.text : content, phase });
}

/** The provider takes no longer ids; those that other providers gave may be longer. */
const MOST_ID_CHARS = 64;

/** The provider refuses ids that are not of its own form ("Expected an ID that begins with 'rs'"). */
function isProviderId(id: string | undefined, prefix: string): string | undefined {
  return id !== undefined && id.length <= MOST_ID_CHARS && id.startsWith(prefix) ? id : undefined;
}

/**
 * Reasoning that the provider can use again is its encrypted text: nothing is stored there, so an id alone is not
 * found, and plain thoughts are refused ("array too long") save by servers whose row takes them.
 */
function renderReasoning(item: ReasoningItem, { traits, note }: InputContext): JsonObject | undefined {
  const thoughts = traits.passKeys.includes("reasoning.content") ? item.content : [];
  const encrypted = isForeignEncrypted(item) ? undefined : item.encrypted;
  if (encrypted === undefined && thoughts.length === 0) {
    return void note(
      item.encrypted === undefined ? "reasoning without encrypted_content" : `reasoning ${item.format}`,
    );
  }
  return omitUndefined({
    type: "reasoning",
    id: encrypted === undefined ? undefined : isProviderId(item.id, "rs_"),
    summary: item.summary.map((text) => ({ type: "summary_text", text })),
    content: thoughts.length === 0 ? undefined : thoughts.map((text) => ({ type: "reasoning_text", text })),
    encrypted_content: encrypted,
  });
}

/**
 * Formats of makers that do not speak this wire: what they sealed is refused here (specification, Output items).
 */
const foreignFormats = /^(anthropic|google)-/;

const isForeignEncrypted = ({ format }: ReasoningItem): boolean => foreignFormats.test(format ?? "");

function renderCall(item: ToolCallItem): JsonObject {
  const custom = item.kind === "custom";
  const type = custom ? "custom_tool_call" : "function_call";
  return omitUndefined({
    ...listedExtra(item.extra, type),
    type,
    id: isProviderId(item.id, custom ? "ctc_" : "fc_"),
    call_id: shortenName(item.callId, MOST_ID_CHARS),
    name: item.name,
    namespace: item.namespace,
    ...(custom ? { input: item.arguments } : { arguments: callArgumentsText(item.arguments) }),
    status: custom ? undefined : item.status,
  });
}

function renderResult(item: ToolResultItem, note: ReportDropped): JsonObject {
  const type = item.kind === "custom" ? "custom_tool_call_output" : "function_call_output";
  const output = typeof item.output === "string" ? item.output : renderInputParts(item.output, note);
  const call_id = shortenName(item.callId, MOST_ID_CHARS);
  return { ...listedExtra(item.extra, type), type, call_id, output };
}

/** Keys of ours to say, whatever the client put beside them. */
const modelled: readonly string[] = ["id", "call_id", "status", "arguments", "input", "output"];

const nothing: JsonObject = {};

function listedExtra(extra: WireExtra | undefined, type: string): JsonObject {
  if (extra?.responses === undefined) return nothing;
  return pickKeys(extra.responses, (ownValue(itemKeys, type) ?? []).filter((key) => !modelled.includes(key)));
}

/** The provider's own kinds go back as they are; all others are told in words. */
function renderPassthroughItem(from: PassthroughItem, note: ReportDropped): JsonObject | undefined {
  const item = asCompaction(from);
  const keys = item.wire === "responses" ? ownValue(itemKeys, item.kind) : undefined;
  if (keys !== undefined) {
    keysOutside(item.value, keys).forEach((key) => note(`${item.kind}.${key}`));
    return withTakenOutputs(withTakenIds(withTakenTexts(pickKeys(item.value, keys))), note);
  }
  if (item.textFallback === undefined) return void note(item.kind);
  return { type: "message", role: "assistant", content: item.textFallback };
}

/** Outputs that the provider's own interpreter has: those of a gateway's may be files too, which it refuses. */
const takenOutputs: ReadonlySet<unknown> = new Set(["logs", "image"]);

function withTakenOutputs(item: JsonObject, note: ReportDropped): JsonObject {
  const { type, outputs } = item;
  if (type !== "code_interpreter_call" || !Array.isArray(outputs)) return item;
  const taken = outputs.filter((output) => isRecord(output) && takenOutputs.has(output.type));
  if (taken.length < outputs.length) note("code_interpreter_call.outputs file");
  return { ...item, outputs: taken };
}

/** A call's id and its arguments as the provider takes them of its own kinds of calls. */
function withTakenTexts(item: JsonObject): JsonObject {
  const { call_id: callId, arguments: text } = item;
  const isLong = typeof callId === "string" && callId.length > MOST_ID_CHARS;
  if (!isLong && typeof text !== "string") return item;
  return {
    ...item,
    ...(isLong ? { call_id: shortenName(callId, MOST_ID_CHARS) } : {}),
    ...(typeof text === "string" ? { arguments: callArgumentsText(text) } : {}),
  };
}

/** Beginning of the ids of items that the gateway has made. */
const OWN_ID = "st_";

/** Beginnings of the provider's ids, of kinds of items that need one. */
const neededIds: ReadonlyMap<unknown, string> = new Map([
  ["web_search_call", "ws_"],
  ["file_search_call", "fs_"],
  ["image_generation_call", "ig_"],
  ["code_interpreter_call", "ci_"],
  ["mcp_call", "mcp_"],
]);

const searches: ReadonlySet<unknown> = new Set(["tool_search_call", "tool_search_output"]);

/**
 * An item of the gateway's as the provider would have made it. Its own searches of tools have no id of a call: those
 * with one are a client's.
 */
function withTakenIds(item: JsonObject): JsonObject {
  const { id: ownId, ...withoutId } = item;
  if (typeof ownId !== "string" || !ownId.startsWith(OWN_ID)) return item;
  const { type, execution } = item;
  const isSearch = searches.has(type) && execution === "server";
  const rest = isSearch ? { ...withoutId, call_id: null } : withoutId;
  const prefix = neededIds.get(type);
  return prefix === undefined ? rest : { ...rest, id: prefix + ownId.slice(OWN_ID.length) };
}

/** Some clients store compactions under a name that the provider refuses; without content they are marks of theirs. */
function asCompaction(item: PassthroughItem): PassthroughItem {
  if (item.kind !== "context_compaction" || typeof item.value.encrypted_content !== "string") return item;
  return { ...item, kind: "compaction", value: { ...item.value, type: "compaction" } };
}
