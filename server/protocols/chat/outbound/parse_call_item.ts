/** One call from its first piece to its last: how its item opens, grows and closes. */

import type { CallItem } from "../../../canonical/item.ts";
import type { ArgumentsEvent, ModelEvent } from "../../../canonical/event.ts";
import type { Call, ChatState, Step } from "./parse_state.ts";
import { endInput, readInput, startInput } from "../../common/outbound/parse_tool_input.ts";
import { isWholeName, namedToolOf } from "../../common/outbound/tool_names.ts";

/** The state with one of its calls replaced. */
export function withCall(state: ChatState, which: number, { call }: { readonly call: Call }): ChatState {
  return { ...state, calls: state.calls.map((one, at) => at === which ? call : one) };
}

/** Opens the call's item as soon as its name is whole; by then nothing can change what the client is told. */
export function openCall(state: ChatState, which: number): Step {
  const call = state.calls[which];
  if (call?.status !== "naming" || !isNamed(state, call)) return [state, []];
  return openNamed(state, which);
}

/** A name is whole once arguments follow it, or when it is a tool's that no other tool's name goes on from. */
function isNamed({ asked }: ChatState, { name, arguments: text }: Call): boolean {
  return name !== "" && (text !== "" || isWholeName(asked.names, name));
}

function openNamed(state: ChatState, which: number): Step {
  const call = state.calls[which];
  if (call === undefined) return [state, []];
  const item = itemOf(state, call);
  const input = item.kind === "custom" ? startInput : undefined;
  const opened: Call = { ...call, status: "open", at: state.items, input };
  const next = withCall({ ...state, items: state.items + 1 }, which, { call: opened });
  return [next, [{ type: "item", at: opened.at, item }]];
}

/** A call id that an earlier call has already is none: results could not be told apart. */
function itemOf({ asked, calls }: ChatState, call: Call): CallItem {
  const { kind, name, namespace } = namedToolOf(asked.names, call.name);
  const known = calls.some((one) => one !== call && one.id === call.id && one.status !== "naming");
  return {
    type: "call",
    kind,
    callId: known ? "" : call.id,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    arguments: "",
  };
}

/** Tells what of the arguments is untold. */
export function growCall(state: ChatState, which: number): Step {
  const call = state.calls[which];
  if (call?.status !== "open" || call.untold === "") return [state, []];
  if (call.input === undefined) {
    const told = withCall(state, which, { call: { ...call, untold: "" } });
    return [told, [argumentsEvent(call, call.untold)]];
  }
  const [input, text] = readInput(call.input, call.untold);
  const told = withCall(state, which, { call: { ...call, untold: "", input } });
  return [told, text === "" ? [] : [argumentsEvent(call, text)]];
}

const argumentsEvent = ({ at }: Call, delta: string): ArgumentsEvent => ({ type: "arguments", at, delta });

/** Closes a call that is whole. */
export function closeCall(state: ChatState, which: number): Step {
  const call = state.calls[which];
  if (call?.status !== "open") return [state, []];
  const rest = call.input === undefined ? missingObject(call) : endInput(call.input);
  const last: readonly ModelEvent[] = rest === "" ? [] : [argumentsEvent(call, rest)];
  const closed = withCall(state, which, { call: { ...call, status: "closed" } });
  return [closed, [...last, { type: "item_done", at: call.at }]];
}

/** Clients parse the arguments: a call without any has an empty object. */
const missingObject = ({ arguments: text }: Call) => text.trim() === "" ? "{}" : "";

/** Opens, at the end, a call whose name might have gone on but did not. */
export function openLate(state: ChatState, which: number): Step {
  const call = state.calls[which];
  return call?.status === "naming" && call.name !== "" ? openNamed(state, which) : [state, []];
}

/** Whether nothing is missing from a call's arguments. */
export function isWhole({ arguments: text }: Call): boolean {
  if (!text.trimEnd().endsWith("}")) return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
