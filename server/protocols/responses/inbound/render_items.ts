/** Hub items → items of the Responses wire (specification, Output items). */

import { joinStrings } from "../../../../shared/util/text.ts";
import { encodeReasoning } from "../../canonical/encrypted_reasoning.ts";
import type {
  Annotation,
  ContentPart,
  ItemStatus,
  JsonObject,
  Logprob,
  MessageItem,
  OutputItem,
  ReasoningItem,
  ToolCallItem,
} from "../../canonical/item.ts";

/** A content or summary part while it grows and after. */
export interface WirePart {
  readonly type: "output_text" | "refusal" | "reasoning_text" | "summary_text";
  readonly text: string;
  /** Whether it is the model's reasoning itself, which is shown as a summary to clients that ask for one. */
  readonly thought?: boolean;
  readonly annotations: readonly Annotation[];
  readonly logprobs: readonly Logprob[];
  readonly extra?: JsonObject;
}

/** A part as clients see it: `annotations` and `logprobs` always there on output_text, or clients break. */
export function renderPart(part: WirePart): JsonObject {
  switch (part.type) {
    case "output_text":
      return {
        ...part.extra,
        type: part.type,
        text: part.text,
        annotations: part.annotations,
        logprobs: part.logprobs.map(wholeLogprob),
      };
    case "refusal":
      return { ...part.extra, type: part.type, refusal: part.text };
    case "reasoning_text":
    case "summary_text":
      return { type: part.type, text: part.text };
    default:
      return part.type satisfies never;
  }
}

const utf8 = new TextEncoder();

/** In parts the bytes and the alternatives are required, though many providers leave them out. */
function wholeLogprob({ token, logprob, bytes, top_logprobs: top }: Logprob): JsonObject {
  return { token, logprob, bytes: bytes ?? bytesOf(token), top_logprobs: (top ?? []).map(wholeTop) };
}

const wholeTop = ({ token, logprob, bytes }: Logprob): JsonObject => ({
  token,
  logprob,
  bytes: bytes ?? bytesOf(token),
});

const bytesOf = (token: string): readonly number[] => Array.from(utf8.encode(token));

/**
 * A canonical model part that a model put out, as a finished wire part; kinds no model puts out are told as text.
 */
export function toFinishedPart(part: ContentPart): WirePart {
  if (part.type === "foreign") return { type: "output_text", text: "", annotations: [], logprobs: [] };
  const base = { annotations: [], logprobs: [], extra: part.extra?.responses };
  if (part.type === "refusal") return { ...base, type: "refusal", text: part.text };
  if (part.type !== "text") return { ...base, type: "output_text", text: "" };
  return {
    ...base,
    type: "output_text",
    text: part.text,
    annotations: part.annotations ?? [],
    logprobs: part.logprobs ?? [],
  };
}

interface ItemBody {
  readonly id: string;
  /** `include` values of the request: they decide which optional fields are sent back. */
  readonly include: readonly string[];
  readonly status: ItemStatus;
  readonly parts: readonly WirePart[];
  readonly summary: readonly WirePart[];
  readonly arguments: string;
}

const prefixes = { message: "msg", reasoning: "rs", call: "fc" } as const;

/** The id of an item that its provider left nameless. */
export function generateItemId(item: OutputItem, tail: string): string {
  if (item.type === "foreign" && item.kind === "image_generation_call") return joinStrings("ig_", tail);
  if (item.type === "foreign") return joinStrings(item.kind.replace(/[^a-z]+/g, "_").slice(0, 12), "_", tail);
  return joinStrings(item.type === "call" && item.kind === "custom" ? "ctc" : prefixes[item.type], "_", tail);
}

/** The whole item as it stands. `body` carries what was streamed, `item` all else. */
export function renderItem(item: OutputItem, body: ItemBody): JsonObject {
  switch (item.type) {
    case "message":
      return renderMessage(item, body);
    case "reasoning":
      return renderReasoning(item, body);
    case "call":
      return renderCall(item, body);
    case "foreign":
      return { ...filterIncludes(item.value, body.include), id: body.id };
    default:
      return item satisfies never;
  }
}

function renderMessage(item: MessageItem, { id, status, parts }: ItemBody): JsonObject {
  return {
    ...item.extra?.responses,
    id,
    type: "message",
    status,
    role: "assistant",
    content: parts.map(renderPart),
    ...(item.phase === undefined ? {} : { phase: item.phase }),
  };
}

function renderReasoning(item: ReasoningItem, body: ItemBody): JsonObject {
  const { id, status, parts, summary, include } = body;
  const { signature, format } = item;
  const encrypted = include.includes("reasoning.encrypted_content") ? encryptedOf(item, body) : undefined;
  return {
    ...item.extra?.responses,
    id,
    type: "reasoning",
    status,
    summary: summary.map(renderPart),
    ...(parts.length === 0 ? {} : { content: parts.map(renderPart) }),
    ...(encrypted === undefined ? {} : { encrypted_content: encrypted }),
    ...(signature === undefined ? {} : { signature }),
    ...(format === undefined ? {} : { format }),
  };
}

/** Encrypted reasoning that the provider wants back, where that is more than its own. */
function encryptedOf(item: ReasoningItem, { parts, summary }: ItemBody): string | undefined {
  if (item.origin === undefined) return item.encrypted;
  const all = [...parts, ...summary];
  const textsOf = (thought: boolean) =>
    all.filter((part) => isThought(part) === thought).map(({ text }) => text);
  const whole = { ...item, content: textsOf(true), summary: textsOf(false) };
  return encodeReasoning(item.origin, whole) ?? item.encrypted;
}

export const isThought = ({ thought = false }: WirePart): boolean => thought;

function renderCall(item: ToolCallItem, body: ItemBody): JsonObject {
  return {
    ...item.extra?.responses,
    id: body.id,
    type: item.kind === "custom" ? "custom_tool_call" : "function_call",
    status: body.status,
    call_id: item.callId,
    name: item.name,
    ...(item.kind === "custom" ? { input: body.arguments } : { arguments: body.arguments }),
    ...(item.namespace === undefined ? {} : { namespace: item.namespace }),
  };
}

/** Drops what a hosted tool's item holds only for those who asked for it in `include`. */
function filterIncludes(value: JsonObject, include: readonly string[]): JsonObject {
  if (value.type === "file_search_call" && !include.includes("file_search_call.results")) {
    const { results: _unasked, ...rest } = value;
    return rest;
  }
  if (value.type === "code_interpreter_call" && !include.includes("code_interpreter_call.outputs")) {
    return { ...value, outputs: null };
  }
  return value;
}
