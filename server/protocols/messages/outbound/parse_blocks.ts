/** Blocks of the answer → items: how they open, grow and end. */

import { writeCallArguments } from "../../canonical/call_arguments.ts";
import type { ToolCallItem } from "../../canonical/item.ts";
import { pickUnknown } from "../../common/inbound/unknown_fields.ts";
import { initialToolInput, readToolInput } from "../../common/outbound/parse_tool_input.ts";
import { toolByWireName } from "../../common/outbound/tool_names.ts";
import { parseCitation, toAnnotation } from "./parse_citations.ts";
import { endUnknown } from "./parse_unknown_blocks.ts";
import {
  type Citation,
  closeOpenItem,
  type MessagesState,
  type OpenCall,
  type OpenReasoning,
  type ParseStep,
} from "./parse_state.ts";
import { runSteps } from "../../stream/state_machine.ts";
import {
  codeEvents,
  finishedProviderCall,
  isProviderTool,
  openProviderCall,
  withInput,
} from "./parse_provider_tools.ts";
import type { BlockDelta, ContentBlock } from "./response_schema.ts";

/** A block opens. One that is still open is taken to be over. */
export function startBlock(state: MessagesState, block: ContentBlock): ParseStep {
  return runSteps(state, [endBlock, (now) => opened(now, block)]);
}

function opened(state: MessagesState, block: ContentBlock): ParseStep {
  switch (block.type) {
    case "text":
      return startText(state, block);
    case "thinking":
    case "redacted_thinking":
      return runSteps(state, [closeOpenItem, (now) => openReasoning(now, block)]);
    case "tool_use":
      return startCall(state, block);
    case "server_tool_use":
      // A second call under the id of one that still runs could never be told apart from it.
      if (!isProviderTool(block) || state.ownCalls.has(block.id ?? "")) return startUnknown(state, block);
      return runSteps(state, [closeOpenItem, (now) => startProviderCall(now, block)]);
    default:
      return state.ownCalls.has(block.tool_use_id ?? "")
        ? endProviderCall(state, block)
        : startUnknown(state, block);
  }
}

/** Begins a block that is new to us: only clients of this same wire get it, once it is all there. */
function startUnknown(state: MessagesState, block: ContentBlock): ParseStep {
  const [closed, events] = closeOpenItem(state);
  return [{ ...closed, block: { type: "unknown", block, deltas: [] } }, events];
}

export function appendBlockDelta(state: MessagesState, delta: BlockDelta): ParseStep {
  switch (state.block?.type) {
    case "text":
      return growText(state, delta);
    case "thinking":
      return appendReasoningText(state, delta);
    case "call":
      return appendArguments(state, delta.partial_json ?? "");
    case "server_tool":
      return [appendProviderInput(state, delta.partial_json ?? ""), []];
    case "unknown":
      return [{ ...state, block: { ...state.block, deltas: [...state.block.deltas, delta] } }, []];
    default:
      return [state, []];
  }
}

/** The block is over; its item stays open until something else begins, or the end says that it is whole. */
export function endBlock(state: MessagesState): ParseStep {
  const { block } = state;
  const ended = { ...state, block: undefined };
  if (block?.type === "text") return [ended, citations(state)];
  if (block?.type === "unknown") return endUnknown(ended, block);
  if (block?.type === "thinking" && state.open?.type === "reasoning") {
    return [{ ...ended, open: { ...state.open, ended: true } }, []];
  }
  if (block?.type !== "server_tool") return [ended, []];
  const call = state.ownCalls.get(block.id);
  if (call === undefined) return [ended, []];
  const whole = { ...call, block: withInput(call.block, block.json) };
  const events = codeEvents(whole.block).map((value) =>
    ({ type: "foreign", wire: "responses", itemKey: call.at, value }) as const
  );
  return [{ ...ended, ownCalls: new Map(state.ownCalls).set(block.id, whole) }, events];
}

const textKeys = new Set(["type", "text", "citations"]);

function startText(before: MessagesState, { text, citations, ...block }: ContentBlock): ParseStep {
  const { open } = before;
  const message = open?.type === "message" ? open : undefined;
  const number = message?.blocks ?? 0;
  const own = pickUnknown(block, textKeys);
  const extra = number === 0 && own === undefined
    ? undefined
    : { messages: { ...(own && { own }), ...(number === 0 ? {} : { block: number }) } };
  const cited = Array.isArray(citations) ? citations.flatMap(citationOf) : [];
  const counted = message === undefined ? before : { ...before, open: { ...message, blocks: number + 1 } };
  const state: MessagesState = {
    ...counted,
    block: { type: "text", cited, from: message?.length ?? 0, ...(extra && { extra }) },
  };
  return growText(state, { type: "text_delta", text });
}

function citationOf(value: unknown): readonly Citation[] {
  const read = parseCitation(value);
  return read === undefined ? [] : [{ read, value }];
}

function growText(state: MessagesState, { text, citation }: BlockDelta): ParseStep {
  const { block } = state;
  const cited = citation === undefined ? [] : citationOf(citation);
  const noted = cited.length === 0 || block?.type !== "text"
    ? state
    : { ...state, block: { ...block, cited: [...block.cited, ...cited] } };
  if (!text) return [noted, []];
  if (noted.open?.type === "message") return appendText(noted, text);
  return runSteps(noted, [closeOpenItem, openMessage, (now) => appendText(now, text)]);
}

