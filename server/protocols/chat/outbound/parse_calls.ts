/** Tool calls, which servers split in every way that can be thought of → call items. */

import { appendCallArguments, isComplete, openCall, withCall } from "./parse_call_item.ts";
import { closeOtherItems } from "./parse_item_end.ts";
import type { CallDelta, ChatDelta } from "./response_schema.ts";
import { type ChatState, type ParseStep, type PendingToolCall, runSteps } from "./parse_state.ts";

/** A piece of a call, tidied up. */
interface CallPiece {
  readonly index?: number;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export function stepCalls(state: ChatState, { tool_calls, function_call }: ChatDelta): ParseStep {
  if (!tool_calls && !function_call) return [state, []];
  const pieces = (tool_calls ?? []).map((delta, at, all) => pieceOf(delta, all.length > 1 ? at : undefined));
  const old = function_call ? [pieceOf({ index: 0, function: function_call }, undefined)] : [];
  return runSteps(state, [...pieces, ...old].map((piece) => (now) => stepCall(now, piece)));
}

/** Calls that come side by side without an index are different ones: their place stands for it. */
function pieceOf({ index, id, function: called }: CallDelta, place: number | undefined): CallPiece {
  const text = called?.arguments ?? "";
  return {
    index: index ?? place,
    id: id ?? "",
    name: called?.name ?? "",
    arguments: typeof text === "string" ? text : JSON.stringify(text),
  };
}

function stepCall(state: ChatState, piece: CallPiece): ParseStep {
  const known = findCall(state.calls, piece);
  if (known !== undefined) return appendArguments(state, known, { piece });
  const which = state.calls.length;
  return runSteps(state, [(now) => startCall(now, piece), (now) => appendArguments(now, which, { piece })]);
}

/** The call that a piece belongs to; undefined when it begins a new one. */
function findCall(calls: readonly PendingToolCall[], piece: CallPiece): number | undefined {
  if (piece.index === undefined) return findWithoutIndex(calls, piece);
  const which = calls.findLastIndex(({ index }) => index === piece.index);
  const call = calls[which];
  return call === undefined || isAnother(call, piece) ? undefined : which;
}

/**
 * Some servers number every call 0. Another id and another name tell them apart, and so does whatever follows
 * whole arguments, which cannot go on.
 */
function isAnother(call: PendingToolCall, piece: CallPiece): boolean {
  const sameId = piece.id !== "" && piece.id === call.id;
  if (piece.name === "" || sameId) return false;
  if (isComplete(call) && (piece.arguments !== "" || otherId(call, piece))) return true;
  return otherId(call, piece) && piece.name !== call.name;
}

const otherId = (call: PendingToolCall, { id }: CallPiece) => id !== "" && call.id !== "" && id !== call.id;

/** Without an index the id decides, then the name: another one after whole arguments is the next call's. */
function findWithoutIndex(calls: readonly PendingToolCall[], piece: CallPiece): number | undefined {
  const last = calls.at(-1);
  if (last === undefined) return undefined;
  const sameId = piece.id === "" ? -1 : calls.findLastIndex(({ id }) => id === piece.id);
  if (sameId >= 0) return sameId;
  const begins = isAnother(last, piece) || (otherId(last, piece) && piece.name !== "") ||
    (isComplete(last) && piece.name !== "" && piece.name !== last.name);
  return begins ? undefined : calls.length - 1;
}

function startCall(state: ChatState, { index, id }: CallPiece): ParseStep {
  const started = state.calls.filter(({ status }) => status !== "ignored").length;
  const ignored = started >= state.context.maxCalls;
  const call: PendingToolCall = {
    index,
    id,
    name: "",
    arguments: "",
    unsentArguments: "",
    status: ignored ? "ignored" : "naming",
    at: -1,
  };
  const add = (now: ChatState): ParseStep => [{ ...now, calls: [...now.calls, call] }, []];
  return runSteps(state, ignored ? [add] : [closeOtherItems, add]);
}

function appendArguments(
  state: ChatState,
  which: number,
  { piece }: { readonly piece: CallPiece },
): ParseStep {
  const call = state.calls[which];
  if (call === undefined || call.status === "ignored" || call.status === "closed") return [state, []];
  const grown: PendingToolCall = {
    ...call,
    id: call.id || piece.id,
    name: call.arguments === "" ? appendName(call.name, piece.name) : call.name || piece.name,
    arguments: call.arguments + piece.arguments,
    unsentArguments: call.unsentArguments + piece.arguments,
  };
  return runSteps(withCall(state, which, { call: grown }), [
    (now) => openCall(now, which),
    (now) => appendCallArguments(now, which),
  ]);
}

/** A name comes whole, again and again, ever longer, or in pieces. */
function appendName(known: string, piece: string): string {
  if (piece === known) return known;
  return piece.startsWith(known) ? piece : known + piece;
}
