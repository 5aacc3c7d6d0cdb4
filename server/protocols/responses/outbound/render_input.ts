/** Hub items → input items of a Responses request (wire-reference §3.3). */

import { ownValue } from "../../../../shared/util/own_value.ts";
import type {
  CallItem,
  Extra,
  ForeignItem,
  Item,
  Json,
  MessageItem,
  ReasoningItem,
  ResultItem,
} from "../../../canonical/item.ts";
import type { EndpointTraits } from "../../wire.ts";
import { inputParts, type Note, outputParts } from "./render_parts.ts";
import { compact, itemKeys, pick, renderEach, surplus } from "./published_fields.ts";

export interface InputContext {
  readonly traits: EndpointTraits;
  readonly note: Note;
}

/** The whole conversation; an item that the provider has no form for is told as text or left out with a note. */
export function renderInput(items: readonly Item[], context: InputContext): readonly Json[] {
  return renderEach(items, (item) => renderItem(item, context));
}

function renderItem(item: Item, context: InputContext): Json | undefined {
  switch (item.type) {
    case "message":
      return item.role === "assistant" ? renderAnswer(item, context.note) : renderMessage(item, context);
    case "reasoning":
      return renderReasoning(item, context);
    case "call":
      return renderCall(item);
    case "result":
      return renderResult(item, context.note);
    case "foreign":
      return renderForeign(item, context.note);
    default:
      return item satisfies never;
  }
}

/** Ids stay behind: the provider publishes none for messages that it did not write. */
function renderMessage(item: MessageItem, { traits, note }: InputContext): Json | undefined {
  const content = inputParts(item.parts, note);
  if (content.length === 0 && item.parts.length > 0) return undefined;
  const role = item.role === "developer" ? traits.developerRole : item.role;
  return compact({ type: "message", role, content, phase: item.phase });
}

/**
 * A message with the provider's own id goes back as it came. Without one the provider knows an easier form,
 * in which a lone text is a plain string: the one that every compatible server takes.
 */
function renderAnswer(item: MessageItem, note: Note): Json | undefined {
  const content = outputParts(item.parts, note);
  if (content.length === 0) return undefined;
  const id = ownId(item.id, "msg_");
  const { role, phase, status = "completed" } = item;
  if (id !== undefined) return compact({ type: "message", id, role, status, content, phase });
  const [only] = item.parts;
  const plain = item.parts.length === 1 && only?.type === "text" && !only.annotations?.length;
  return compact({ type: "message", role, content: plain ? only.text : content, phase });
}

/** The provider refuses ids that are not of its own form ("Expected an ID that begins with 'rs'"). */
function ownId(id: string | undefined, prefix: string): string | undefined {
  return id !== undefined && id.length <= 64 && id.startsWith(prefix) ? id : undefined;
}

/**
 * Reasoning that the provider can use again is its cipher: nothing is stored there, so an id alone is not
 * found, and plain thoughts are refused ("array too long") save by servers whose row takes them.
 */
function renderReasoning(item: ReasoningItem, { traits, note }: InputContext): Json | undefined {
  const thoughts = traits.passKeys.includes("reasoning.content") ? item.thoughts : [];
  const cipher = isForeignCipher(item) ? undefined : item.encrypted;
  if (cipher === undefined && thoughts.length === 0) {
    return void note(
      item.encrypted === undefined ? "reasoning without encrypted_content" : `reasoning ${item.format}`,
    );
  }
  return compact({
    type: "reasoning",
    id: cipher === undefined ? undefined : ownId(item.id, "rs_"),
    summary: item.summary.map((text) => ({ type: "summary_text", text })),
    content: thoughts.length === 0 ? undefined : thoughts.map((text) => ({ type: "reasoning_text", text })),
    encrypted_content: cipher,
  });
}

/** Formats of makers that do not speak this wire: what they sealed is refused here (wire-reference §3.9). */
const foreignFormats = /^(anthropic|google)-/;

const isForeignCipher = ({ format }: ReasoningItem): boolean => foreignFormats.test(format ?? "");

function renderCall(item: CallItem): Json {
  const custom = item.kind === "custom";
  const type = custom ? "custom_tool_call" : "function_call";
  return compact({
    ...publishedExtra(item.extra, type),
    type,
    id: ownId(item.id, custom ? "ctc_" : "fc_"),
    call_id: item.callId,
    name: item.name,
    namespace: item.namespace,
    [custom ? "input" : "arguments"]: item.arguments,
    status: custom ? undefined : item.status,
  });
}

function renderResult(item: ResultItem, note: Note): Json {
  const type = item.kind === "custom" ? "custom_tool_call_output" : "function_call_output";
  const output = typeof item.output === "string" ? item.output : inputParts(item.output, note);
  return { ...publishedExtra(item.extra, type), type, call_id: item.callId, output };
}

/** Keys of ours to say, whatever the client put beside them. */
const modelled: readonly string[] = ["id", "call_id", "status", "arguments", "input", "output"];

const nothing: Json = {};

function publishedExtra(extra: Extra | undefined, type: string): Json {
  if (extra?.responses === undefined) return nothing;
  return pick(extra.responses, (ownValue(itemKeys, type) ?? []).filter((key) => !modelled.includes(key)));
}

/** The provider's own kinds go back as they are; all others are told in words. */
function renderForeign(from: ForeignItem, note: Note): Json | undefined {
  const item = asCompaction(from);
  const keys = item.wire === "responses" ? ownValue(itemKeys, item.kind) : undefined;
  if (keys !== undefined) {
    surplus(item.value, keys).forEach((key) => note(`${item.kind}.${key}`));
    return pick(item.value, keys);
  }
  if (item.told === undefined) return void note(item.kind);
  return { type: "message", role: "assistant", content: item.told };
}

/** Some clients store compactions under a name that the provider refuses; without content they are marks of theirs. */
function asCompaction(item: ForeignItem): ForeignItem {
  if (item.kind !== "context_compaction" || typeof item.value.encrypted_content !== "string") return item;
  return { ...item, kind: "compaction", value: { ...item.value, type: "compaction" } };
}
