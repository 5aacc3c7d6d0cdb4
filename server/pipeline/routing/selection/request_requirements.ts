/** Requirements that a request has of each endpoint. */

import { contentParts } from "../../../protocols/canonical/content_parts.ts";
import type { ContentPart, Item, WireId } from "../../../protocols/canonical/item.ts";
import { type ModelRequest, readableTokens } from "../../../protocols/canonical/request.ts";
import { estimateMedia } from "../../../billing/pricing/media_estimate.ts";
import { countUtf8Bytes } from "../../../billing/pricing/media_tokens.ts";
import { mediaPartsOf } from "../../../billing/pricing/request_media.ts";
import { likelyTokens } from "../../../billing/pricing/text_sample.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import { compressionMode } from "../../compression/compression_mode.ts";
import { isDocument, missingFileSupport } from "./file_requirements.ts";
import { minimumTokens } from "./token_floor.ts";

export interface SpeechRequirements {
  /** A voice is to be cloned. */
  readonly clones: boolean;
}

export interface RequestRequirements {
  /** Kinds of content besides text that come in, and that are to come out. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Requirements of a request for speech. */
  readonly speech: SpeechRequirements | undefined;
  /** Vectors are asked for. */
  readonly embeddings: boolean;
  /** Tools of the client's own are offered. */
  readonly tools: boolean;
  /** The wire of the hosted tool that must be called, and the tool. */
  readonly hosted: { readonly wire: string; readonly kind: string } | undefined;
  /** Names of the parameters that are sent, as `supported_parameters` lists them. */
  readonly parameters: readonly string[];
  /** Why a wire cannot carry the request's files; undefined where it can. */
  missingFileSupport(wire: WireId): string | undefined;
  /** Tokens of the prompt's text, roughly. */
  readonly estimatedTokens: number;
  /** Tokens of the prompt's text by its scripts, and of its media. */
  readonly likelyTokens: number;
  /** Tokens that it has at the least. */
  readonly minimumTokens: number;
  /** Whether it can be made to fit into an endpoint's context: parts may be left out, or it is split. */
  canBeShortened(endpoint: Endpoint): boolean;
  /** Surely more tokens than a context of `limit` takes. */
  exceedsContext(limit: number): boolean;
}

export const requirementsOf = (request: ModelRequest): RequestRequirements => new LazyRequirements(request);

/** Computes requirements that only some endpoints are checked for when one is. */
class LazyRequirements implements RequestRequirements {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly speech: SpeechRequirements | undefined;
  readonly embeddings: boolean;
  readonly tools: boolean;
  readonly hosted: RequestRequirements["hosted"];
  readonly #request: ModelRequest;
  /** Documents are read by the gateway for endpoints that do not take them. */
  readonly #parsesFiles: boolean;
  #parameters: readonly string[] | undefined;
  #chars: number | undefined;
  #floor: number | undefined;
  #likely: number | undefined;

