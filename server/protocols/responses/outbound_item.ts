/** Output items of the Responses wire → hub items (wire-reference §3.9). Unknown fields and kinds survive. */

import * as z from "zod";
import type {
  Annotation,
  Extra,
  ItemStatus,
  Json,
  OutputItem,
  RefusalPart,
  TextPart,
} from "../../hub/item.ts";
import { readLogprobs } from "./outbound_frame.ts";
import { told } from "./outbound_told.ts";

const status = z.enum(["in_progress", "completed", "incomplete"]).optional().catch(undefined);
const optionalText = z.string().optional().catch(undefined);
const textOrEmpty = z.string().catch("");

/** Arguments are JSON text; some servers send the object itself. */
const argumentText = z.unknown().optional().transform((value) =>
  typeof value === "string" ? value : JSON.stringify(value ?? {})
);

const message = z.looseObject({
  id: optionalText,
  role: z.enum(["user", "assistant", "system", "developer"]).catch("assistant"),
  status,
  phase: optionalText,
  content: z.union([z.array(z.unknown()), z.string().transform((text) => [{ type: "output_text", text }])])
    .catch([]),
});

const reasoning = z.looseObject({
  id: optionalText,
  status,
  summary: z.array(z.unknown()).catch([]),
  content: z.array(z.unknown()).catch([]),
  encrypted_content: optionalText,
  signature: optionalText,
  format: optionalText,
});

const call = z.looseObject({
  id: optionalText,
  status,
  call_id: optionalText,
  name: textOrEmpty,
  namespace: optionalText,
});
const functionCall = call.extend({ arguments: argumentText });
const customCall = call.extend({ input: textOrEmpty });

const foreign = z.looseObject({ type: z.string(), id: optionalText });
const annotation = z.looseObject({ type: z.string() });
// Schemas are built once: building one a call costs more than all else that is done with an answer.
const anyObject = z.looseObject({});
const typed = z.looseObject({ type: z.string() });
const withText = z.object({ text: z.string() });

const readers: Readonly<Partial<Record<string, (value: Json) => OutputItem>>> = {
  message: readMessage,
  reasoning: readReasoning,
  function_call: readFunctionCall,
  custom_tool_call: readCustomCall,
};

/** One output item; undefined when it is not an object with a `type`. A `role` without one is a message. */
export function readItem(value: unknown): OutputItem | undefined {
  const record = anyObject.safeParse(value);
  if (!record.success) return undefined;
  const type = record.data.type ?? ("role" in record.data ? "message" : undefined);
  if (typeof type !== "string") return undefined;
  return (readers[type] ?? readForeign)({ ...record.data, type });
}

function readMessage(value: Json): OutputItem {
  const { id, role, status, phase, content, type: _type, ...rest } = message.parse(value);
  return { type: "message", id, role, status, phase, parts: content.flatMap(readPart), extra: extraOf(rest) };
}

const textPart = z.looseObject({
  text: z.string(),
  annotations: z.array(z.unknown()).catch([]),
  logprobs: z.array(z.unknown()).nullish().catch(undefined),
});

/** A part of a kind we do not know keeps its place, so that the indexes after it hold. */
function readPart(value: unknown): readonly (TextPart | RefusalPart)[] {
  const part = typed.safeParse(value);
  if (!part.success) return [];
  const { type, ...fields } = part.data;
  if (type === "refusal") {
    const { refusal, ...rest } = fields;
    return [{ type: "refusal", text: textOrEmpty.parse(refusal), extra: extraOf(rest) }];
  }
  const text = textPart.safeParse(fields);
  return [text.success ? readText(text.data) : { type: "text", text: "", extra: extraOf(fields) }];
}

function readText({ text, annotations, logprobs, ...rest }: z.infer<typeof textPart>): TextPart {
  const known = annotations.flatMap((one): Annotation[] => {
    const read = annotation.safeParse(one);
    return read.success ? [read.data] : [];
  });
  return {
    type: "text",
    text,
    annotations: known.length === 0 ? undefined : known,
    logprobs: readLogprobs(logprobs),
    extra: extraOf(rest),
  };
}

function readReasoning(value: Json): OutputItem {
  const {
    id,
    status,
    summary,
    content,
    encrypted_content: encrypted,
    signature,
    format,
    type: _type,
    ...rest
  } = reasoning.parse(value);
  const texts = { summary: summary.flatMap(textOf), thoughts: content.flatMap(textOf) };
  return { type: "reasoning", id, status, ...texts, encrypted, signature, format, extra: extraOf(rest) };
}

function textOf(value: unknown): readonly string[] {
  const read = withText.safeParse(value);
  return read.success ? [read.data.text] : [];
}

function readFunctionCall(value: Json): OutputItem {
  const { arguments: text, type: _type, ...common } = functionCall.parse(value);
  return { type: "call", kind: "function", arguments: text, ...readCall(common) };
}

function readCustomCall(value: Json): OutputItem {
  const { input, type: _type, ...common } = customCall.parse(value);
  return { type: "call", kind: "custom", arguments: input, ...readCall(common) };
}

interface CallFields {
  readonly id?: string;
  readonly status?: ItemStatus;
  readonly callId: string;
  readonly name: string;
  readonly namespace?: string;
  readonly extra?: Extra;
}

/** A server that knows no `call_id` means the item's id. */
function readCall(fields: z.infer<typeof call>): CallFields {
  const { id, status, call_id: callId, name, namespace, ...rest } = fields;
  return { id, status, callId: callId ?? id ?? "", name, namespace, extra: extraOf(rest) };
}

function readForeign(value: Json): OutputItem {
  const { id, type: kind } = foreign.parse(value);
  return { type: "foreign", wire: "responses", kind, value, id, told: told(kind, value) };
}

function extraOf(rest: Json): Extra | undefined {
  return Object.keys(rest).length === 0 ? undefined : { responses: rest };
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
