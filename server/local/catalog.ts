/** What the catalog says about the built-in models. */

import { CONTEXT_LENGTH, MAX_OUTPUT_TOKENS } from "./echo/echo.ts";
import { REFUSAL_TRIGGER } from "./echo/plan.ts";
import { faultKinds } from "./lab/kinds.ts";

/** A built-in model. Prices are decimal strings in USD per token. */
export interface LocalModel {
  /** As callers name it. */
  readonly id: string;
  /** As the built-in provider names it. */
  readonly upstreamId: string;
  readonly name: string;
  readonly description: string;
  readonly contextLength: number;
  readonly maxOutputTokens: number;
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  readonly supportedParameters: readonly string[];
  readonly tokenizer: string;
  readonly pricing: { readonly prompt: string; readonly completion: string };
  readonly hidden: boolean;
}

const common = {
  contextLength: CONTEXT_LENGTH,
  maxOutputTokens: MAX_OUTPUT_TOKENS,
  inputModalities: ["text", "image", "file", "audio", "video"],
  outputModalities: ["text"],
  supportedParameters: [
    "include_reasoning",
    "logprobs",
    "max_tokens",
    "parallel_tool_calls",
    "reasoning",
    "response_format",
    "structured_outputs",
    "tool_choice",
    "tools",
    "top_logprobs",
  ],
  tokenizer: "o200k_base",
} as const;

const free = { prompt: "0", completion: "0" } as const;

const ECHO =
  "A simulated model: no intelligence, no network, no cost. It repeats the last message word for word, " +
  "says how many images and files came with it and what they are, and answers the same request always the same. " +
  "It calls a function when tool_choice demands it or the message names it, with arguments that satisfy the " +
  "function's JSON schema, and quotes the result it gets back; it thinks when reasoning is asked for, fills in " +
  "json_schema formats, keeps to max_output_tokens and counts tokens with o200k_base (an image is 85 tokens and " +
  "170 for each tile of 512 pixels, a file one for every 4 bytes). " +
  `A message with the words "${REFUSAL_TRIGGER}" is answered by a refusal.`;

export const echoModels: readonly LocalModel[] = [
  {
    ...common,
    id: "local/echo",
    upstreamId: "echo",
    name: "Echo (simulated)",
    description: ECHO,
    pricing: free,
    hidden: false,
  },
  {
    ...common,
    id: "local/priced",
    upstreamId: "priced",
    name: "Echo with a price (simulated)",
    description:
      "The simulated model at 1 USD per million tokens either way, for trying out limits and receipts.",
    pricing: { prompt: "0.000001", completion: "0.000001" },
    hidden: true,
  },
];

/** The fault lab's models. */
export const faultModels: readonly LocalModel[] = Object.entries(faultKinds).map(([kind, what]) => ({
  ...common,
  id: `fault/${kind}`,
  upstreamId: `fault-${kind}`,
  name: `Fault: ${kind}`,
  description: `Goes wrong on purpose, for trying out fallbacks. ${what}`,
  pricing: free,
  hidden: false,
}));