  constructor(request: ModelRequest) {
    const { speech, input, tools, plugins } = request;
    this.#parsesFiles = plugins.some(parsesFiles);
    this.#request = request;
    this.inputs = inputKinds(input, { without: this.#parsesFiles ? isDocument : undefined });
    this.outputs = outputKinds(request);
    this.speech = speech && { clones: speech.reference !== undefined };
    this.embeddings = request.embeddings !== undefined;
    this.tools = tools.some(isOfClient);
    this.hosted = hostedChoice(request);
  }

  missingFileSupport(wire: WireId): string | undefined {
    if (!this.inputs.includes("file") && !this.inputs.includes("image")) return undefined;
    const parts = this.#request.input.flatMap(contentParts);
    return missingFileSupport(this.#parsesFiles ? parts.filter((part) => !isDocument(part)) : parts, wire);
  }

  get parameters(): readonly string[] {
    return this.#parameters ??= parametersOf(this.#request);
  }

  get estimatedTokens(): number {
    return Math.ceil(this.#textLength() / 4);
  }

  get likelyTokens(): number {
    // An estimate by length may be below what is certain.
    return this.#likely ??= Math.max(likelyTokensOf(this.#request), this.minimumTokens);
  }

  get minimumTokens(): number {
    return this.#floor ??= sumOfTexts(this.#request, minimumTokens);
  }

  canBeShortened(endpoint: Endpoint): boolean {
    // A text that is to be spoken is split where it is too long.
    return this.speech !== undefined || compressionMode(this.#request, endpoint) !== undefined;
  }

  exceedsContext(limit: number): boolean {
    // Two characters at least make a token of the floor, so most requests need no counting.
    const most = readableTokens(this.#request, { contextLength: limit }) ?? Infinity;
    return this.#textLength() / 2 >= most && this.minimumTokens > most;
  }

  #textLength(): number {
    return this.#chars ??= sumOfTexts(this.#request, (text) => text.length);
  }
}

const isOfClient = ({ type }: ModelRequest["tools"][number]) =>
  type === "function" || type === "custom" || type === "namespace";

function likelyTokensOf(request: ModelRequest): number {
  const text = sumOfTexts(request, (one) => likelyTokens(one, { bytes: countUtf8Bytes(one), model: "" }));
  const media = estimateMedia(mediaPartsOf(request), { model: "" });
  return text + media.imageTokens + media.audioTokens + media.otherTokens;
}

const parsesFiles = (plugin: ModelRequest["plugins"][number]) =>
  plugin.id === "file-parser" && plugin.enabled !== false && plugin.pdf?.engine !== "native";

/** Most requests have nothing but text. */
const none: readonly string[] = [];
const speechOnly: readonly string[] = ["speech"];
const embeddingsOnly: readonly string[] = ["embeddings"];
const images: readonly string[] = ["image"];

function outputKinds({ speech, embeddings, modalities }: ModelRequest): readonly string[] {
  if (speech !== undefined) return speechOnly;
  if (embeddings !== undefined) return embeddingsOnly;
  return modalities?.includes("image") === true ? images : none;
}

/** Kinds of parts that every endpoint takes: a part of another wire is told to it in words. */
const taken: ReadonlySet<string> = new Set(["text", "refusal", "foreign"]);

/** Each kind once, in the order in which they come. */
function inputKinds(
  items: readonly Item[],
  { without }: { readonly without: ((part: ContentPart) => boolean) | undefined },
): readonly string[] {
  let kinds: string[] | undefined;
  for (const item of items) {
    for (const part of contentParts(item)) {
      const { type } = part;
      if (without?.(part) === true || taken.has(type) || kinds?.includes(type) === true) continue;
      kinds ??= [];
      kinds.push(type);
    }
  }
  return kinds ?? none;
}

function hostedChoice({ toolChoice, tools }: ModelRequest): RequestRequirements["hosted"] {
  if (toolChoice?.type !== "hosted") return undefined;
  const tool = tools.find((one) => one.type === "hosted" && one.kind === toolChoice.kind);
  return tool?.type === "hosted" && tool.substitute === undefined
    ? { wire: tool.wire, kind: tool.kind }
    : undefined;
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

type Measure = (text: string) => number;

/** Sums a measure over everything that the model reads as text. */
function sumOfTexts({ instructions, input }: ModelRequest, measure: Measure): number {
  let sum = instructions === undefined ? 0 : measure(instructions);
  for (const item of input) sum += sumOfItem(item, measure);
  return sum;
}

function sumOfItem(item: Item, measure: Measure): number {
  switch (item.type) {
    case "message":
      return sumOfParts(item.parts, measure);
    case "call":
      return measure(item.arguments);
    case "result":
      return typeof item.output === "string" ? measure(item.output) : sumOfParts(item.output, measure);
    case "reasoning":
    case "foreign":
      return 0;
    default:
      return item satisfies never;
  }
}

function sumOfParts(parts: readonly ContentPart[], measure: Measure): number {
  let sum = 0;
  for (const part of parts) if ("text" in part) sum += measure(part.text);
  return sum;
}
