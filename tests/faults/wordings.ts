/**
 * How providers and servers word their refusals of a request, from their documents and from reports of their users.
 * Numbers and names of models stand for any others.
 */

import type { ApiErrorKind } from "../../shared/errors.ts";

export interface Wording {
  readonly host: string;
  readonly message: string;
  /** 400 where it is not said. */
  readonly status?: number;
  readonly code?: string;
}

/** Kind → wordings. Each of them leads to the next endpoint. */
export const wordings = {
  context_length: [
    { host: "Anthropic", message: "prompt is too long: 213462 tokens > 200000 maximum" },
    {
      host: "Anthropic",
      message: "input length and `max_tokens` exceed context limit: 197202 + 21333 > 200000, decrease input",
    },
    { host: "Amazon Bedrock", message: "Input is too long for requested model." },
    {
      host: "Amazon Bedrock (Nova)",
      message:
        "Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input.",
    },
    {
      host: "OpenAI",
      message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
    },
    {
      host: "OpenAI",
      message:
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens.",
    },
    {
      host: "OpenAI",
      message:
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 301011 tokens.",
    },
    {
      host: "SGLang",
      message: "Requested token count exceeds the model's maximum context length of 131072 tokens.",
    },
    {
      host: "SGLang",
      message: "Input length (265330) exceeds model's maximum context length (262144).",
    },
    {
      host: "Together",
      message: "The input (300 tokens) is longer than the model's context length (200 tokens).",
    },
    {
      host: "Text Generation Inference",
      message: "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000",
    },
    {
      host: "Text Generation Inference",
      message: "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000",
      status: 422,
    },
    {
      host: "Google",
      message: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    },
    {
      host: "xAI",
      message: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
    { host: "Groq", message: "Please reduce the length of the messages or completion." },
    {
      host: "Cerebras",
      message: "Please reduce the length of the messages. Current length is 9000 while limit is 8192",
      status: 413,
    },
    {
      host: "OpenRouter",
      message:
        "This endpoint's maximum context length is 131072 tokens. However, you requested about 132463.",
    },
    {
      host: "Poolside",
      message: "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.",
    },
    {
      host: "GitHub Copilot",
      message: "prompt token count of 5000 exceeds the limit of 4096",
      code: "model_max_prompt_tokens_exceeded",
    },
    {
      host: "llama.cpp",
      message: "the request exceeds the available context size, try increasing it",
      code: "exceed_context_size_error",
    },
    {
      host: "llama.cpp",
      message: "the request exceeds the available context size. try increasing the context size",
      status: 500,
    },
    {
      host: "LM Studio",
      message: "The number of tokens to keep from the initial prompt is greater than the context length",
    },
    { host: "MiniMax", message: "invalid params, context window exceeds limit (2013)" },
    { host: "Moonshot", message: "Your request exceeded model token limit: 128000 (requested: 150001)" },
    {
      host: "Mistral",
      message: "Prompt contains 150000 tokens and 0 draft tokens, too large for model with 131072 maximum",
    },
    { host: "Z.ai", message: "Prompt exceeds max length", code: "1261" },
    { host: "Z.ai", message: "Prompt 超长", code: "1261" },
    { host: "Ollama", message: "prompt too long; exceeded max context length by 1234 tokens", status: 500 },
    {
      host: "DeepSeek",
      message:
        "This model's maximum context length is 65536 tokens. Please reduce the length of the messages.",
    },
    { host: "Alibaba", message: "Range of input length should be [1, 30000]" },
    {
      host: "vLLM",
      message: "The decoder prompt (length 40000) is longer than the maximum model length of 32768.",
    },
    {
      host: "vLLM",
      message: "'max_tokens' is too large: 2000. This model's maximum context length is 4096 tokens.",
    },
    {
      host: "Fireworks",
      message: "The prompt is too long: 150000, model maximum context length: 131071",
    },
    {
      host: "Cohere",
      message: "too many tokens: total number of tokens in the prompt exceeds the limit of 4081",
    },
    { host: "Volcengine", message: "Total tokens of image and text exceed max message tokens." },
    { host: "Databricks", message: "Exceeded max context length", status: 422 },
  ],
  too_large: [
    {
      host: "Anthropic",
      message: "Request exceeds the maximum size",
      status: 413,
      code: "request_too_large",
    },
    { host: "nginx", message: "Request Entity Too Large", status: 413 },
    { host: "axum", message: "Failed to buffer the request body: length limit exceeded", status: 413 },
  ],
  invalid_image: [
    { host: "any", message: "Unsupported image format: tiff" },
    {
      host: "OpenAI",
      message:
        "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
    },
    {
      host: "Anthropic",
      message:
        "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes",
    },
    {
      host: "Anthropic",
      message:
        "messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
    },
    { host: "any", message: "Failed to download image from https://example.com/cat.png." },
    { host: "any", message: "The model does not support image format webp" },
  ],
  invalid_request: [
    { host: "vLLM", message: "meta-llama/Llama-3.1-8B is not a multimodal model" },
    { host: "vLLM", message: "At most 0 image(s) may be provided in one prompt." },
    { host: "vLLM", message: "At most 1 image(s) may be provided in one request." },
    {
      host: "llama.cpp",
      message: "image input is not supported - hint: you may need to provide the mmproj",
      status: 500,
    },
    {
      host: "OpenAI",
      message: "Invalid content type. image_url is only supported by certain models.",
    },
    { host: "OpenAI", message: "This model does not support image content" },
    {
      host: "DeepSeek",
      message:
        "Failed to deserialize the JSON body: messages[3]: unknown variant `image_url`, expected `text`",
    },
    { host: "Groq", message: "messages[0].content must be a string" },
    { host: "Anthropic", message: "'claude-3-5-haiku-20241022' does not support image input." },
    { host: "Mistral", message: "Image input is not enabled for this model" },
    { host: "xAI", message: "Image inputs are not supported by this model." },
    { host: "Google", message: "Image input modality is not enabled for models/gemma-3-1b-it" },
    {
      host: "Amazon Bedrock",
      message: "This model doesn't support the image content block that you provided.",
    },
    { host: "Amazon Bedrock", message: "This model doesn't support documents. Try a different model." },
    { host: "LM Studio", message: "Model does not support images. Please use a model that does." },
    { host: "Ollama", message: "this model is missing data required for image input", status: 500 },
    { host: "Cursor", message: "Provider currently supports text input only; vision is unsupported." },
    { host: "OpenAI", message: "Unsupported parameter: 'top_p' is not supported with this model." },
    { host: "Amazon Bedrock", message: "Invocation with on-demand throughput isn't supported." },
  ],
  content_policy: [
    {
      host: "Azure",
      message: "The response was filtered due to the prompt triggering the content management policy.",
      code: "content_filter",
    },
    { host: "OpenAI", message: "Your request was rejected as a result of our safety system." },
    {
      host: "OpenAI",
      message: "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
      code: "invalid_prompt",
    },
    { host: "Anthropic", message: "Output blocked by content filtering policy" },
    { host: "DeepSeek", message: "Content Exists Risk" },
    {
      host: "Alibaba",
      message:
        "<400> InternalError.Algo.DataInspectionFailed: Input text data may contain inappropriate content.",
      code: "data_inspection_failed",
    },
    { host: "Alibaba", message: "Input data may contain inappropriate content.", status: 500 },
    { host: "Moonshot", message: "The request was rejected because it was considered high risk" },
    { host: "MiniMax", message: "input new_sensitive (1026)" },
    { host: "Z.ai", message: "系统检测到输入或生成内容可能包含不安全或敏感内容", code: "1301" },
    {
      host: "OpenRouter",
      message: 'openai/gpt-4o requires moderation on Azure. Your input was flagged for "violence".',
      status: 403,
    },
    {
      host: "xAI",
      message: "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO",
      status: 403,
    },
    {
      host: "Volcengine",
      message: "The request failed because the input may contain sensitive information.",
    },
  ],
} as const satisfies { readonly [K in ApiErrorKind]?: readonly Wording[] };

export interface OtherWording extends Wording {
  readonly kind: ApiErrorKind;
}

/** Words that resemble those above and mean something else: none of them leads further because of the request. */
export const otherWordings: readonly OtherWording[] = [
  {
    host: "Amazon Bedrock",
    message: "Too many tokens, please wait before trying again.",
    status: 429,
    kind: "rate_limited",
  },
  {
    host: "OpenAI",
    message: "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000.",
    status: 429,
    kind: "rate_limited",
  },
  { host: "any", message: "prompt is too long for this node", status: 503, kind: "unavailable" },
  { host: "any", message: "temperature must be in the range [0, 2]", kind: "invalid_request" },
  { host: "any", message: "Could not process image", kind: "invalid_image" },
  { host: "any", message: "Invalid base64 data in the image.", kind: "invalid_image" },
  { host: "any", message: "The image is corrupt: cannot decode image", kind: "invalid_image" },
  {
    host: "any",
    message: "Your organization must be verified to use this model.",
    status: 403,
    kind: "upstream_failed",
  },
  { host: "any", message: "The model is not available right now", status: 500, kind: "upstream_failed" },
  { host: "any", message: "unable to download the weights", status: 500, kind: "upstream_failed" },
  { host: "any", message: "multimodal worker crashed", status: 500, kind: "upstream_failed" },
  { host: "any", message: "unsupported operation", status: 500, kind: "upstream_failed" },
  { host: "any", message: "Content blocked by your plan", status: 502, kind: "upstream_failed" },
];
