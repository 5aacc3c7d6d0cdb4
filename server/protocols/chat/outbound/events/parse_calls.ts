/** Tool calls, which servers split in every way that can be thought of → call items. */

import { writeCallArguments } from "../../../canonical/call_arguments.ts";
import { readExtraContent, REASONING_FORMAT, signatureFields } from "../../../common/thought_signature.ts";
import { appendCallArguments, isComplete, openCall, withCall } from "./parse_call_item.ts";
import { closeOtherItems } from "./parse_item_end.ts";
import { stepDetail, tellLateSeals } from "./parse_reasoning.ts";
import type { CallDelta, ChatDelta, ReasoningDetail } from "../response_schema.ts";
import type { ChatState, ParseStep, PendingToolCall } from "./parse_state.ts";
import { runSteps } from "../../../stream/state_machine.ts";

/** A chunk of a call, tidied up. */
interface CallChunk {
  readonly index?: number;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** Google's signature of the call. */
  readonly signature?: string;
}

export function stepCalls(state: ChatState, delta: ChatDelta): ParseStep {
  const { tool_calls, function_call } = delta;
  if (!tool_calls && !function_call) return [state, []];
  const chunks = (tool_calls ?? []).map((delta, at, all) => chunkOf(delta, all.length > 1 ? at : undefined));
  const old = function_call ? [chunkOf({ index: 0, function: function_call }, undefined)] : [];
  return runSteps(state, [
    tellLateSeals,
    ...[...chunks, ...old].flatMap((chunk) => [
      ...thoughtsOf(chunk, delta).map((detail) => (now: ChatState) =>
        stepDetail(now, { detail, goesOn: false, ofCall: true })
      ),
      (now: ChatState) => stepCall(now, chunk),
    ]),
  ]);
}

/** Thoughts for a call, which stand right before it: details with its id, and Google's signature of it. */
function thoughtsOf(
  { id, signature }: CallChunk,
  { reasoning_details: details }: ChatDelta,
): readonly ReasoningDetail[] {
  const own = id === "" ? [] : (details ?? []).filter((detail) => detail.id === id);
  if (signature === undefined || own.some(({ format }) => format === REASONING_FORMAT)) return own;
  const { encrypted, format } = signatureFields(signature);
  return [
    ...own,
    { type: "reasoning.text", signature, format },
    { type: "reasoning.encrypted", data: encrypted, format },
  ];
}

/** Calls that come side by side without an index are different ones: their place stands for it. */
function chunkOf(
  { index, id, function: called, extra_content: extra }: CallDelta,
  place: number | undefined,
): CallChunk {
  const text = called?.arguments ?? "";
  return {
    index: index ?? place,
    id: id ?? "",
    name: called?.name ?? "",
    arguments: typeof text === "string" ? text : writeCallArguments(text),
    signature: readExtraContent(extra),
  };
}

function stepCall(state: ChatState, chunk: CallChunk): ParseStep {
  const known = findCall(state.calls, chunk);
  if (known !== undefined) return appendArguments(state, known, { piece: chunk });
  const which = state.calls.length;
  return runSteps(state, [
    (now) => startCall(now, chunk),
    (now) => appendArguments(now, which, { piece: chunk }),
  ]);
}

/** The call that a chunk belongs to; undefined when it begins a new one. */
function findCall(calls: readonly PendingToolCall[], chunk: CallChunk): number | undefined {
  if (chunk.index === undefined) return findWithoutIndex(calls, chunk);
  const which = calls.findLastIndex(({ index }) => index === chunk.index);
  const call = calls[which];
  return call === undefined || isAnother(call, chunk) ? undefined : which;
}

/**
 * Some servers number every call 0. Another id and another name tell them apart, and so does whatever follows
 * whole arguments, which cannot go on.
 */
function isAnother(call: PendingToolCall, chunk: CallChunk): boolean {
  const sameId = chunk.id !== "" && chunk.id === call.id;
  if (chunk.name === "" || sameId) return false;
  if (isComplete(call) && (chunk.arguments !== "" || otherId(call, chunk))) return true;
  return otherId(call, chunk) && chunk.name !== call.name;
}

const otherId = (call: PendingToolCall, { id }: CallChunk) => id !== "" && call.id !== "" && id !== call.id;

/** Without an index the id decides, then the name: another one after whole arguments is the next call's. */
function findWithoutIndex(calls: readonly PendingToolCall[], chunk: CallChunk): number | undefined {
  const last = calls.at(-1);
  if (last === undefined) return undefined;
  const sameId = chunk.id === "" ? -1 : calls.findLastIndex(({ id }) => id === chunk.id);
  if (sameId >= 0) return sameId;
  const begins = isAnother(last, chunk) || (otherId(last, chunk) && chunk.name !== "") ||
    (isComplete(last) && chunk.name !== "" && chunk.name !== last.name);
  return begins ? undefined : calls.length - 1;
}

function startCall(state: ChatState, { index, id }: CallChunk): ParseStep {
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
  { piece }: { readonly piece: CallChunk },
): ParseStep {
  const call = state.calls[which];
  if (call === undefined || call.status === "ignored" || call.status === "closed") return [state, []];
  const grown: PendingToolCall = {
    ...call,
    id: call.id || piece.id,
    name: call.arguments === "" ? appendName(call.name, piece.name) : call.name || piece.name,
    signature: call.signature ?? piece.signature,
    arguments: call.arguments + piece.arguments,
    unsentArguments: call.unsentArguments + piece.arguments,
  };
  return runSteps(withCall(state, which, { call: grown }), [
    (now) => openCall(now, which),
    (now) => appendCallArguments(now, which),
  ]);
}

/** A name comes whole, again and again, ever longer, or in chunks. */
function appendName(known: string, chunk: string): string {
  if (chunk === known) return known;
  return chunk.startsWith(known) ? chunk : known + chunk;
}
