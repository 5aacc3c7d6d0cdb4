/** Content parts of messages and tool results (specification, Content parts). */

import * as z from "zod";
import { cacheControlSchema } from "../fields/cache_control.ts";
import { requireOneOf } from "../fields/primitives.ts";

/** Both marks of an explicit cache breakpoint that a part may carry. */
const marks = {
  prompt_cache_breakpoint: z.looseObject({ mode: z.literal("explicit") }).nullish(),
  cache_control: cacheControlSchema.nullish(),
};

const inputText = z.looseObject({ type: z.literal("input_text"), text: z.string(), ...marks });

const inputImage = z.looseObject({
  type: z.literal("input_image"),
  detail: z.enum(["auto", "high", "low", "original"]).nullish(),
  image_url: z.string().nullish(),
  file_id: z.string().nullish(),
  ...marks,
}).check(requireOneOf("image_url", "file_id"));

const inputFile = z.looseObject({
  type: z.literal("input_file"),
  file_data: z.string().nullish(),
  file_url: z.string().nullish(),
  file_id: z.string().nullish(),
  filename: z.string().nullish(),
  ...marks,
}).check(requireOneOf("file_data", "file_url", "file_id"));

const inputAudio = z.looseObject({
  type: z.literal("input_audio"),
  input_audio: z.looseObject({ data: z.string(), format: z.enum(["mp3", "wav"]) }),
  ...marks,
});

const inputVideo = z.looseObject({
  type: z.literal("input_video"),
  video_url: z.string().min(1),
  processing: z.enum(["agentic", "static"]).nullish(),
  ...marks,
});

const annotation = z.looseObject({ type: z.string() });

/** `logprobs` report on an earlier answer; no model reads them, so any array passes. */
const outputText = z.looseObject({
  type: z.literal("output_text"),
  text: z.string(),
  annotations: z.array(annotation).nullish(),
  logprobs: z.array(z.unknown()).nullish(),
  ...marks,
});

export const refusalPart = z.looseObject({ type: z.literal("refusal"), refusal: z.string() });

export const reasoningText = z.looseObject({ type: z.literal("reasoning_text"), text: z.string() });
export const summaryText = z.looseObject({ type: z.literal("summary_text"), text: z.string() });

/** Parts of a message. One list for all roles: real clients replay mixed turns. */
export const messagePart = z.discriminatedUnion("type", [
  inputText,
  outputText,
  inputImage,
  inputFile,
  inputAudio,
  inputVideo,
  refusalPart,
]);
export type MessagePart = z.infer<typeof messagePart>;

/** Parts of a client tool's result. */
export const resultPart = z.discriminatedUnion("type", [inputText, inputImage, inputFile]);
/** Parts of another agent's message; `encrypted_content` is opaque to us. */
export const agentPart = z.discriminatedUnion("type", [
  inputText,
  inputImage,
  z.looseObject({ type: z.literal("encrypted_content"), encrypted_content: z.string() }),
]);
export type AgentPart = z.infer<typeof agentPart>;
