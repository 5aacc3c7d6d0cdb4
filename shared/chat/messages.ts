/**
 * The messages of a chat (specification, Chat completions, embeddings, messages, misc inference). Null means
 * absent: real clients write out what they do not use.
 */

import * as z from "zod";
import { cacheControlSchema } from "../fields/cache_control.ts";
import { nonEmptyString } from "../fields/primitives.ts";
import { chatContent } from "./parts.ts";

const text = z.string().nullish();

/** Format of details of type `reasoning.server_tool_call` that are complete. */
export const SERVER_TOOL_FORMAT = "server-tool-v1";

/** Reasoning as answers have it, brought back; unknown kinds are ignored. */
const reasoningDetail = z.looseObject({
  type: z.string(),
  text,
  summary: text,
  data: text,
  signature: text,
  format: text,
  id: text,
  index: z.number().nullish(),
  /** Name of the tool, in the call of a server tool. */
  tool_name: text,
  arguments: text,
  result: text,
  tool_call_id: text,
  /** Name of the tool among several of its kind. */
  instance_name: text,
});
export type ReasoningDetailInput = z.infer<typeof reasoningDetail>;

const functionCall = z.looseObject({
  id: z.string(),
  type: z.literal("function"),
  function: z.looseObject({ name: nonEmptyString, arguments: z.string() }),
});

const customCall = z.looseObject({
  id: z.string(),
  type: z.literal("custom"),
  custom: z.looseObject({ name: nonEmptyString, input: z.string() }),
});

const toolCall = z.discriminatedUnion("type", [functionCall, customCall]);
export type ChatToolCall = z.infer<typeof toolCall>;

const instruction = z.looseObject({
  role: z.literal(["system", "developer"]),
  content: chatContent,
  name: text,
});

const user = z.looseObject({ role: z.literal("user"), content: chatContent, name: text });

const assistant = z.looseObject({
  role: z.literal("assistant"),
  content: chatContent.nullish(),
  name: text,
  refusal: text,
  tool_calls: z.array(toolCall).nullish(),
  reasoning: text,
  /** Reasoning, by the name that compatible servers have for it. */
  reasoning_content: text,
  reasoning_details: z.array(reasoningDetail).nullish(),
  images: z.array(z.looseObject({ image_url: z.looseObject({ url: z.string() }) })).nullish(),
});
export type AssistantInput = z.infer<typeof assistant>;

const tool = z.looseObject({
  role: z.literal("tool"),
  tool_call_id: z.string(),
  content: chatContent,
  cache_control: cacheControlSchema.nullish(),
});
export type ToolMessageInput = z.infer<typeof tool>;

export const chatMessage = z.discriminatedUnion("role", [instruction, user, assistant, tool]);
export type ChatMessageInput = z.infer<typeof chatMessage>;
