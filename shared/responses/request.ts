/**
 * The body of POST /responses (specification, Response request; specification, Request body). Nothing here
 * transforms: defaults are applied where the request is turned into the canonical form. Null means absent
 * everywhere but in `top_k`, because real clients write out the fields that they do not use.
 */

import * as z from "zod";
import { isRecord } from "../util/json.ts";
import { truncate } from "../util/text.ts";
import { countCodePoints } from "../validation/validate.ts";
import { cacheControlSchema, promptCacheOptions } from "../fields/cache_control.ts";
import { boundedText, nonEmptyString, reasoningEffort, unsupportedField } from "../fields/primitives.ts";
import { providerPreferences, stopCondition, trace } from "../fields/gateway_preferences.ts";
import { inputItem } from "./items.ts";
import { plugins } from "./plugins.ts";
import { textConfig } from "./text_config.ts";
import { toolChoice } from "./tool_choice.ts";
import { tool } from "./tools.ts";

const flag = z.boolean().nullish();

/** Values of `include`: the specification's five, then three that only OpenAI's types list. */
export const includable = [
  "file_search_call.results",
  "message.input_image.image_url",
  "computer_call_output.output.image_url",
  "reasoning.encrypted_content",
  "code_interpreter_call.outputs",
  "web_search_call.results",
  "web_search_call.action.sources",
  "message.output_text.logprobs",
] as const;

const summary = z.enum(["auto", "concise", "detailed"]).nullish();

export const reasoningConfig = z.looseObject({
  effort: reasoningEffort.nullish(),
  summary,
  /** The older name of the same. */
  generate_summary: summary,
  enabled: flag,
  max_tokens: z.int().min(1).nullish(),
  context: z.enum(["auto", "all_turns", "current_turn"]).nullish(),
  mode: z.enum(["standard", "pro"]).nullish(),
});
export type ReasoningConfig = z.infer<typeof reasoningConfig>;

const PAIRS = 16;
const KEY_LENGTH = 64;
const VALUE_LENGTH = 512;

/**
 * At most 16 pairs; keys at most 64 characters and no brackets; values at most 512 (specification, Limits). A
 * schema with keys would copy the object, all but a pair called `__proto__`.
 */
export const metadata = z.custom<{ [key: string]: string }>().check((payload) => {
  const { value: input, issues } = payload;
  if (!isRecord(input)) {
    issues.push({ code: "invalid_type", expected: "object", input });
    return;
  }
  const pairs = Object.entries(input);
  if (pairs.length > PAIRS) {
    const message = `has ${pairs.length} pairs; at most ${PAIRS} are allowed`;
    issues.push({ code: "custom", message, input });
    return;
  }
  for (const [key, value] of pairs) {
    const message = judgeKey(key);
    if (message !== undefined) issues.push({ code: "custom", message, input });
    const path = [key];
    if (typeof value !== "string") {
      issues.push({ code: "invalid_type", expected: "string", input: value, path });
    } else if (value.length > VALUE_LENGTH && countCodePoints(value) > VALUE_LENGTH) {
      const maximum = VALUE_LENGTH;
      issues.push({ code: "too_big", origin: "string", maximum, inclusive: true, input: value, path });
    }
  }
});

function judgeKey(key: string): string | undefined {
  const length = countCodePoints(key);
  const spelled = JSON.stringify(truncate(key));
  if (length > KEY_LENGTH) {
    return `has the key ${spelled} of ${length} characters; at most ${KEY_LENGTH} are allowed`;
  }
  return /[[\]]/.test(key) ? `has the key ${spelled}; brackets are not allowed` : undefined;
}

/** Keys are the provider's own. */
export const imageConfig = z.object({}).catchall(z.union([z.string(), z.number(), z.array(z.unknown())]));

/** `true` is the one other value that a client might mean. */
const never = z.unknown().check((payload) => {
  if (payload.value === false || payload.value === null) return;
  const message = payload.value === true
    ? "is true; responses are not stored, send false or leave it out"
    : "must be false: responses are not stored";
  payload.issues.push({ code: "custom", message, input: payload.value });
}).optional();

export const responseRequest = z.looseObject({
  model: nonEmptyString.nullish(),
  models: z.array(nonEmptyString).nullish(),
  input: z.union([z.string(), z.array(inputItem)]).nullish(),
  instructions: z.string().nullish(),
  background: flag,
  stream: flag,
  store: never,
  previous_response_id: unsupportedField(
    "is not supported: responses are not stored, send the whole history in input",
  ),
  conversation: unsupportedField(
    "is not supported: conversations are not stored, send the whole history in input",
  ),
  prompt: unsupportedField("must be left out. Stored prompts are not supported"),
  include: z.array(z.enum(includable)).nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  max_tool_calls: z.int().min(1).max(30).nullish(),
  stop_server_tools_when: z.array(stopCondition).min(1).nullish(),
  parallel_tool_calls: flag,
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.int().optional(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  modalities: z.array(z.enum(["text", "image"])).nullish(),
  image_config: imageConfig.nullish(),
  metadata: metadata.nullish(),
  service_tier: z.enum(["auto", "default", "fast", "flex", "priority", "scale"]).nullish(),
  /** Slug of the preset that fills in what the request does not say; it is gone before the request is read. */
  preset: z.string().nullish(),
  session_id: boundedText(256).nullish(),
  user: boundedText(256).nullish(),
  safety_identifier: z.string().nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_options: promptCacheOptions.nullish(),
  cache_control: cacheControlSchema.nullish(),
  debug: z.looseObject({ echo_upstream_body: flag }).nullish(),
  plugins: plugins.nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  text: textConfig.nullish(),
  reasoning: reasoningConfig.nullish(),
  provider: providerPreferences.nullish(),
  trace: trace.nullish(),
  truncation: z.enum(["auto", "disabled"]).nullish(),
  route: z.enum(["fallback", "sort"]).nullish(),
});
export type ResponseRequest = z.infer<typeof responseRequest>;
