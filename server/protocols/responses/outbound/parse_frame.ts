/**
 * The frames of a provider's Responses stream. Read leniently: compatible servers leave out fields, add their
 * own, and send errors in several shapes; only what cannot be read at all is malformed.
 */

import * as z from "zod";
import { tryParseJson } from "../../../../shared/util/json.ts";
import type { JsonObject, Logprob, WireExtra } from "../../canonical/item.ts";
import type { SseFrame } from "../../wire.ts";

/** An event of the stream, its other fields not judged yet. */
export type ProviderEvent = { readonly type: string } & JsonObject;

export type ParsedFrame =
  | { readonly kind: "event"; readonly event: ProviderEvent }
  | { readonly kind: "nothing" }
  | { readonly kind: "malformed"; readonly why: string };

const anObject = z.looseObject({
  type: z.string().optional().catch(undefined),
  error: z.unknown().optional(),
});

/** One frame. `[DONE]` and empty frames say nothing; an object without a type is named by its `event:` line. */
export function parseFrame({ event, data }: SseFrame): ParsedFrame {
  if (data === "" || data === "[DONE]") return { kind: "nothing" };
  const read = anObject.safeParse(tryParseJson(data));
  if (!read.success) return { kind: "malformed", why: `${data.length} characters that are no JSON object` };
  const { error } = read.data;
  const type = read.data.type ?? (error ? "error" : event);
  if (type === undefined || type === "message") return { kind: "nothing" };
  return { kind: "event", event: { ...read.data, type } };
}

const index = z.number().int().min(0);
const token = { token: z.string(), logprob: z.number(), bytes: z.array(z.number()).nullish() };

const logprob = z.object({ ...token, top_logprobs: z.array(z.object(token)).nullish() });

/** Where an event belongs; sloppy servers leave out one or the other. */
export const placeSchema = z.object({
  output_index: index.optional().catch(undefined),
  item_id: z.string().optional().catch(undefined),
});
export type EventPlace = z.infer<typeof placeSchema>;

/** A chunk of text, reasoning or arguments. A `delta` that is neither text nor nothing is malformed. */
export const deltaSchema = z.object({
  ...placeSchema.shape,
  content_index: index.catch(0).default(0),
  summary_index: index.catch(0).default(0),
  delta: z.string().nullish().transform((text) => text ?? ""),
  logprobs: z.array(z.unknown()).nullish().catch(undefined),
});

export const annotationAddedSchema = z.object({
  ...placeSchema.shape,
  content_index: index.catch(0).default(0),
  annotation: z.looseObject({ type: z.string() }),
});

export const itemEventSchema = z.object({ ...placeSchema.shape, item: z.unknown().optional() });

/** A part that opens may already carry text. */
export const partAddedSchema = z.object({
  ...placeSchema.shape,
  content_index: index.catch(0).default(0),
  summary_index: index.catch(0).default(0),
  part: z.looseObject({
    type: z.string(),
    text: z.string().optional().catch(undefined),
    refusal: z.string().optional().catch(undefined),
  }),
});

const deltaKeys = new Set([
  "type",
  "sequence_number",
  "item_id",
  "output_index",
  "content_index",
  "summary_index",
  "delta",
  "logprobs",
  // Random padding against traffic analysis of the provider's own stream; ours is framed anew.
  "obfuscation",
]);

/** Fields of a delta event that no reader of ours knows: they survive to the client. */
export const unknownDeltaFields = (event: ProviderEvent): WireExtra | undefined =>
  unknownFields(event, deltaKeys);

/** Well-formed logprobs; undefined when there are none. */
export function parseLogprobs(list: readonly unknown[] | null | undefined): readonly Logprob[] | undefined {
  if (list === null || list === undefined || list.length === 0) return undefined;
  const read = list.flatMap((one) => {
    const { success, data } = logprob.safeParse(one);
    return success ? [hubLogprob(data)] : [];
  });
  return read.length === 0 ? undefined : read;
}

function hubLogprob({ bytes, top_logprobs: top, ...rest }: z.infer<typeof logprob>): Logprob {
  return {
    ...rest,
    ...(bytes ? { bytes } : {}),
    ...(top ? { top_logprobs: top.map(({ bytes, ...one }) => bytes ? { ...one, bytes } : one) } : {}),
  };
}

/** Picks the fields of an object that are not in `known`: they survive to the client. */
export function unknownFields(value: JsonObject, known: ReadonlySet<string>): WireExtra | undefined {
  let rest: Record<string, unknown> | undefined;
  for (const key in value) {
    // Assigned, it would become the prototype of what it is assigned to.
    if (known.has(key) || key === "__proto__" || value[key] === undefined) continue;
    rest ??= {};
    rest[key] = value[key];
  }
  return rest === undefined ? undefined : { responses: rest };
}
