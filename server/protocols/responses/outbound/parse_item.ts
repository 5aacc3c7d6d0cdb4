/** Output items of the Responses wire → hub items (wire-reference §3.9). Unknown fields and kinds survive. */

import * as z from "zod";
import type {
  Annotation,
  ItemStatus,
  Json,
  OutputItem,
  RefusalPart,
  TextPart,
} from "../../../canonical/item.ts";
import { arrayOf, isRecord, wordOf } from "../../common/outbound/read_fields.ts";
import { readLogprobs } from "./parse_frame.ts";
import { extraOf } from "./outbound_extra.ts";
import { told as tell } from "./describe_hosted_items.ts";

const annotation = z.looseObject({ type: z.string() });
// Schemas are built once: building one a call costs more than all else that is done with an answer.
const anyObject = z.looseObject({});

/** One output item; undefined when it is not an object with a `type`. A `role` without one is a message. */
export function readItem(value: unknown): OutputItem | undefined {
  if (!isRecord(value)) return undefined;
  const type = value.type ?? ("role" in value ? "message" : undefined);
  if (typeof type !== "string") return undefined;
  switch (type) {
    case "message":
      return readMessage(value);
    case "reasoning":
      return readReasoning(value);
    case "function_call":
      return readFunctionCall(value);
    case "custom_tool_call":
      return readCustomCall(value);
    default:
      return readForeign(value, type);
  }
}

function statusOf(value: unknown): ItemStatus | undefined {
  return value === "completed" || value === "in_progress" || value === "incomplete" ? value : undefined;
}

const roles = ["assistant", "user", "system", "developer"] as const;

const messageKeys: ReadonlySet<string> = new Set(["type", "id", "role", "status", "phase", "content"]);

function readMessage(value: Json): OutputItem {
  const { id, role, status, phase, content } = value;
  return {
    type: "message",
    id: wordOf(id),
    role: roles.find((one) => one === role) ?? "assistant",
    status: statusOf(status),
    phase: wordOf(phase),
    parts: readParts(content),
    extra: extraOf(value, messageKeys),
  };
}

/** Some servers say a lone text as a string. */
function readParts(content: unknown): readonly (TextPart | RefusalPart)[] {
  const list = typeof content === "string"
    ? [{ type: "output_text", text: content }]
    : arrayOf(content) ?? [];
  const parts: (TextPart | RefusalPart)[] = [];
  for (const value of list) {
    const part = readPart(value);
    if (part !== undefined) parts.push(part);
  }
  return parts;
}

const refusalKeys: ReadonlySet<string> = new Set(["type", "refusal"]);
const textKeys: ReadonlySet<string> = new Set(["type", "text", "annotations", "logprobs"]);
const typeKey: ReadonlySet<string> = new Set(["type"]);

/** A part of a kind we do not know keeps its place, so that the indexes after it hold. */
function readPart(value: unknown): TextPart | RefusalPart | undefined {
  if (!isRecord(value) || typeof value.type !== "string") return undefined;
  const { type, text, refusal, annotations, logprobs } = value;
  if (type === "refusal") {
    return { type: "refusal", text: wordOf(refusal) ?? "", extra: extraOf(value, refusalKeys) };
  }
  if (typeof text !== "string") return { type: "text", text: "", extra: extraOf(value, typeKey) };
  return {
    type: "text",
    text,
    annotations: readAnnotations(annotations),
    logprobs: readLogprobs(arrayOf(logprobs)),
    extra: extraOf(value, textKeys),
  };
}

function readAnnotations(list: unknown): readonly Annotation[] | undefined {
  const known: Annotation[] = [];
  for (const one of arrayOf(list) ?? []) {
    const read = annotation.safeParse(one);
    if (read.success) known.push(read.data);
  }
  return known.length === 0 ? undefined : known;
}

const reasoningKeys: ReadonlySet<string> = new Set([
  "type",
  "id",
  "status",
  "summary",
  "content",
  "encrypted_content",
  "signature",
  "format",
]);

function readReasoning(value: Json): OutputItem {
  const { id, status, summary, content, encrypted_content: encrypted, signature, format } = value;
  return {
    type: "reasoning",
    id: wordOf(id),
    status: statusOf(status),
    summary: textsOf(summary),
    thoughts: textsOf(content),
    encrypted: wordOf(encrypted),
    signature: wordOf(signature),
    format: wordOf(format),
    extra: extraOf(value, reasoningKeys),
  };
}

function textsOf(list: unknown): readonly string[] {
  const texts: string[] = [];
  for (const one of arrayOf(list) ?? []) {
    if (isRecord(one) && typeof one.text === "string") texts.push(one.text);
  }
  return texts;
}

const callKeys = ["type", "id", "status", "call_id", "name", "namespace"];
const functionCallKeys: ReadonlySet<string> = new Set([...callKeys, "arguments"]);
const customCallKeys: ReadonlySet<string> = new Set([...callKeys, "input"]);

/** Arguments are JSON text; some servers send the object itself. */
function readFunctionCall(value: Json): OutputItem {
  const { arguments: told } = value;
  const text = typeof told === "string" ? told : JSON.stringify(told ?? {});
  return {
    type: "call",
    kind: "function",
    arguments: text,
    ...readCall(value),
    extra: extraOf(value, functionCallKeys),
  };
}

function readCustomCall(value: Json): OutputItem {
  const text = wordOf(value.input) ?? "";
  return {
    type: "call",
    kind: "custom",
    arguments: text,
    ...readCall(value),
    extra: extraOf(value, customCallKeys),
  };
}

interface CallFields {
  readonly id?: string;
  readonly status?: ItemStatus;
  readonly callId: string;
  readonly name: string;
  readonly namespace?: string;
}

/** A server that knows no `call_id` means the item's id. */
function readCall({ id, status, call_id: callId, name, namespace }: Json): CallFields {
  return {
    id: wordOf(id),
    status: statusOf(status),
    callId: wordOf(callId) ?? wordOf(id) ?? "",
    name: wordOf(name) ?? "",
    namespace: wordOf(namespace),
  };
}

function readForeign(told: Json, kind: string): OutputItem {
  const value: Json = { ...anyObject.parse(told), type: kind };
  return { type: "foreign", wire: "responses", kind, value, id: wordOf(value.id), told: tell(kind, value) };
}

/** The item as it stands when it opens: texts and arguments are still to come. */
export function emptied(item: OutputItem): OutputItem {
  switch (item.type) {
    case "message":
      return { ...item, parts: [], status: "in_progress" };
    case "reasoning":
      return {
        ...item,
        summary: [],
        thoughts: [],
        encrypted: undefined,
        signature: undefined,
        status: "in_progress",
      };
    case "call":
      return { ...item, arguments: "", status: "in_progress" };
    case "foreign":
      return item;
    default:
      return item satisfies never;
  }
}