/** Citations are of the whole block's text, so they are told when it is all there. */
function citations({ block, open }: MessagesState) {
  if (block?.type !== "text" || open?.type !== "message") return [];
  const span = { from: block.from, to: open.length };
  return block.cited.map(({ read, value }) => ({
    type: "annotation" as const,
    itemKey: open.at,
    part: 0,
    annotation: toAnnotation(read, span),
    extra: { messages: { citations: [value] } },
  }));
}

export function openMessage(state: MessagesState): ParseStep {
  const at = state.items;
  const open = { type: "message", at, length: 0, blocks: 1 } as const;
  const item = { type: "message", role: "assistant", parts: [] } as const;
  return [{ ...state, open, items: at + 1 }, [{ type: "item", itemKey: at, item }]];
}

function appendText(state: MessagesState, text: string): ParseStep {
  const { open, block } = state;
  if (open?.type !== "message") return [state, []];
  const grown = { ...state, open: { ...open, length: open.length + text.length } };
  const extra = block?.type === "text" ? block.extra : undefined;
  return [grown, [{ type: "text", itemKey: open.at, part: 0, delta: text, ...(extra && { extra }) }]];
}

const thinkingKeys = new Set(["type", "thinking", "signature", "data"]);

function openReasoning(state: MessagesState, block: ContentBlock): ParseStep {
  const { type, thinking, signature, data } = block;
  const own = pickUnknown(block, thinkingKeys);
  const extra = own === undefined ? {} : { extra: { messages: own } };
  const at = state.items;
  const open: OpenReasoning = {
    type: "reasoning",
    at,
    text: "",
    signature: "",
    encrypted: type === "redacted_thinking" ? data ?? undefined : undefined,
    ended: false,
    ...extra,
  };
  const item = { type: "reasoning", content: [], summary: [], ...extra } as const;
  const begun: MessagesState = { ...state, open, block: { type: "thinking" }, items: at + 1 };
  const [next, events] = appendReasoningText(begun, { type: "thinking_delta", thinking, signature });
  return [next, [{ type: "item", itemKey: at, item }, ...events]];
}

function appendReasoningText(state: MessagesState, { thinking, signature }: BlockDelta): ParseStep {
  const { open } = state;
  if (open?.type !== "reasoning") return [state, []];
  const text = thinking ?? "";
  const grown = { ...open, text: open.text + text, signature: open.signature + (signature ?? "") };
  const next = { ...state, open: grown };
  return [next, text === "" ? [] : [{ type: "thought", itemKey: open.at, part: 0, delta: text }]];
}

function startCall(state: MessagesState, block: ContentBlock): ParseStep {
  if (state.calls >= state.context.maxCalls) return [{ ...state, block: { type: "ignored" } }, []];
  return runSteps(state, [
    closeOpenItem,
    (now) => openCall(now, block),
    (now) => appendArguments(now, completeInput(block)),
  ]);
}

/** Some servers have the arguments at once; where they come in chunks an empty object stands for them. */
function completeInput({ input }: ContentBlock): string {
  const empty = typeof input !== "object" || input === null || Object.keys(input).length === 0;
  return empty ? "" : writeCallArguments(input);
}

const callKeys = new Set(["type", "id", "name", "input"]);

function openCall(state: MessagesState, block: ContentBlock): ParseStep {
  const { id, name } = block;
  const own = pickUnknown(block, callKeys);
  const at = state.items;
  const tool = toolByWireName(state.context.names, name ?? "");
  const item: ToolCallItem = {
    type: "call",
    ...tool,
    callId: id ?? "",
    arguments: "",
    ...(own === undefined ? {} : { extra: { messages: own } }),
  };
  const open: OpenCall = {
    type: "call",
    at,
    empty: true,
    ...(tool.kind === "custom" ? { input: initialToolInput } : {}),
  };
  const next: MessagesState = {
    ...state,
    open,
    block: { type: "call" },
    items: at + 1,
    calls: state.calls + 1,
  };
  return [next, [{ type: "item", itemKey: at, item }]];
}

function appendArguments(state: MessagesState, json: string): ParseStep {
  const { open } = state;
  if (open?.type !== "call" || json === "") return [state, []];
  if (open.input === undefined) {
    const next = { ...state, open: { ...open, empty: false } };
    return [next, [{ type: "arguments", itemKey: open.at, delta: json }]];
  }
  const [input, text] = readToolInput(open.input, json);
  const next = { ...state, open: { ...open, empty: false, input } };
  return [next, text === "" ? [] : [{ type: "arguments", itemKey: open.at, delta: text }]];
}

function startProviderCall(state: MessagesState, block: ContentBlock): ParseStep {
  const at = state.items;
  const id = block.id ?? `own_${at}`;
  const next: MessagesState = {
    ...state,
    block: { type: "server_tool", id, json: "" },
    ownCalls: new Map(state.ownCalls).set(id, { at, block }),
    items: at + 1,
  };
  return [next, [{ type: "item", itemKey: at, item: openProviderCall(block) }]];
}

function appendProviderInput(state: MessagesState, json: string): MessagesState {
  const { block } = state;
  return block?.type === "server_tool" ? { ...state, block: { ...block, json: block.json + json } } : state;
}

/** The result of one of the provider's own calls, which comes in one chunk. */
function endProviderCall(state: MessagesState, result: ContentBlock): ParseStep {
  const id = result.tool_use_id ?? "";
  const call = state.ownCalls.get(id);
  if (call === undefined) return [state, []];
  const ownCalls = new Map(state.ownCalls);
  ownCalls.delete(id);
  const item = finishedProviderCall(call.block, result);
  return [{ ...state, block: { type: "ignored" }, ownCalls }, [{
    type: "item_done",
    itemKey: call.at,
    item,
  }]];
}
