/** For each feature of a request, how it is asked for through each API that has it. */

import type { ApiName } from "../golden/apis.ts";
import type { Fields } from "./parameters.ts";

/** Fields that are added to a plain request; `with` stands in both of the requests that are compared. */
export interface FeatureRequest {
  readonly fields: Fields;
  readonly with?: Fields;
}

export type FeatureRequests = { readonly [A in ApiName]?: FeatureRequest };

const control = { cache_control: { type: "ephemeral", ttl: "5m" } };
const breakpoint = { prompt_cache_breakpoint: { mode: "explicit" } };
const schema = { type: "object", properties: { at: { type: "number" } }, required: ["at"] };
const closed = { ...schema, additionalProperties: false };
const url = "https://example.com/cat.png";
const pdf = `data:application/pdf;base64,${btoa("%PDF-1.4")}`;
const png = `data:image/png;base64,${btoa("\x89PNG\r\n\x1a\n")}`;
const wav = btoa("RIFF....WAVE");

const chatTool = (more: Fields = {}) => ({
  type: "function",
  function: { name: "look", parameters: schema, ...more },
});
const tool = (more: Fields = {}) => ({ type: "function", name: "look", parameters: schema, ...more });
const messagesTool = (more: Fields = {}) => ({ name: "look", input_schema: schema, ...more });

const hosted = { type: "file_search", vector_store_ids: ["vs_1"] };

const chatTools = { tools: [chatTool()] };
const responsesTools = { tools: [tool()] };
const messagesTools = { tools: [messagesTool()] };

const chatParts = (...content: readonly Fields[]): Fields => ({ messages: [{ role: "user", content }] });
const inputParts = (...content: readonly Fields[]): Fields => ({ input: [{ role: "user", content }] });
const blocks = (...content: readonly Fields[]): Fields => ({ messages: [{ role: "user", content }] });

const hi = { type: "text", text: "Hi" };
const inputHi = { type: "input_text", text: "Hi" };

/** The same field, by the same name. */
const same = (fields: Fields, ...names: readonly ApiName[]): FeatureRequests =>
  Object.fromEntries(names.map((name) => [name, { fields }]));
const everyApi = (fields: Fields): FeatureRequests => same(fields, "responses", "chat", "messages");
const openAis = (fields: Fields): FeatureRequests => same(fields, "responses", "chat");

/** A call and its result, of which `more` is beside the latter and `output` its value. */
function called(
  more: { readonly output?: readonly Fields[]; readonly block?: Fields } = {},
): { readonly [A in ApiName]: FeatureRequest } {
  const question = { role: "user", content: "Look." };
  const block = { type: "tool_result", tool_use_id: "call_1", content: "seen", ...more.block };
  return {
    responses: {
      fields: {
        input: [
          question,
          { type: "function_call", call_id: "call_1", name: "look", arguments: '{"at":1}' },
          { type: "function_call_output", call_id: "call_1", output: more.output ?? "seen" },
        ],
        ...responsesTools,
      },
    },
    chat: {
      fields: {
        messages: [
          question,
          {
            role: "assistant",
            content: null,
            tool_calls: [{
              id: "call_1",
              type: "function",
              function: { name: "look", arguments: '{"at":1}' },
            }],
          },
          { role: "tool", tool_call_id: "call_1", content: "seen" },
        ],
        ...chatTools,
      },
    },
    messages: {
      fields: {
        messages: [
          question,
          {
            role: "assistant",
            content: [{ type: "tool_use", id: "call_1", name: "look", input: { at: 1 } }],
          },
          { role: "user", content: [block] },
        ],
        ...messagesTools,
      },
    },
  };
}

const textResult = called();
const pictureResult = called({
  output: [{ type: "input_image", image_url: png }],
  block: {
    content: [{
      type: "image",
      source: { type: "base64", media_type: "image/png", data: png.split(",")[1] },
    }],
  },
});
const failedResult = called({ block: { is_error: true } });

/** The choice in the words of each API. */
const choice = ({ chat, responses, messages }: { readonly [A in ApiName]: unknown }): FeatureRequests => ({
  chat: { fields: { tool_choice: chat }, with: chatTools },
  responses: { fields: { tool_choice: responses }, with: responsesTools },
  messages: { fields: { tool_choice: messages }, with: messagesTools },
});

