/** State of the parser of a stream. */

import type { FinishReason, ItemDoneEvent, ModelEvent } from "../../canonical/event.ts";
import type { JsonObject, ReasoningItem, WireExtra } from "../../canonical/item.ts";
import { restOfArguments, type ToolInputReader } from "../../common/outbound/parse_tool_input.ts";
import { runSteps, type StepResult } from "../../stream/state_machine.ts";
import type { ToolNames } from "../../common/outbound/tool_names.ts";
import type { BlockDelta, ContentBlock, MessagesCitation } from "./response_schema.ts";
import type { UsageCounts } from "./parse_usage.ts";
import { finishedProviderCall } from "./parse_provider_tools.ts";
import { REASONING_FORMAT } from "./render_assistant_turn.ts";

/** Facts of the request that decide how its answer is read. */
interface ParseContext {
  readonly names: ToolNames;
  /** Calls beyond this many are left out: not every server honours `disable_parallel_tool_use`. */
  readonly maxCalls: number;
}

/** The block that the provider is in. Blocks come one after the other. */
export type ProviderBlock =
  | TextBlock
  | { readonly type: "thinking" }
  | { readonly type: "call" }
  | { readonly type: "server_tool"; readonly id: string; readonly json: string }
  | { readonly type: "unknown"; readonly block: ContentBlock; readonly deltas: readonly BlockDelta[] }
  | { readonly type: "ignored" };

interface TextBlock {
  readonly type: "text";
  readonly cited: readonly Citation[];
  /** Where its text begins in the message's. */
  readonly from: number;
  /** Its number among the message's blocks, unless it is the first, and its fields that we do not know. */
  readonly extra?: WireExtra;
}

/** A citation as we read it, and as it came. */
export interface Citation {
  readonly read: MessagesCitation;
  readonly value: unknown;
}

/** A message that is open: texts that follow each other are one part, however many blocks they came in. */
interface OpenMessage {
  readonly type: "message";
  readonly at: number;
  /** UTF-16 units of text so far. */
  readonly length: number;
  readonly blocks: number;
}

/** A thought that is open. What was streamed is kept because a seal is told with the whole item. */
export interface OpenReasoning {
  readonly type: "reasoning";
  readonly at: number;
  readonly text: string;
  readonly signature: string;
  readonly encrypted?: string;
  /** Whether its block has ended. */
  readonly ended: boolean;
  readonly extra?: WireExtra;
}

export interface OpenCall {
  readonly type: "call";
  readonly at: number;
  readonly empty: boolean;
  /** Reads the text of a custom tool out of the arguments. */
  readonly input?: ToolInputReader;
}

/** A tool of the provider's own that it called and whose result has not come yet. */
interface ProviderCall {
  readonly at: number;
  readonly block: ContentBlock;
}

/** How the provider says that it stopped; told on as it is to clients of this same wire. */
interface StopReason {
  readonly reason: FinishReason;
  readonly extra: JsonObject;
}

export interface MessagesState {
  readonly context: ParseContext;
  readonly begun: boolean;
  readonly over: boolean;
  /** Items opened so far; names the next one. */
  readonly items: number;
  readonly calls: number;
  readonly block?: ProviderBlock;
  readonly open?: OpenMessage | OpenReasoning | OpenCall;
  readonly ownCalls: ReadonlyMap<string, ProviderCall>;
  /** Fields of the message that we do not know. */
  readonly own?: JsonObject;
  readonly stopped?: StopReason;
  readonly counts?: UsageCounts;
}

/** A state and what came out on the way to it. */
export type ParseStep = StepResult<MessagesState, ModelEvent>;

export function createState(requested: ParseContext): MessagesState {
  return { context: requested, begun: false, over: false, items: 0, calls: 0, ownCalls: new Map() };
}

/** Closes the item that is open, if any. */
export function closeOpenItem(state: MessagesState): ParseStep {
  const { open } = state;
  if (open === undefined) return [state, []];
  return [{ ...state, open: undefined }, closing(open)];
}

function closing(open: NonNullable<MessagesState["open"]>): readonly ModelEvent[] {
  switch (open.type) {
    case "message":
      return [{ type: "item_done", itemKey: open.at }];
    case "reasoning":
      return [reasoningDone(open)];
    case "call":
      return [...rest(open), { type: "item_done", itemKey: open.at }];
    default:
      return open satisfies never;
  }
}

/** A sealed thought is told once more as a whole: its seal came after the item opened. */
function reasoningDone({ at, text, signature, encrypted, extra }: OpenReasoning): ItemDoneEvent {
  const item: ReasoningItem = {
    type: "reasoning",
    content: text === "" ? [] : [text],
    summary: [],
    ...(signature === "" ? {} : { signature }),
    ...(encrypted === undefined ? {} : { encrypted }),
    format: REASONING_FORMAT,
    ...(extra === undefined ? {} : { extra }),
  };
  return { type: "item_done", itemKey: at, item };
}

/** Emits the rest of a call's arguments. */
function rest(call: OpenCall): readonly ModelEvent[] {
  const delta = restOfArguments(call);
  return delta === "" ? [] : [{ type: "arguments", itemKey: call.at, delta }];
}

/** Closes everything: the answer is whole. */
export function closeAllItems(state: MessagesState): ParseStep {
  return runSteps(state, [closeOpenItem, closeOwnCalls]);
}

/** The provider's own calls that got no result: it will go on with them when the client comes back. */
function closeOwnCalls(state: MessagesState): ParseStep {
  const events = [...state.ownCalls.values()].map(({ at, block }): ModelEvent => ({
    type: "item_done",
    itemKey: at,
    item: finishedProviderCall(block, undefined),
  }));
  return [{ ...state, ownCalls: new Map() }, events];
}

/** Closes reasoning whose signature came before its answer was cut short: it is whole all the same. */
export function closeSignedReasoning(state: MessagesState): ParseStep {
  const { open } = state;
  const sealed = open?.type === "reasoning" && open.ended &&
    (open.signature !== "" || open.encrypted !== undefined);
  return sealed ? closeOpenItem(state) : [state, []];
}
