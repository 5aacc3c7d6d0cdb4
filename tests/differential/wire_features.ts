/**
 * Table of each wire's features: that of docs/providers.md. wire_features_test.ts goes over it with every API that
 * has the feature.
 */

import { type WireId, wireIds } from "../../server/protocols/canonical/item.ts";
import { wireNames } from "../support/wire_names.ts";
import type { FeatureName } from "./feature_requests.ts";

export type Fate =
  /** It stands in that place of the call. */
  | { readonly type: "sent"; readonly place: string }
  /** It does where the row of the endpoint or of its model lists it; elsewhere it is left out by its name. */
  | { readonly type: "listed"; readonly name: string }
  /** It is left out, and the routing metadata has this name. */
  | { readonly type: "named"; readonly name: string }
  /** No word goes up: the gateway holds the answer to it. */
  | { readonly type: "held" }
  /** The gateway does it itself, before the call. */
  | { readonly type: "done" }
  /** This endpoint is not asked; where there is no other the client gets an error. */
  | { readonly type: "refused" };

export type Fates = { readonly [W in WireId]: Fate };

const sent = (place: string): Fate => ({ type: "sent", place });
const named = (name: string): Fate => ({ type: "named", name });
const listed = (name: string): Fate => ({ type: "listed", name });
const held: Fate = { type: "held" };
const done: Fate = { type: "done" };
const refused: Fate = { type: "refused" };

type Cell = string | Fate;
type Row = readonly [responses: Cell, chat: Cell, messages: Cell, gemini: Cell, bedrock: Cell];

const toFate = (cell: Cell): Fate => typeof cell === "string" ? sent(cell) : cell;

/** A text is a place. */
const fates = (...[responses, chat, messages, gemini, bedrock]: Row): Fates => ({
  responses: toFate(responses),
  chat: toFate(chat),
  messages: toFate(messages),
  gemini: toFate(gemini),
  bedrock: toFate(bedrock),
});

/** Left out by this name, but at the wires of `others`. */
function namedBut(name: string, others: { readonly [W in WireId]?: Cell } = {}): Fates {
  const rest = named(name);
  const { responses = rest, chat = rest, messages = rest, gemini = rest, bedrock = rest } = others;
  return fates(responses, chat, messages, gemini, bedrock);
}

/** The same field on both wires that defer tools. */
const deferring = { responses: "tools[].defer_loading", messages: "tools[].defer_loading" };

const content = "messages[].content[]";
const parts = "contents[].parts[]";

