/** The events of a message → the message, as the clients' own accumulators do it. */

import { parseCallArguments } from "../../canonical/call_arguments.ts";
import type { JsonObject } from "../../canonical/item.ts";
import type { MessagesStreamEvent } from "./render_context.ts";

export function collectMessage(events: readonly MessagesStreamEvent[]): JsonObject {
  const draft: Draft = { message: {}, content: [], end: {} };
  for (const event of events) addEvent(draft, event);
  return { ...draft.message, content: draft.content.map(finished), ...draft.end };
}

interface Draft {
  message: JsonObject;
  readonly content: OpenBlockDraft[];
  end: JsonObject;
}

interface OpenBlockDraft {
  block: Record<string, unknown>;
  /** JSON of a call's input, so far. */
  json: string;
}

function addEvent(draft: Draft, { type, ...fields }: MessagesStreamEvent): void {
  switch (type) {
    case "message_start":
      draft.message = record(fields.message);
      return;
    case "content_block_start":
      draft.content.push({ block: { ...record(fields.content_block) }, json: "" });
      return;
    case "content_block_delta":
      return appendDelta(draft.content.at(-1), record(fields.delta));
    case "message_delta":
      draft.end = { ...draft.end, ...record(fields.delta), usage: fields.usage };
      return;
    case "message_stop":
    case "error":
      draft.end = { ...draft.end, ...fields };
      return;
    default:
      return;
  }
}

function appendDelta(growing: OpenBlockDraft | undefined, delta: JsonObject): void {
  if (growing === undefined) return;
  const { block } = growing;
  if (delta.type === "text_delta") block.text = `${block.text}${delta.text}`;
  if (delta.type === "thinking_delta") block.thinking = `${block.thinking}${delta.thinking}`;
  if (delta.type === "signature_delta") block.signature = delta.signature;
  if (delta.type === "input_json_delta") growing.json += String(delta.partial_json);
  if (delta.type === "citations_delta") {
    block.citations = [...(Array.isArray(block.citations) ? block.citations : []), delta.citation];
  }
}

function finished({ block, json }: OpenBlockDraft): JsonObject {
  return json === "" ? block : { ...block, input: inputOf(json) };
}

/** An input is an object; what a model wrote otherwise, or left unfinished, must not be taken for one. */
function inputOf(json: string): JsonObject {
  return parseCallArguments(json) ?? { INVALID_JSON: json };
}

const record = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null ? { ...value } : {};
