/** What a request needs of whoever serves it. */

import type { Item, Part } from "../hub/item.ts";
import type { ModelRequest } from "../hub/request.ts";
import { tokenFloor } from "./token_floor.ts";

export interface SpeechDemand {
  /** A voice is to be cloned. */
  readonly clones: boolean;
}

export interface Demand {
  /** Kinds of content besides text that come in, and that are to come out. */
  readonly inputs: ReadonlySet<string>;
  readonly outputs: readonly string[];
  /** Of a request for speech. */
  readonly speech: SpeechDemand | undefined;
  /** Tools of the client's own are offered. */
  readonly tools: boolean;
  /** The wire of the hosted tool that must be called, and the tool. */
  readonly hosted: { readonly wire: string; readonly kind: string } | undefined;
  /** Names of the parameters that are sent, as `supported_parameters` lists them. */
  readonly parameters: readonly string[];
  /** True when it can be made to fit: the oldest turns may be left out, or it is split. */
  readonly shrinks: boolean;
  /** Surely more tokens than `limit`. */
  exceeds(limit: number): boolean;
}

export function demandOf(request: ModelRequest): Demand {
  let floor: number | undefined;
  let chars: number | undefined;
  return {
    inputs: inputKinds(request.input),
    outputs: outputKinds(request),
    speech: request.speech && { clones: request.speech.reference !== undefined },
    tools: request.tools.some(({ type }) => type === "function" || type === "custom" || type === "namespace"),
    hosted: hostedChoice(request),
    parameters: parametersOf(request),
    // A text that is to be spoken is split where it is too long.
    shrinks: request.speech !== undefined || request.truncation === "auto" ||
      request.plugins.some(({ id, enabled }) => id === "context-compression" && enabled !== false),
    exceeds: (limit) => {
      chars ??= textsOf(request).reduce((sum, text) => sum + text.length, 0);
      // Two characters at least make a token of the floor, so most requests need no counting.
      if (chars / 2 < limit) return false;
      floor ??= textsOf(request).reduce((sum, text) => sum + tokenFloor(text), 0);
      return floor > limit;
    },
  };
}

function outputKinds({ speech, modalities }: ModelRequest): readonly string[] {
  if (speech !== undefined) return ["speech"];
  return modalities?.includes("image") === true ? ["image"] : [];
}

function inputKinds(items: readonly Item[]): ReadonlySet<string> {
  const kinds = new Set<string>();
  for (const part of items.flatMap(partsOf)) {
    if (part.type !== "text" && part.type !== "refusal") kinds.add(part.type);
  }
  return kinds;
}

function partsOf(item: Item): readonly Part[] {
  if (item.type === "message") return item.parts;
  return item.type === "result" && typeof item.output !== "string" ? item.output : [];
}

function hostedChoice({ toolChoice, tools }: ModelRequest): Demand["hosted"] {
  if (toolChoice?.type !== "hosted") return undefined;
  const tool = tools.find((one) => one.type === "hosted" && one.kind === toolChoice.kind);
  return tool?.type === "hosted" ? { wire: tool.wire, kind: tool.kind } : undefined;
}

function parametersOf(request: ModelRequest): readonly string[] {
  const { sampling, format } = request;
  const sent: Readonly<Record<string, unknown>> = {
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    min_p: sampling.minP,
    top_a: sampling.topA,
    frequency_penalty: sampling.frequencyPenalty || undefined,
    presence_penalty: sampling.presencePenalty || undefined,
    repetition_penalty: sampling.repetitionPenalty,
    seed: sampling.seed,
    logit_bias: sampling.logitBias,
    top_logprobs: sampling.topLogprobs || undefined,
    max_tokens: request.maxOutputTokens,
    stop: request.stop,
    tools: request.tools.length === 0 ? undefined : true,
    tool_choice: request.toolChoice,
    parallel_tool_calls: request.parallelToolCalls,
    response_format: format.type === "text" ? undefined : true,
    structured_outputs: format.type === "json_schema" ? true : undefined,
    reasoning: request.reasoning,
    verbosity: request.verbosity,
  };
  return Object.keys(sent).filter((name) => sent[name] !== undefined);
}

/** Everything that the model reads as text. */
function textsOf({ instructions, input }: ModelRequest): readonly string[] {
  return [...(instructions === undefined ? [] : [instructions]), ...input.flatMap(textsOfItem)];
}

function textsOfItem(item: Item): readonly string[] {
  switch (item.type) {
    case "message":
      return textsOfParts(item.parts);
    case "call":
      return [item.arguments];
    case "result":
      return typeof item.output === "string" ? [item.output] : textsOfParts(item.output);
    case "reasoning":
    case "foreign":
      return [];
    default:
      return item satisfies never;
  }
}

const textsOfParts = (parts: readonly Part[]) => parts.flatMap((part) => "text" in part ? [part.text] : []);
