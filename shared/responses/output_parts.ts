/**
 * Content parts as an answer carries them (specification, Content parts, §3.9): what a request may leave out is
 * required.
 */

import * as z from "zod";
import { reasoningText, refusalPart } from "./parts.ts";

const index = z.int().min(0);

const urlCitation = z.looseObject({
  type: z.literal("url_citation"),
  url: z.string(),
  title: z.string(),
  start_index: index,
  end_index: index,
  content: z.string().optional(),
});

export const outputAnnotation = z.discriminatedUnion("type", [
  urlCitation,
  z.looseObject({ type: z.literal("file_citation"), file_id: z.string(), filename: z.string(), index }),
  z.looseObject({ type: z.literal("file_path"), file_id: z.string(), index }),
  z.looseObject({
    type: z.literal("container_file_citation"),
    container_id: z.string(),
    file_id: z.string(),
    filename: z.string(),
    start_index: index,
    end_index: index,
  }),
]);

const token = { token: z.string(), logprob: z.number() };
const bytes = z.array(z.int());

/** In a part all keys are there. */
const partLogprob = z.looseObject({
  ...token,
  bytes,
  top_logprobs: z.array(z.looseObject({ ...token, bytes })),
});

/** In stream events two of them may be missing. */
export const eventLogprob = z.looseObject({
  ...token,
  bytes: bytes.optional(),
  top_logprobs: z.array(z.looseObject({ ...token, bytes: bytes.optional() })).optional(),
});

/** Strict clients break where `annotations` is missing (specification, Clients, 3). */
const answerText = z.looseObject({
  type: z.literal("output_text"),
  text: z.string(),
  annotations: z.array(outputAnnotation),
  logprobs: z.array(partLogprob).optional(),
});

export const answerPart = z.discriminatedUnion("type", [answerText, refusalPart]);
export const streamedPart = z.discriminatedUnion("type", [answerText, refusalPart, reasoningText]);