export const wireFeatures: { readonly [F in FeatureName]: Fates } = {
  "instructions by a field": fates(
    "instructions",
    "messages[].role",
    "system[].text",
    "systemInstruction.parts[].text",
    "system[].text",
  ),
  "a system message in front": fates(
    "input[].role",
    "messages[].role",
    "system[].text",
    "systemInstruction.parts[].text",
    "system[].text",
  ),
  "the output cap": fates(
    "max_output_tokens",
    "max_completion_tokens",
    "max_tokens",
    "generationConfig.maxOutputTokens",
    "inferenceConfig.maxTokens",
  ),
  "the output cap by its older name": fates(
    "max_output_tokens",
    "max_completion_tokens",
    "max_tokens",
    "generationConfig.maxOutputTokens",
    "inferenceConfig.maxTokens",
  ),
  "a stream": fates("stream", "stream", "stream", "path", "path"),
  "`temperature`": fates(
    "temperature",
    "temperature",
    "temperature",
    "generationConfig.temperature",
    "inferenceConfig.temperature",
  ),
  "`top_p`": fates("top_p", "top_p", "top_p", "generationConfig.topP", "inferenceConfig.topP"),
  "`top_k`": namedBut("top_k", { chat: listed("top_k"), messages: "top_k", gemini: "generationConfig.topK" }),
  "`frequency_penalty`": namedBut("frequency_penalty", {
    responses: listed("frequency_penalty"),
    chat: "frequency_penalty",
    gemini: "generationConfig.frequencyPenalty",
  }),
  "`presence_penalty`": namedBut("presence_penalty", {
    responses: listed("presence_penalty"),
    chat: "presence_penalty",
    gemini: "generationConfig.presencePenalty",
  }),
  "`top_a`": namedBut("top_a", { chat: listed("top_a") }),
  "`min_p`": namedBut("min_p", { chat: listed("min_p") }),
  "`repetition_penalty`": namedBut("repetition_penalty", { chat: listed("repetition_penalty") }),
  "`seed`": namedBut("seed", { chat: "seed", gemini: "generationConfig.seed" }),
  "`logit_bias`": namedBut("logit_bias", { chat: "logit_bias" }),
  "`top_logprobs`": namedBut("top_logprobs", {
    responses: "top_logprobs",
    chat: "top_logprobs",
    gemini: "generationConfig.logprobs",
  }),
  "`logprobs`": namedBut("logprobs", {
    responses: "include[]",
    chat: "logprobs",
    gemini: "generationConfig.responseLogprobs",
  }),
  "texts that end the answer": fates(
    named("stop"),
    "stop",
    "stop_sequences",
    "generationConfig.stopSequences",
    "inferenceConfig.stopSequences",
  ),
  "verbosity": namedBut("text.verbosity", { responses: "text.verbosity", chat: "verbosity" }),
  "JSON without a schema": fates(
    "text.format",
    "response_format",
    "system[].text",
    "generationConfig.responseMimeType",
    "system[].text",
  ),
  "a JSON schema": fates(
    "text.format.schema",
    "response_format.json_schema.schema",
    "output_config.format.schema",
    "generationConfig.responseJsonSchema",
    "outputConfig.textFormat.structure.jsonSchema.schema",
  ),
  "a JSON schema by `output_format`": fates(
    "text.format.schema",
    "response_format.json_schema.schema",
    "output_config.format.schema",
    "generationConfig.responseJsonSchema",
    "outputConfig.textFormat.structure.jsonSchema.schema",
  ),
  "effort of reasoning": fates(
    "reasoning.effort",
    "reasoning_effort",
    "thinking.budget_tokens",
    "generationConfig.thinkingConfig.thinkingLevel",
    "additionalModelRequestFields.thinking.budget_tokens",
  ),
  "a budget of reasoning": namedBut("reasoning.max_tokens", {
    messages: "thinking.budget_tokens",
    bedrock: "additionalModelRequestFields.thinking.budget_tokens",
  }),
  "`reasoning.context`": namedBut("reasoning.context", { responses: "reasoning.context" }),
  "pictures": fates(
    "input[].content[].image_url",
    `${content}.image_url.url`,
    `${content}.source.data`,
    `${parts}.inlineData.data`,
    `${content}.image.source.bytes`,
  ),
  "pictures by URL": fates(
    "input[].content[].image_url",
    `${content}.image_url.url`,
    `${content}.source.url`,
    `${parts}.fileData.fileUri`,
    named("image"),
  ),
  "`detail` of a picture": namedBut("detail", {
    responses: "input[].content[].detail",
    chat: `${content}.image_url.detail`,
  }),
  "PDFs": fates(
    "input[].content[].file_data",
    `${content}.file.file_data`,
    `${content}.source.data`,
    `${parts}.inlineData.data`,
    `${content}.document.source.bytes`,
  ),
  "audio": namedBut("audio", {
    responses: "input[].content[].input_audio.data",
    chat: `${content}.input_audio.data`,
    gemini: `${parts}.inlineData.data`,
  }),
  "video": namedBut("video", {
    responses: named("input_video"),
    chat: `${content}.video_url.url`,
    gemini: `${parts}.fileData.fileUri`,
  }),
  "search results as blocks": namedBut("input.search_result", { messages: `${content}.source` }),
  "answers with pictures": namedBut("modalities image", {
    responses: named("modalities"),
    chat: "modalities",
    gemini: "generationConfig.responseModalities",
  }),
  "`image_config` where no picture is wanted": namedBut("image_config", {
    chat: listed("image_config"),
    gemini: named("image_config.aspect_ratio"),
  }),
  "`image_config`": namedBut("image_config", {
    chat: listed("image_config"),
    gemini: "generationConfig.imageConfig",
  }),
  "function tools": fates(
    "tools[].parameters",
    "tools[].function.parameters",
    "tools[].input_schema",
    "tools[].functionDeclarations[].parametersJsonSchema",
    "toolConfig.tools[].toolSpec.inputSchema",
  ),
  "`strict` of a tool": namedBut("tools.strict", {
    responses: "tools[].strict",
    chat: "tools[].function.strict",
    messages: "tools[].strict",
  }),
  "custom tools": fates(
    "tools[].name",
    "tools[].function.name",
    "tools[].name",
    "tools[].functionDeclarations[].name",
    "toolConfig.tools[].toolSpec.name",
  ),
  "tools of a namespace": fates(
    "tools[].tools[].name",
    "tools[].function.name",
    "tools[].name",
    "tools[].functionDeclarations[].name",
    "toolConfig.tools[].toolSpec.name",
  ),
  "deferred tools, on Responses": namedBut("tools.defer_loading", deferring),
  "deferred tools, on Messages": namedBut("tools.defer_loading", deferring),
  "`input_examples` of a tool": namedBut("tools.input_examples", { messages: "tools[].input_examples" }),
  "tools that the provider runs": namedBut("tool file_search", { responses: "tools[].vector_store_ids" }),
  "such a tool forced": fates("tool_choice.type", refused, refused, refused, refused),
  "no call": fates(
    "tool_choice",
    "tool_choice",
    "tool_choice",
    "toolConfig.functionCallingConfig.mode",
    held,
  ),
  "a call of any tool": fates(
    "tool_choice",
    "tool_choice",
    "tool_choice.type",
    "toolConfig.functionCallingConfig.mode",
    "toolConfig.toolChoice.any",
  ),
  "a call of one tool": fates(
    "tool_choice.name",
    "tool_choice.function.name",
    "tool_choice.name",
    "toolConfig.functionCallingConfig.allowedFunctionNames",
    "toolConfig.toolChoice.tool.name",
  ),
  "one call at most": fates(
    "parallel_tool_calls",
    "parallel_tool_calls",
    "tool_choice.disable_parallel_tool_use",
    held,
    held,
  ),
  "results of calls": fates(
    "input[].output",
    "messages[].tool_call_id",
    `${content}.tool_use_id`,
    `${parts}.functionResponse.response`,
    `${content}.toolResult.content`,
  ),
  "pictures in results": fates(
    "input[].output[].image_url",
    `${content}.image_url.url`,
    `${content}.content[].source.data`,
    `${parts}.functionResponse.parts[].inlineData.data`,
    `${content}.toolResult.content[].image.source.bytes`,
  ),
  "the mark of a tool that failed": namedBut("is_error", {
    messages: `${content}.is_error`,
    gemini: `${parts}.functionResponse.response.error`,
    bedrock: `${content}.toolResult.status`,
  }),
  "`cache_control` of a part": namedBut("cache_control", {
    messages: `${content}.cache_control`,
    bedrock: `${content}.cachePoint`,
  }),
  "`cache_control` of a tool": namedBut("cache_control", {
    messages: "tools[].cache_control",
    bedrock: "toolConfig.tools[].cachePoint",
  }),
  "`cache_control` of the request": namedBut("cache_control", {
    messages: "cache_control",
    bedrock: `${content}.cachePoint`,
  }),
  "`prompt_cache_breakpoint`": fates(
    "input[].content[].prompt_cache_breakpoint",
    `${content}.prompt_cache_breakpoint`,
    `${content}.cache_control`,
    named("prompt_cache_breakpoint"),
    `${content}.cachePoint`,
  ),
  "`prompt_cache_key`": namedBut("prompt_cache_key", {
    responses: "prompt_cache_key",
    chat: "prompt_cache_key",
  }),
  "`prompt_cache_options`": namedBut("prompt_cache_options", {
    responses: "prompt_cache_options",
    chat: "prompt_cache_options",
  }),
  "`service_tier`": fates("service_tier", "service_tier", "service_tier", "serviceTier", "serviceTier.type"),
  "`safety_identifier`": namedBut("safety_identifier", {
    responses: "safety_identifier",
    chat: "safety_identifier",
    messages: "metadata.user_id",
  }),
  "`truncation: auto`": fates("truncation", done, done, done, done),
  "Anthropic's betas": namedBut("x-anthropic-beta", { messages: "headers.anthropic-beta" }),
  "`web_search_options`": namedBut("web_search_options", { chat: listed("web_search_options") }),
  "`prediction`": namedBut("prediction", { chat: listed("prediction") }),
  "`moderation` of Chat Completions": namedBut("moderation", { chat: "moderation" }),
  "`context_management` of Responses": namedBut("context_management", { responses: "context_management" }),
};

function cellText(fate: Fate): string {
  switch (fate.type) {
    case "sent":
      return `\`${fate.place}\``;
    case "listed":
      return `\`${fate.name}\`, where the row lists it`;
    case "named":
      return `– (\`${fate.name}\`)`;
    case "held":
      return "held by the gateway";
    case "done":
      return "done by the gateway";
    case "refused":
      return "refused";
    default:
      return fate satisfies never;
  }
}

/** The table as docs/providers.md shows it. */
export function wireFeaturesTable(): string {
  const rows = Object.entries(wireFeatures).map(([feature, row]) =>
    `| ${feature} | ${wireIds.map((wire) => cellText(row[wire])).join(" | ")} |`
  );
  return [
    `| feature | ${wireIds.map((wire) => wireNames[wire]).join(" | ")} |`,
    "|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}
