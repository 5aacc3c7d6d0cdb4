/** An assistant's earlier thoughts, as answers of ours have them, → reasoning items (see `render_reasoning.ts`). */

import {
  type AssistantInput,
  type ReasoningDetailInput,
  SERVER_TOOL_FORMAT,
} from "../../../../shared/chat/messages.ts";
import type { PassthroughItem, ReasoningItem } from "../../../canonical/item.ts";

/** `reasoning_details` say all that the plain texts say, and more: also what server tools did. */
export function parseReplayedReasoning(message: AssistantInput): readonly ReplayedItem[] {
  const { reasoning_details: details, reasoning, reasoning_content } = message;
  const items = (details ?? []).reduce(take, []).map((one) => "type" in one ? one : toItem(one));
  if (items.length > 0) return items;
  const text = reasoning || reasoning_content;
  return text ? [{ type: "reasoning", content: [text], summary: [] }] : [];
}

/** An item while its details come together. */
interface Draft {
  readonly id?: string;
  readonly format?: string;
  readonly parts: readonly Part[];
  readonly signature?: string;
  readonly encrypted?: string;
}

interface Part {
  readonly kind: "thought" | "summary";
  readonly index?: number;
  readonly text: string;
}

type ReplayedItem = ReasoningItem | PassthroughItem;
type Drafts = readonly (Draft | PassthroughItem)[];

function take(drafts: Drafts, detail: ReasoningDetailInput): Drafts {
  const tool = serverToolItem(detail);
  if (tool !== undefined) return [...drafts, tool];
  if (!/^reasoning\.(text|summary|encrypted)$/.test(detail.type)) return drafts;
  const last = drafts.at(-1);
  if (last === undefined || "type" in last || !belongs(detail, last)) {
    return [...drafts, added({ parts: [] }, detail)];
  }
  return [...drafts.slice(0, -1), added(last, detail)];
}

/** A call of a server tool, as answers of ours have it (`render_deltas.ts`). */
function serverToolItem(detail: ReasoningDetailInput): PassthroughItem | undefined {
  const { type, format, tool_name: name, tool_call_id: callId, arguments: text, result: output } = detail;
  if (type !== "reasoning.server_tool_call" || format !== SERVER_TOOL_FORMAT || !name || !callId) {
    return undefined;
  }
  const kind = `service:${name}`;
  const id = detail.id || undefined;
  const value = { type: kind, id, status: "completed", call_id: callId, arguments: text ?? "{}", output };
  return { type: "foreign", wire: "responses", kind, value, id, textFallback: output ?? undefined };
}

/** Another id or another maker is another item; without ids an item ends with its seal. */
function belongs({ id, format, type, text, summary }: ReasoningDetailInput, draft: Draft): boolean {
  if (format && draft.format !== undefined && format !== draft.format) return false;
  if (id && draft.id !== undefined) return id === draft.id;
  if (draft.encrypted !== undefined) return false;
  return draft.signature === undefined || type === "reasoning.encrypted" || !(text || summary);
}

function added(draft: Draft, detail: ReasoningDetailInput): Draft {
  const { type, id, format, signature, data } = detail;
  return {
    id: draft.id ?? (id || undefined),
    format: draft.format ?? (format || undefined),
    signature: signature || draft.signature,
    encrypted: type === "reasoning.encrypted" ? data || draft.encrypted : draft.encrypted,
    parts: withPart(draft.parts, detail),
  };
}

/** Chunks of a stream that nobody put together carry the number of their part. */
function withPart(parts: readonly Part[], { type, text, summary, index }: ReasoningDetailInput) {
  const kind = type === "reasoning.summary" ? "summary" : "thought";
  const received = kind === "summary" ? summary : text;
  if (!received || type === "reasoning.encrypted") return parts;
  const last = parts.at(-1);
  const number = index ?? undefined;
  if (last !== undefined && last.kind === kind && number !== undefined && last.index === number) {
    return [...parts.slice(0, -1), { ...last, text: last.text + received }];
  }
  return [...parts, { kind, index: number, text: received } as const];
}

function toItem({ id, format, parts, signature, encrypted }: Draft): ReasoningItem {
  const textsOf = (kind: Part["kind"]) => parts.filter((part) => part.kind === kind).map(({ text }) => text);
  return {
    type: "reasoning",
    content: textsOf("thought"),
    summary: textsOf("summary"),
    signature,
    encrypted,
    format,
    id,
  };
}
