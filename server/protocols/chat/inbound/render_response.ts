/** The whole answer of a chat: what its stream adds up to, so that both always say the same. */

import { ownValue } from "../../../../shared/util/own_value.ts";
import type { ModelEvent } from "../../canonical/event.ts";
import type { JsonObject } from "../../canonical/item.ts";
import { foldEvents } from "../../stream/state_machine.ts";
import type { ChatContext } from "./render_context.ts";
import { renderEvents } from "./render_events.ts";

export function renderResponse(context: ChatContext, events: readonly ModelEvent[]): JsonObject {
  const draft: ResponseDraft = { message: {}, calls: [], logprobs: {}, reason: null, own: {}, rest: {} };
  for (const { body } of foldEvents(renderEvents({ ...context, takeDebugBodies: () => [] }), events)) {
    addChunk(draft, body);
  }
  const { choices: _choices, object: _object, ...rest } = draft.rest;
  const { id, created, model, ...more } = rest;
  const { message, calls, logprobs, reason, own } = draft;
  const choice = {
    index: 0,
    message: {
      role: "assistant",
      content: message.content ?? null,
      refusal: message.refusal ?? null,
      ...optional(message),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map(finished) }),
    },
    ...own,
    logprobs: Object.keys(logprobs).length === 0 ? null : { content: null, refusal: null, ...logprobs },
    finish_reason: reason,
  };
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [choice],
    system_fingerprint: null,
    ...more,
  };
}

interface ResponseDraft {
  readonly message: Record<string, unknown>;
  readonly calls: Call[];
  readonly logprobs: Record<string, unknown[]>;
  reason: unknown;
  /** Fields beside the message that a provider of this same wire has. */
  own: JsonObject;
  rest: JsonObject;
}

interface Call {
  readonly head: JsonObject;
  readonly key: "function" | "custom";
  readonly name: unknown;
  text: string;
}

function optional({ content: _content, refusal: _refusal, role: _role, ...others }: JsonObject): JsonObject {
  return others;
}

function addChunk(draft: ResponseDraft, chunk: JsonObject): void {
  draft.rest = { ...draft.rest, ...chunk };
  for (const choice of records(chunk.choices)) {
    draft.reason = choice.finish_reason ?? draft.reason;
    const { index: _index, delta, logprobs, finish_reason: _reason, ...own } = choice;
    draft.own = { ...draft.own, ...own };
    addLogprobs(draft, record(logprobs));
    addDelta(draft, record(delta));
  }
}

function addLogprobs({ logprobs }: ResponseDraft, more: JsonObject): void {
  for (const [key, list] of Object.entries(more)) {
    if (Array.isArray(list)) (logprobs[key] ??= []).push(...list);
  }
}

function addDelta(
  { message, calls }: ResponseDraft,
  { tool_calls, reasoning_details, ...delta }: JsonObject,
): void {
  for (const [key, value] of Object.entries(delta)) {
    const before = ownValue(message, key);
    if (typeof value === "string") message[key] = (typeof before === "string" ? before : "") + value;
    else if (Array.isArray(value)) message[key] = [...(Array.isArray(before) ? before : []), ...value];
    else if (value !== null && value !== undefined) message[key] = value;
  }
  for (const detail of records(reasoning_details)) {
    message.reasoning_details = withDetail(records(message.reasoning_details), detail);
  }
  for (const call of records(tool_calls)) addCall(calls, call);
}

/** Chunks of one detail have its number. */
function withDetail(details: readonly JsonObject[], detail: JsonObject): readonly JsonObject[] {
  const last = details.at(-1);
  if (last === undefined || last.index !== detail.index || last.type !== detail.type) {
    return [...details, detail];
  }
  const texts = ["text", "summary"].flatMap((key) =>
    Object.hasOwn(last, key) || Object.hasOwn(detail, key)
      ? [[key, `${ownValue(last, key) ?? ""}${ownValue(detail, key) ?? ""}`]]
      : []
  );
  return [...details.slice(0, -1), { ...last, ...detail, ...Object.fromEntries(texts) }];
}

function addCall(calls: Call[], { index: _index, function: fn, custom, ...head }: JsonObject): void {
  const key = custom === undefined ? "function" : "custom";
  const { name, arguments: text, input } = record(fn ?? custom);
  if (head.id !== undefined) calls.push({ head, key, name, text: "" });
  const last = calls.at(-1);
  if (last !== undefined) last.text += String(text ?? input ?? "");
}

const finished = ({ head, key, name, text }: Call): JsonObject => ({
  ...head,
  [key]: key === "custom" ? { name, input: text } : { name, arguments: text },
});

const record = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null ? { ...value } : {};
const records = (value: unknown): readonly JsonObject[] => Array.isArray(value) ? value.map(record) : [];
