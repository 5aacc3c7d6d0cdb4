/** The block that is open: how it begins, grows and ends. One at a time, numbered from 0. */

import { isRecord } from "../../../../shared/util/json.ts";
import type {
  Annotation,
  JsonObject,
  PassthroughItem,
  ReasoningItem,
  ToolCallItem,
  WireExtra,
} from "../../canonical/item.ts";
import type { AnnotationEvent } from "../../canonical/event.ts";
import type { MessagesStreamEvent } from "./render_context.ts";
import { encodeSignature, redactedData } from "./reasoning_signature.ts";
import { renderMcpBlocks } from "./mcp_blocks.ts";
import { renderServerToolBlocks } from "./server_tool_blocks.ts";

export interface BlockState {
  /** The number of the next block. */
  readonly next: number;
  readonly open?: OpenBlock;
}

/** `part`: which of its item's parts a block shows. */
export type OpenBlock =
  | {
    readonly type: "text" | "thinking";
    readonly part: number;
    readonly summary: boolean;
    /** The provider's number for the block, where it is of this same wire. */
    readonly number?: unknown;
  }
  | { readonly type: "tool_use"; readonly custom: boolean };

type Step = readonly [BlockState, readonly MessagesStreamEvent[]];

export const initialBlocks: BlockState = { next: 0 };

const started = (index: number, content_block: JsonObject): MessagesStreamEvent => ({
  type: "content_block_start",
  index,
  content_block,
});
const grown = (index: number, delta: JsonObject): MessagesStreamEvent => ({
  type: "content_block_delta",
  index,
  delta,
});
const stopped = (index: number): MessagesStreamEvent => ({ type: "content_block_stop", index });

/** Ends the open block, if any. */
export function endBlock(blocks: BlockState): Step {
  if (blocks.open === undefined) return [blocks, []];
  return [{ next: blocks.next }, [stopped(blocks.next - 1)]];
}

interface BlockStart {
  readonly open: OpenBlock;
  readonly block: JsonObject;
}

function begin(blocks: BlockState, { open, block }: BlockStart): Step {
  const [ended, events] = endBlock(blocks);
  return [{ next: ended.next + 1, open }, [...events, started(ended.next, block)]];
}

const grow = (blocks: BlockState, delta: JsonObject): Step => [blocks, [grown(blocks.next - 1, delta)]];

/** One step after the other. */
function then([blocks, events]: Step, next: (blocks: BlockState) => Step): Step {
  const [after, more] = next(blocks);
  return [after, events.length === 0 ? more : [...events, ...more]];
}

interface BlockDelta {
  readonly part: number;
  readonly delta: string;
}

interface TextDelta extends BlockDelta {
  /** The block's number in its message and its own fields, from a provider of this same wire. */
  readonly extra?: WireExtra;
}

/** Every part of a message is a block of its own, and so is every block of a provider of this same wire. */
export function renderTextDelta(blocks: BlockState, { part, delta, extra }: TextDelta): Step {
  const { open } = blocks;
  const { block: number, own } = extra?.messages ?? {};
  const goesOn = open?.type === "text" && open.part === part && open.number === number;
  const ready: Step = goesOn ? [blocks, []] : begin(blocks, {
    open: { type: "text", part, summary: false, number },
    block: { type: "text", text: "", ...(isRecord(own) ? own : {}) },
  });
  return then(ready, (now) => grow(now, { type: "text_delta", text: delta }));
}

/** An item's thoughts are one block, so that its seal covers them; what it shows first, thoughts or summary, counts. */
export function renderReasoningDelta(
  blocks: BlockState,
  { part, delta, summary, own }: BlockDelta & { readonly summary: boolean; readonly own?: JsonObject },
): Step {
  const { open } = blocks;
  if (open?.type !== "thinking") {
    const begun = beginThinking(blocks, { open: { type: "thinking", part, summary }, own });
    return then(begun, (now) => grow(now, { type: "thinking_delta", thinking: delta }));
  }
  if (open.summary !== summary) return [blocks, []];
  if (open.part === part) return grow(blocks, { type: "thinking_delta", thinking: delta });
  const moved: BlockState = { ...blocks, open: { ...open, part } };
  return grow(moved, { type: "thinking_delta", thinking: `\n\n${delta}` });
}

interface ThinkingStart {
  readonly open: Extract<OpenBlock, { part: number }>;
  readonly own: JsonObject | undefined;
}

const beginThinking = (blocks: BlockState, { open, own }: ThinkingStart): Step =>
  begin(blocks, { open, block: { type: "thinking", thinking: "", signature: "", ...own } });

/** The end of an item's thoughts, with their seal; of those that cannot be shown, the seal is all that there is. */
export function endReasoning(blocks: BlockState, item: ReasoningItem): Step {
  const { open } = blocks;
  const own = item.extra?.messages;
  if (open?.type === "thinking") {
    const signature = encodeSignature(item, { summary: open.summary });
    const signed: Step = signature === undefined
      ? [blocks, []]
      : grow(blocks, { type: "signature_delta", signature });
    return then(signed, endBlock);
  }
  const signature = item.encrypted === undefined ? encodeSignature(item, { summary: false }) : undefined;
  if (signature !== undefined) {
    const begun = beginThinking(blocks, { open: { type: "thinking", part: 0, summary: false }, own });
    return then(then(begun, (now) => grow(now, { type: "signature_delta", signature })), endBlock);
  }
  const data = redactedData(item);
  return data === undefined ? [blocks, []] : renderWholeBlock(blocks, {
    type: "redacted_thinking",
    data,
    ...own,
  });
}

