/**
 * Output items of the Responses wire → canonical items (specification, Output items). Unknown fields and kinds
 * survive.
 */

import * as z from "zod";
import { isRecord } from "../../../../shared/util/json.ts";
import { writeCallArguments } from "../../canonical/call_arguments.ts";
import type {
  Annotation,
  ItemStatus,
  JsonObject,
  OutputItem,
  RefusalPart,
  TextPart,
} from "../../canonical/item.ts";
import { readArray, readString } from "../../common/outbound/read_fields.ts";
import { parseLogprobs, unknownFields } from "./parse_frame.ts";
import { describeHostedCall as tell } from "./describe_hosted_items.ts";

const annotation = z.looseObject({ type: z.string() });
// Schemas are built once: building one a call costs more than all else that is done with an answer.
const anyObject = z.looseObject({});

/** One output item; undefined when it is not an object with a `type`. A `role` without one is a message. */
export function parseItem(value: unknown): OutputItem | undefined {
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
      return parsePassthroughItem(value, type);
  }
}

function statusOf(value: unknown): ItemStatus | undefined {
  return value === "completed" || value === "in_progress" || value === "incomplete" ? value : undefined;
}

const roles = ["assistant", "user", "system", "developer"] as const;

const messageKeys: ReadonlySet<string> = new Set(["type", "id", "role", "status", "phase", "content"]);

function readMessage(value: JsonObject): OutputItem {
  const { id, role, status, phase, content } = value;
  return {
    type: "message",
    id: readString(id),
    role: roles.find((one) => one === role) ?? "assistant",
    status: statusOf(status),
    phase: readString(phase),
    parts: readParts(content),
    extra: unknownFields(value, messageKeys),
  };
}

/** Some servers say a lone text as a string. */
function readParts(content: unknown): readonly (TextPart | RefusalPart)[] {
  const list = typeof content === "string"
    ? [{ type: "output_text", text: content }]
    : readArray(content) ?? [];
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
    return { type: "refusal", text: readString(refusal) ?? "", extra: unknownFields(value, refusalKeys) };
  }
  if (typeof text !== "string") return { type: "text", text: "", extra: unknownFields(value, typeKey) };
  return {
    type: "text",
    text,
    annotations: readAnnotations(annotations),
    logprobs: parseLogprobs(readArray(logprobs)),
    extra: unknownFields(value, textKeys),
  };
}

function readAnnotations(list: unknown): readonly Annotation[] | undefined {
  const known: Annotation[] = [];
  for (const one of readArray(list) ?? []) {
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

function readReasoning(value: JsonObject): OutputItem {
  const { id, status, summary, content, encrypted_content: encrypted, signature, format } = value;
  return {
    type: "reasoning",
    id: readString(id),
    status: statusOf(status),
    summary: textsOf(summary),
    content: textsOf(content),
    encrypted: readString(encrypted),
    signature: readString(signature),
    format: readString(format),
    extra: unknownFields(value, reasoningKeys),
  };
}

function textsOf(list: unknown): readonly string[] {
  const texts: string[] = [];
  for (const one of readArray(list) ?? []) {
    if (isRecord(one) && typeof one.text === "string") texts.push(one.text);
  }
  return texts;
}

const callKeys = ["type", "id", "status", "call_id", "name", "namespace"];
const functionCallKeys: ReadonlySet<string> = new Set([...callKeys, "arguments"]);
const customCallKeys: ReadonlySet<string> = new Set([...callKeys, "input"]);

/** Arguments are JSON text; some servers send the object itself. */
function readFunctionCall(value: JsonObject): OutputItem {
  const { arguments: rawArguments } = value;
  const text = typeof rawArguments === "string" ? rawArguments : writeCallArguments(rawArguments ?? {});
  return {
    type: "call",
    kind: "function",
    arguments: text,
    ...readCall(value),
    extra: unknownFields(value, functionCallKeys),
  };
}

function readCustomCall(value: JsonObject): OutputItem {
  const text = readString(value.input) ?? "";
  return {
    type: "call",
    kind: "custom",
    arguments: text,
    ...readCall(value),
    extra: unknownFields(value, customCallKeys),
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
function readCall({ id, status, call_id: callId, name, namespace }: JsonObject): CallFields {
  return {
    id: readString(id),
    status: statusOf(status),
    callId: readString(callId) ?? readString(id) ?? "",
    name: readString(name) ?? "",
    namespace: readString(namespace),
  };
}

function parsePassthroughItem(fields: JsonObject, kind: string): OutputItem {
  const value: JsonObject = { ...anyObject.parse(fields), type: kind };
  return {
    type: "foreign",
    wire: "responses",
    kind,
    value,
    id: readString(value.id),
    textFallback: tell(kind, value),
  };
}

/** The item as it stands when it opens: texts and arguments are still to come. */
export function withoutContent(item: OutputItem): OutputItem {
  switch (item.type) {
    case "message":
      return { ...item, parts: [], status: "in_progress" };
    case "reasoning":
      return {
        ...item,
        summary: [],
        content: [],
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
