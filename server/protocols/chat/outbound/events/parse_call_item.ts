/** One call from its first chunk to its last: how its item opens, grows and closes. */

import { isRecord, tryParseJson } from "../../../../../shared/util/json.ts";
import type { ToolCallItem } from "../../../canonical/item.ts";
import type { ArgumentsEvent, ModelEvent } from "../../../canonical/event.ts";
import type { ChatState, ParseStep, PendingToolCall } from "./parse_state.ts";
import { renderExtraContent } from "../../../common/thought_signature.ts";
import { endToolInput, initialToolInput, readToolInput } from "../../../common/outbound/parse_tool_input.ts";
import { isCompleteName, toolByWireName } from "../../../common/outbound/tool_names.ts";

/** The state with one of its calls replaced. */
export function withCall(
  state: ChatState,
  which: number,
  { call }: { readonly call: PendingToolCall },
): ChatState {
  return { ...state, calls: state.calls.map((one, at) => at === which ? call : one) };
}

/** Opens the call's item as soon as its name is whole; by then nothing can change what the client is told. */
export function openCall(state: ChatState, which: number): ParseStep {
  const call = state.calls[which];
  if (call?.status !== "naming" || !isNamed(state, call)) return [state, []];
  return openNamed(state, which);
}

/** A name is whole once arguments follow it, or when it is a tool's that no other tool's name goes on from. */
function isNamed({ context }: ChatState, { name, arguments: text }: PendingToolCall): boolean {
  return name !== "" && (text !== "" || isCompleteName(context.names, name));
}

function openNamed(state: ChatState, which: number): ParseStep {
  const call = state.calls[which];
  if (call === undefined) return [state, []];
  const item = itemOf(state, call);
  const input = item.kind === "custom" ? initialToolInput : undefined;
  const opened: PendingToolCall = { ...call, status: "open", at: state.items, input };
  const next = withCall({ ...state, items: state.items + 1 }, which, { call: opened });
  return [next, [{ type: "item", itemKey: opened.at, item }]];
}

/** A call id that an earlier call has already is none: results could not be told apart. */
function itemOf({ context, calls }: ChatState, call: PendingToolCall): ToolCallItem {
  const { kind, name, namespace } = toolByWireName(context.names, call.name);
  const known = calls.some((one) => one !== call && one.id === call.id && one.status !== "naming");
  return {
    type: "call",
    kind,
    callId: known ? "" : call.id,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    arguments: "",
    ...(call.signature === undefined ? {} : { extra: { chat: renderExtraContent(call.signature) } }),
  };
}

/** Tells what of the arguments is untold. */
export function appendCallArguments(state: ChatState, which: number): ParseStep {
  const call = state.calls[which];
  if (call?.status !== "open" || call.unsentArguments === "") return [state, []];
  if (call.input === undefined) {
    const emptied = withCall(state, which, { call: { ...call, unsentArguments: "" } });
    return [emptied, [argumentsEvent(call, call.unsentArguments)]];
  }
  const [input, text] = readToolInput(call.input, call.unsentArguments);
  const sent = withCall(state, which, { call: { ...call, unsentArguments: "", input } });
  return [sent, text === "" ? [] : [argumentsEvent(call, text)]];
}

const argumentsEvent = ({ at }: PendingToolCall, delta: string): ArgumentsEvent => ({
  type: "arguments",
  itemKey: at,
  delta,
});

/** Closes a call that is whole. */
export function closeCall(state: ChatState, which: number): ParseStep {
  const call = state.calls[which];
  if (call?.status !== "open") return [state, []];
  const rest = call.input === undefined ? missingObject(call) : endToolInput(call.input);
  const last: readonly ModelEvent[] = rest === "" ? [] : [argumentsEvent(call, rest)];
  const closed = withCall(state, which, { call: { ...call, status: "closed" } });
  return [closed, [...last, { type: "item_done", itemKey: call.at }]];
}

/** Clients parse the arguments: a call without any has an empty object. */
const missingObject = ({ arguments: text }: PendingToolCall) => text.trim() === "" ? "{}" : "";

/** Opens, at the end, a call whose name might have gone on but did not. */
export function openUnnamedCall(state: ChatState, which: number): ParseStep {
  const call = state.calls[which];
  return call?.status === "naming" && call.name !== "" ? openNamed(state, which) : [state, []];
}

/** Whether nothing is missing from a call's arguments. */
export function isComplete({ arguments: text }: PendingToolCall): boolean {
  return text.trimEnd().endsWith("}") && isRecord(tryParseJson(text));
}
