/** Rules that follow from who made a model and who serves it, where no package has them. */

const chat = [
  "max_tokens",
  "parallel_tool_calls",
  "response_format",
  "stop",
  "structured_outputs",
  "tool_choice",
  "tools",
];
const sampling = ["temperature", "top_p"];
const penalties = ["frequency_penalty", "presence_penalty", "seed"];
const thinking = ["include_reasoning", "reasoning"];
const withoutStop = chat.filter((name) => name !== "stop");

/** Parameters by provider; hosts that are not named speak the wire that everybody speaks. */
const byProvider: Readonly<Record<string, (reasons: boolean) => readonly string[]>> = {
  openai: (reasons) => openai(reasons),
  azure: (reasons) => openai(reasons),
  anthropic: (reasons) => [...chat, ...sampling, "top_k", ...(reasons ? thinking : [])],
  google: (reasons) => [...chat, ...sampling, ...penalties, "top_k", ...(reasons ? thinking : [])],
  "google-vertex": (reasons) => [...chat, ...sampling, ...penalties, "top_k", ...(reasons ? thinking : [])],
  // Grok models refuse penalties and `stop` while they reason.
  xai: (reasons) =>
    reasons ? [...withoutStop, ...sampling, "seed", ...thinking] : [...chat, ...sampling, ...penalties],
  "amazon-bedrock": (reasons) => [...chat, ...sampling, ...(reasons ? thinking : [])],
};

/** OpenAI's reasoning models refuse the sampling parameters, its others know no effort. */
function openai(reasons: boolean): readonly string[] {
  return reasons
    ? [...withoutStop, ...thinking, "verbosity"]
    : [...withoutStop, ...sampling, "logprobs", "top_logprobs"];
}

export function parametersOf(provider: string, reasons: boolean): readonly string[] {
  const rule = byProvider[provider];
  const names = rule ? rule(reasons) : [...chat, ...sampling, ...penalties, ...(reasons ? thinking : [])];
  return [...names].sort();
}

/** Input types of a model that sees images, besides those, by its author. */
const besides: Readonly<Record<string, readonly string[]>> = {
  openai: ["file"],
  anthropic: ["file"],
  google: ["file", "audio", "video"],
};

const order = ["text", "image", "file", "audio", "video"];

export function inputsOf(author: string, reported: readonly string[]): readonly string[] {
  const more = reported.includes("image") ? besides[author] ?? [] : [];
  const all = new Set([...reported, ...more]);
  return order.filter((modality) => all.has(modality));
}

const tokenizers: readonly (readonly [RegExp, string])[] = [
  [/gemma/, "Gemma"],
  [/^openai\/|gpt-oss/, "GPT"],
  [/^anthropic\/|claude/, "Claude"],
  [/^google\/|gemini/, "Gemini"],
  [/^x-ai\/|grok/, "Grok"],
  [/^cohere\/|command-/, "Cohere"],
  [/nova-/, "Nova"],
  [/deepseek/, "DeepSeek"],
  [/^mistralai\/|mistral|mixtral|codestral|devstral|magistral|ministral|pixtral|voxtral/, "Mistral"],
  [/llama-?4/, "Llama4"],
  [/llama-?3|llama3/, "Llama3"],
  [/qwen-?3/, "Qwen3"],
  [/qwen|qwq/, "Qwen"],
];

/** The family whose tokenizer counts a model's tokens. */
export function tokenizerOf(model: string): string {
  return tokenizers.find(([pattern]) => pattern.test(model.toLowerCase()))?.[1] ?? "Other";
}