/** A block that comes in one chunk. */
export function renderWholeBlock(blocks: BlockState, block: JsonObject): Step {
  const [ended, events] = endBlock(blocks);
  const { next } = ended;
  return [{ next: next + 1 }, [...events, started(next, block), stopped(next)]];
}

export function startCall(
  blocks: BlockState,
  { kind, callId, name, namespace, extra }: ToolCallItem,
): Step {
  const full = namespace === undefined ? name : `${namespace}__${name}`;
  const custom = kind === "custom";
  const block = { type: "tool_use", id: callId, name: full, input: {}, ...extra?.messages };
  const begun = begin(blocks, { open: { type: "tool_use", custom }, block });
  return custom ? then(begun, (now) => growInput(now, '{"input":"')) : begun;
}

const growInput = (blocks: BlockState, partial_json: string): Step =>
  grow(blocks, { type: "input_json_delta", partial_json });

/** Input is JSON here: the free text of a custom tool is the one string in it. */
export function renderCallDelta(blocks: BlockState, delta: string): Step {
  const { open } = blocks;
  if (open?.type !== "tool_use") return [blocks, []];
  return growInput(blocks, open.custom ? JSON.stringify(delta).slice(1, -1) : delta);
}

export function endCall(blocks: BlockState, { cutShort }: { readonly cutShort: boolean }): Step {
  const { open } = blocks;
  const closed: Step = open?.type === "tool_use" && open.custom && !cutShort
    ? growInput(blocks, '"}')
    : [blocks, []];
  return then(closed, endBlock);
}

type Cited = Pick<AnnotationEvent, "annotation" | "passage" | "extra">;

/**
 * Where the text before it comes from: as a provider of this same wire has said it, else as pages of the web and
 * passages of files are cited here.
 */
export function renderCitation(blocks: BlockState, { annotation, passage, extra }: Cited): Step {
  if (blocks.open?.type !== "text") return [blocks, []];
  const [own] = listOf(extra?.messages?.citations);
  if (own !== undefined) return grow(blocks, { type: "citations_delta", citation: own });
  const citation = annotation.type === "url_citation"
    ? pageCitation(annotation)
    : annotation.type === "file_citation"
    ? fileCitation(annotation, passage)
    : undefined;
  return citation === undefined ? [blocks, []] : grow(blocks, { type: "citations_delta", citation });
}

const pageCitation = ({ url, title, content }: Annotation): JsonObject => ({
  type: "web_search_result_location",
  url,
  // A string, because clients with schemas of their own take nothing else.
  title: title ?? url,
  cited_text: content ?? "",
  encrypted_index: "",
});

/** A passage is a result with one block; `file_search_call.results` has its text for those who may see it. */
const fileCitation = ({ file_id: source, filename }: Annotation, passage = 0): JsonObject => ({
  type: "search_result_location",
  source,
  title: filename,
  cited_text: "",
  search_result_index: passage,
  start_block_index: 0,
  end_block_index: 1,
});

/**
 * Renders the item of a hosted tool: this wire's own blocks as they were, and images. A server tool that the client
 * runs is a function here.
 */
export function renderPassthroughItem(
  blocks: BlockState,
  item: PassthroughItem,
): Step {
  const { wire, kind, value, extra, call } = item;
  if (call?.forClient === true) {
    const begun = startCall(blocks, { type: "call", kind: "function", ...call });
    const argued = then(begun, (now) => renderCallDelta(now, call.arguments));
    return then(argued, (now) => endCall(now, { cutShort: false }));
  }
  if (wire === "messages") return renderUnknownBlock(blocks, { block: value, extra });
  const kept = extra?.messages?.blocks;
  const made = [
    ...renderMcpBlocks(item),
    ...(call === undefined ? [] : renderServerToolBlocks(call, value)),
  ];
  const own = Array.isArray(kept) ? kept : made;
  const images = imageKinds.includes(kind) ? imageOf(value) : [];
  return [...own, ...images].reduce<Step>(
    (step, block) => then(step, (now) => renderWholeBlock(now, block)),
    [blocks, []],
  );
}

interface UnknownBlock {
  readonly block: JsonObject;
  readonly extra?: WireExtra;
}

/** A block of this same wire that is unknown here, with the deltas that could not be added up. */
function renderUnknownBlock(blocks: BlockState, { block, extra }: UnknownBlock): Step {
  const [ended, events] = endBlock(blocks);
  const { next } = ended;
  const deltas = listOf(extra?.messages?.deltas).filter(isRecord).map((delta) => grown(next, delta));
  return [{ next: next + 1 }, [...events, started(next, block), ...deltas, stopped(next)]];
}

const listOf = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [];

const imageKinds: readonly string[] = ["image_generation_call", "service:image_generation"];

function imageOf({ result, output_format: format }: JsonObject): readonly JsonObject[] {
  if (typeof result !== "string" || result === "") return [];
  const media_type = `image/${typeof format === "string" ? format : "png"}`;
  return [{ type: "image", source: { type: "base64", media_type, data: result } }];
}
