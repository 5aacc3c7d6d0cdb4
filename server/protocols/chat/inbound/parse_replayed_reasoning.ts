/** An assistant's earlier thoughts, as answers of ours have them, → reasoning items (see `render_reasoning.ts`). */

import {
  type AssistantInput,
  type ReasoningDetailInput,
  SERVER_TOOL_FORMAT,
} from "../../../../shared/chat/messages.ts";
import type { PassthroughItem, ReasoningItem } from "../../canonical/item.ts";
import { readExtraContent, readSignature, REASONING_FORMAT } from "../../common/thought_signature.ts";
import { isSameDetail, isSameThought, isThoughtDetail } from "../reasoning_details.ts";

interface ReplayedReasoning {
  /** Items that stood before everything else that the assistant did. */
  readonly first: readonly (ReasoningItem | PassthroughItem)[];
  /** By the id of the call that they stood before. */
  readonly beforeCalls: ReadonlyMap<string, readonly ReasoningItem[]>;
}

/** `reasoning_details` say all that the plain texts say, and more: also what server tools did. */
export function parseReplayedReasoning(message: AssistantInput): ReplayedReasoning {
  const calls = message.tool_calls ?? [];
  const callIds = new Set(calls.map(({ id }) => id));
  const drafts = (message.reasoning_details ?? []).reduce(take, []);
  const first: (ReasoningItem | PassthroughItem)[] = [];
  const beforeCalls = new Map<string, readonly ReasoningItem[]>();
  for (const draft of drafts) {
    const callId = "type" in draft ? undefined : draft.ids.find((id) => callIds.has(id));
    if ("type" in draft) first.push(draft);
    else if (callId === undefined) first.push(toItem(draft));
    else beforeCalls.set(callId, [...beforeCalls.get(callId) ?? [], toItem(draft, callId)]);
  }
  const text = drafts.length > 0 ? "" : message.reasoning || message.reasoning_content;
  if (text) first.push({ type: "reasoning", content: [text], summary: [] });
  const known = new Set([...first, ...[...beforeCalls.values()].flat()].map(signatureOf));
  for (const { id, extra_content: extra } of calls) {
    const signature = readExtraContent(extra);
    if (signature === undefined || known.has(signature)) continue;
    beforeCalls.set(id, [...beforeCalls.get(id) ?? [], signedThought(signature)]);
  }
  return { first, beforeCalls };
}

/** Google's own place for the signature of a call says nothing new where the details had it. */
const signatureOf = (item: ReasoningItem | PassthroughItem): string | undefined =>
  item.type === "reasoning" ? readSignature(item) : undefined;

const signedThought = (signature: string): ReasoningItem => ({
  type: "reasoning",
  content: [],
  summary: [],
  signature,
  format: REASONING_FORMAT,
});

/** An item while its details come together. */
interface Draft {
  readonly id?: string;
  /** Ids that its details name: one may be the id of the call that it stood before. */
  readonly ids: readonly string[];
  readonly format?: string;
  readonly parts: readonly Part[];
  readonly signature?: string;
  readonly encrypted?: string;
  readonly last?: { readonly type: string; readonly index?: number };
  /** Numbers of its details. */
  readonly indexes: readonly (number | null)[];
}

interface Part {
  readonly kind: "thought" | "summary";
  readonly text: string;
}

type Drafts = readonly (Draft | PassthroughItem)[];

function take(drafts: Drafts, detail: ReasoningDetailInput): Drafts {
  const tool = serverToolItem(detail);
  if (tool !== undefined) return [...drafts, tool];
  if (!isThoughtDetail(detail)) return drafts;
  const last = drafts.at(-1);
  if (last === undefined || "type" in last || !isSameThought(detail, last)) {
    return [...drafts, added({ ids: [], parts: [], indexes: [] }, detail)];
  }
  return [...drafts.slice(0, -1), added(last, detail)];
}

/** A call of a server tool, as answers of ours have it (`render_deltas.ts`). */
function serverToolItem(detail: ReasoningDetailInput): PassthroughItem | undefined {
  const { type, format, tool_name: name, tool_call_id: callId, arguments: text, result } = detail;
  if (type !== "reasoning.server_tool_call" || format !== SERVER_TOOL_FORMAT || !name || !callId) {
    return undefined;
  }
  const kind = `service:${name}`;
  const id = detail.id || undefined;
  const value = {
    type: kind,
    id,
    status: "completed",
    call_id: callId,
    arguments: text ?? "{}",
    output: result,
    ...(detail.instance_name ? { instance_name: detail.instance_name } : {}),
  };
  return { type: "foreign", wire: "responses", kind, value, id, textFallback: result ?? undefined };
}

function added(draft: Draft, detail: ReasoningDetailInput): Draft {
  const { type, id, tool_call_id: callId, format, signature, data, index } = detail;
  const goesOn = isSameDetail(detail, draft);
  return {
    id: draft.id ?? (id || undefined),
    ids: [...draft.ids, ...[callId, id].filter((one) => typeof one === "string")],
    format: draft.format ?? (format || undefined),
    signature: signature || draft.signature,
    encrypted: type === "reasoning.encrypted" ? data || draft.encrypted : draft.encrypted,
    parts: withPart(draft.parts, { detail, goesOn }),
    last: { type, index: index ?? undefined },
    indexes: goesOn ? draft.indexes : [...draft.indexes, index ?? null],
  };
}

interface AddedPart {
  readonly detail: ReasoningDetailInput;
  /** Whether it continues the last part. Chunks that a client did not join carry the number of their part. */
  readonly goesOn: boolean;
}

function withPart(parts: readonly Part[], { detail, goesOn }: AddedPart): readonly Part[] {
  const { type, text, summary } = detail;
  const kind = type === "reasoning.summary" ? "summary" : "thought";
  const received = kind === "summary" ? summary : text;
  if (typeof received !== "string" || type === "reasoning.encrypted") return parts;
  const last = parts.at(-1);
  if (goesOn && last?.kind === kind) return [...parts.slice(0, -1), { kind, text: last.text + received }];
  return received === "" && !detail.signature ? parts : [...parts, { kind, text: received }];
}

/** The id of a call is no id of a thought. */
function toItem({ id, format, parts, signature, encrypted, indexes }: Draft, callId?: string): ReasoningItem {
  const textsOf = (kind: Part["kind"]) => parts.filter((part) => part.kind === kind).map(({ text }) => text);
  return {
    type: "reasoning",
    content: textsOf("thought"),
    summary: textsOf("summary"),
    signature,
    encrypted,
    format,
    id: id === callId ? undefined : id,
    extra: { chat: { indexes, of_call: callId !== undefined && id === callId } },
  };
}
