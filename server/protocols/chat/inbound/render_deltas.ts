/** Deltas of a chat: what one event of the answer adds to the message. */

import { serviceKindOf } from "../../../../shared/fields/service_tool_names.ts";
import type {
  Annotation,
  JsonObject,
  Logprob,
  PassthroughItem,
  ServerToolCall,
  ToolCallItem,
} from "../../canonical/item.ts";
import { SERVER_TOOL_FORMAT } from "../../../../shared/chat/messages.ts";
import type { OrderedTextEvent } from "../../common/inbound/item_assembly.ts";

/** Content of a choice: the delta, and the logprobs of its text. */
export interface ChoiceDelta {
  readonly delta: JsonObject;
  readonly logprobs?: JsonObject;
}

export function renderTextDelta({ type, delta, logprobs }: OrderedTextEvent): ChoiceDelta {
  const received = type === "refusal" ? { refusal: delta } : { content: delta };
  if (logprobs === undefined) return { delta: received };
  const whole = logprobs.map(wholeLogprob);
  const split = type === "refusal" ? { content: null, refusal: whole } : { content: whole, refusal: null };
  return { delta: received, logprobs: split };
}

const utf8 = new TextEncoder();

/** Bytes and alternatives are required here, though many providers leave them out. */
function wholeLogprob({ token, logprob, bytes, top_logprobs: top }: Logprob): JsonObject {
  return { ...tokenOf({ token, logprob, bytes }), top_logprobs: (top ?? []).map(tokenOf) };
}

const tokenOf = ({ token, logprob, bytes }: Omit<Logprob, "top_logprobs">): JsonObject => ({
  token,
  logprob,
  bytes: bytes ?? Array.from(utf8.encode(token)),
});

/** The first chunk of a call has everything but its arguments. */
export function renderCallStart(
  { kind, callId, name, namespace, extra }: ToolCallItem,
  index: number,
): JsonObject {
  const full = namespace === undefined ? name : `${namespace}__${name}`;
  const { extra_content: signed } = extra?.chat ?? {};
  const head = { index, id: callId, type: kind, ...(signed === undefined ? {} : { extra_content: signed }) };
  if (kind === "custom") return { tool_calls: [{ ...head, custom: { name: full, input: "" } }] };
  return { tool_calls: [{ ...head, function: { name: full, arguments: "" } }] };
}

export function renderCallDelta(
  { kind }: Pick<ToolCallItem, "kind">,
  { index, delta }: { readonly index: number; readonly delta: string },
): JsonObject {
  const chunk = kind === "custom" ? { custom: { input: delta } } : { function: { arguments: delta } };
  return { tool_calls: [{ index, ...chunk }] };
}

/** Annotations have their fields one level deeper here. */
export const renderAnnotations = (annotations: readonly Annotation[]): JsonObject => ({
  annotations: annotations.map(({ type, ...fields }) => ({ type, [type]: fields })),
});

/** Images have a place of their own. */
export function renderImageItem(item: PassthroughItem): JsonObject {
  return isImageItem(item) ? image(item) : {};
}

const isImageItem = ({ kind }: PassthroughItem) =>
  kind === "image_generation_call" || kind === "service:image_generation";

/** Renders a hosted or server tool's item as a detail beside the reasoning. */
export function renderToolDetail(item: PassthroughItem, index: number): JsonObject {
  if (item.call !== undefined) return serverToolDetail(item, { call: item.call, index });
  if (isImageItem(item) || item.textFallback === undefined || item.textFallback === "") return {};
  const detail = {
    type: "reasoning.server_tool_call",
    tool_name: toolName(item.kind),
    arguments: JSON.stringify(item.value.action ?? item.value.arguments ?? {}),
    result: item.textFallback,
    tool_call_id: item.id ?? null,
    index,
  };
  return { reasoning_details: [detail] };
}

interface DetailedCall {
  readonly call: ServerToolCall;
  readonly index: number;
}

/** `format` says that all is there that makes it a call and its result again (`parse_replayed_reasoning.ts`). */
function serverToolDetail({ id, value }: PassthroughItem, { call, index }: DetailedCall): JsonObject {
  if (call.output === undefined) return {};
  const { instance_name } = value;
  const detail = {
    type: "reasoning.server_tool_call",
    id,
    format: SERVER_TOOL_FORMAT,
    tool_name: call.name,
    arguments: call.arguments,
    result: call.output,
    tool_call_id: call.callId,
    ...(instance_name === undefined ? {} : { instance_name }),
    index,
  };
  return { reasoning_details: [detail] };
}

/** `web_search_call` and `service:web_search` are calls of `web_search`. */
const toolName = (kind: string) => serviceKindOf(kind) ?? kind.replace(/^service:/, "").replace(/_call$/, "");

function image({ value }: PassthroughItem): JsonObject {
  const { result, output_format: format } = value;
  if (typeof result !== "string" || result === "") return {};
  const url = /^(data:|https?:)/.test(result)
    ? result
    : `data:image/${typeof format === "string" ? format : "png"};base64,${result}`;
  return { images: [{ type: "image_url", image_url: { url } }] };
}