export const featureRequests = {
  "instructions by a field": {
    responses: { fields: { instructions: "Be brief." } },
    messages: { fields: { system: "Be brief." } },
  },
  "a system message in front": {
    chat: {
      fields: { messages: [{ role: "system", content: "Be brief." }, { role: "user", content: [hi] }] },
    },
    responses: {
      fields: {
        input: [{ role: "system", content: "Be brief." }, { role: "user", content: [inputHi] }],
      },
    },
  },
  "the output cap": {
    chat: { fields: { max_completion_tokens: 100 } },
    responses: { fields: { max_output_tokens: 100 } },
    messages: { fields: { max_tokens: 100 } },
  },
  "the output cap by its older name": same({ max_tokens: 100 }, "chat"),
  "a stream": everyApi({ stream: true }),
  "`temperature`": everyApi({ temperature: 0.4 }),
  "`top_p`": everyApi({ top_p: 0.4 }),
  "`top_k`": everyApi({ top_k: 40 }),
  "`frequency_penalty`": openAis({ frequency_penalty: 0.4 }),
  "`presence_penalty`": openAis({ presence_penalty: 0.4 }),
  "`top_a`": same({ top_a: 0.4 }, "chat"),
  "`min_p`": same({ min_p: 0.4 }, "chat"),
  "`repetition_penalty`": same({ repetition_penalty: 1.4 }, "chat"),
  "`seed`": same({ seed: 7 }, "chat"),
  "`logit_bias`": same({ logit_bias: { 50256: -100 } }, "chat"),
  "`top_logprobs`": {
    chat: { fields: { logprobs: true, top_logprobs: 2 } },
    responses: { fields: { top_logprobs: 2 } },
  },
  "`logprobs`": {
    chat: { fields: { logprobs: true } },
    responses: { fields: { include: ["message.output_text.logprobs"] } },
  },
  "texts that end the answer": {
    chat: { fields: { stop: ["END"] } },
    messages: { fields: { stop_sequences: ["END"] } },
  },
  verbosity: {
    chat: { fields: { verbosity: "low" } },
    responses: { fields: { text: { verbosity: "low" } } },
  },
  "JSON without a schema": {
    chat: { fields: { response_format: { type: "json_object" } } },
    responses: { fields: { text: { format: { type: "json_object" } } } },
  },
  "a JSON schema": {
    chat: {
      fields: {
        response_format: { type: "json_schema", json_schema: { name: "x", schema: closed, strict: true } },
      },
    },
    responses: {
      fields: { text: { format: { type: "json_schema", name: "x", schema: closed, strict: true } } },
    },
    messages: { fields: { output_config: { format: { type: "json_schema", schema: closed } } } },
  },
  "a JSON schema by `output_format`": same(
    { output_format: { type: "json_schema", schema: closed } },
    "messages",
  ),
  "effort of reasoning": {
    chat: { fields: { reasoning_effort: "high" } },
    responses: { fields: { reasoning: { effort: "high" } } },
    messages: {
      fields: { thinking: { type: "adaptive" }, output_config: { effort: "high" } },
      with: { thinking: { type: "disabled" } },
    },
  },
  "a budget of reasoning": {
    chat: { fields: { reasoning: { max_tokens: 2_000 } } },
    responses: { fields: { reasoning: { max_tokens: 2_000 } } },
    messages: { fields: { thinking: { type: "enabled", budget_tokens: 2_000 } } },
  },
  "`reasoning.context`": {
    responses: {
      fields: { reasoning: { effort: "high", context: "all_turns" } },
      with: { reasoning: { effort: "high" } },
    },
  },
  "pictures by URL": {
    chat: { fields: chatParts(hi, { type: "image_url", image_url: { url } }) },
    responses: { fields: inputParts(inputHi, { type: "input_image", image_url: url }) },
    messages: { fields: blocks(hi, { type: "image", source: { type: "url", url } }) },
  },
  pictures: {
    chat: { fields: chatParts(hi, { type: "image_url", image_url: { url: png } }) },
    responses: { fields: inputParts(inputHi, { type: "input_image", image_url: png }) },
    messages: {
      fields: blocks(hi, {
        type: "image",
        source: { type: "base64", media_type: "image/png", data: png.split(",")[1] },
      }),
    },
  },
  "`detail` of a picture": {
    chat: {
      fields: chatParts({ type: "image_url", image_url: { url: png, detail: "low" } }),
      with: chatParts({ type: "image_url", image_url: { url: png } }),
    },
    responses: {
      fields: inputParts({ type: "input_image", image_url: png, detail: "low" }),
      with: inputParts({ type: "input_image", image_url: png, detail: "auto" }),
    },
  },
  PDFs: {
    chat: { fields: chatParts(hi, { type: "file", file: { filename: "a.pdf", file_data: pdf } }) },
    responses: { fields: inputParts(inputHi, { type: "input_file", filename: "a.pdf", file_data: pdf }) },
    messages: {
      fields: blocks(hi, {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: pdf.split(",")[1] },
      }),
    },
  },
  audio: {
    chat: { fields: chatParts(hi, { type: "input_audio", input_audio: { data: wav, format: "wav" } }) },
    responses: {
      fields: inputParts(inputHi, { type: "input_audio", input_audio: { data: wav, format: "wav" } }),
    },
  },
  video: {
    chat: { fields: chatParts(hi, { type: "video_url", video_url: { url: "https://example.com/a.mp4" } }) },
    responses: {
      fields: inputParts(inputHi, { type: "input_video", video_url: "https://example.com/a.mp4" }),
    },
  },
  "search results as blocks": {
    messages: {
      fields: blocks(hi, {
        type: "search_result",
        source: "https://example.com",
        title: "Cats",
        content: [{ type: "text", text: "A cat." }],
      }),
    },
  },
  "answers with pictures": openAis({ modalities: ["text", "image"] }),
  "`image_config` where no picture is wanted": everyApi({ image_config: { aspect_ratio: "16:9" } }),
  "`image_config`": {
    chat: { fields: { image_config: { aspect_ratio: "16:9" } }, with: { modalities: ["text", "image"] } },
    responses: {
      fields: { image_config: { aspect_ratio: "16:9" } },
      with: { modalities: ["text", "image"] },
    },
  },
  "function tools": {
    chat: { fields: chatTools },
    responses: { fields: responsesTools },
    messages: { fields: messagesTools },
  },
  "`strict` of a tool": {
    chat: {
      fields: { tools: [chatTool({ parameters: closed, strict: true })] },
      with: { tools: [chatTool({ parameters: closed })] },
    },
    responses: {
      fields: { tools: [tool({ parameters: closed, strict: true })] },
      with: { tools: [tool({ parameters: closed, strict: false })] },
    },
    messages: {
      fields: { tools: [messagesTool({ input_schema: closed, strict: true })] },
      with: { tools: [messagesTool({ input_schema: closed })] },
    },
  },
  "custom tools": {
    chat: { fields: { tools: [{ type: "custom", custom: { name: "write" } }] } },
    responses: { fields: { tools: [{ type: "custom", name: "write" }] } },
  },
  "tools of a namespace": {
    responses: {
      fields: { tools: [{ type: "namespace", name: "house", description: "Ours", tools: [tool()] }] },
    },
  },
  "deferred tools, on Responses": {
    responses: {
      fields: { tools: [tool(), tool({ name: "find", defer_loading: true }), { type: "tool_search" }] },
      with: { tools: [tool(), tool({ name: "find" }), { type: "tool_search" }] },
    },
  },
  "deferred tools, on Messages": {
    messages: { fields: { tools: [messagesTool({ defer_loading: true })] }, with: messagesTools },
  },
  "`input_examples` of a tool": {
    messages: { fields: { tools: [messagesTool({ input_examples: [{ at: 1 }] })] }, with: messagesTools },
  },
  "tools that the provider runs": {
    responses: { fields: { tools: [tool(), hosted] }, with: responsesTools },
  },
  "such a tool forced": {
    responses: { fields: { tool_choice: { type: hosted.type } }, with: { tools: [tool(), hosted] } },
  },
  "no call": choice({ chat: "none", responses: "none", messages: { type: "none" } }),
  "a call of any tool": choice({ chat: "required", responses: "required", messages: { type: "any" } }),
  "a call of one tool": choice({
    chat: { type: "function", function: { name: "look" } },
    responses: { type: "function", name: "look" },
    messages: { type: "tool", name: "look" },
  }),
  "one call at most": {
    chat: { fields: { parallel_tool_calls: false }, with: chatTools },
    responses: { fields: { parallel_tool_calls: false }, with: responsesTools },
    messages: {
      fields: { tool_choice: { type: "auto", disable_parallel_tool_use: true } },
      with: { ...messagesTools, tool_choice: { type: "auto" } },
    },
  },
  "results of calls": textResult,
  "pictures in results": {
    responses: { ...pictureResult.responses, with: textResult.responses.fields },
    messages: { ...pictureResult.messages, with: textResult.messages.fields },
  },
  "the mark of a tool that failed": {
    messages: { ...failedResult.messages, with: textResult.messages.fields },
  },
  "`cache_control` of a part": {
    chat: { fields: chatParts({ ...hi, ...control }) },
    responses: { fields: inputParts({ ...inputHi, ...control }) },
    messages: { fields: blocks({ ...hi, ...control }) },
  },
  "`cache_control` of a tool": {
    messages: { fields: { tools: [messagesTool(control)] }, with: messagesTools },
  },
  "`cache_control` of the request": everyApi(control),
  "`prompt_cache_breakpoint`": {
    chat: { fields: chatParts({ ...hi, ...breakpoint }) },
    responses: { fields: inputParts({ ...inputHi, ...breakpoint }) },
  },
  "`prompt_cache_key`": everyApi({ prompt_cache_key: "key" }),
  "`prompt_cache_options`": openAis({ prompt_cache_options: { mode: "explicit", ttl: "30m" } }),
  "`service_tier`": everyApi({ service_tier: "priority" }),
  "`safety_identifier`": everyApi({ safety_identifier: "someone" }),
  "`truncation: auto`": same({ truncation: "auto" }, "responses"),
  "Anthropic's betas": { messages: { fields: { betas: "context-1m-2025-08-07" } } },
  "`web_search_options`": same({ web_search_options: { search_context_size: "low" } }, "chat"),
  "`prediction`": same({ prediction: { type: "content", content: "Hello" } }, "chat"),
  "`moderation` of Chat Completions": same(
    {
      moderation: {
        model: "omni-moderation-latest",
        policy: { input: { mode: "block" }, output: { mode: "block" } },
      },
    },
    "chat",
  ),
  "`context_management` of Responses": same(
    { context_management: [{ type: "compaction", compact_threshold: 1_000 }] },
    "responses",
  ),
} as const satisfies Readonly<Record<string, FeatureRequests>>;

export type FeatureName = keyof typeof featureRequests;
