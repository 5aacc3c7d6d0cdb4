/** Usage that a provider reported, held against what the model can read and write (faults U14). */

import { normalizeUsage, type Usage } from "../../protocols/canonical/usage.ts";
import { IMAGE_PROMPT_TOKENS, MAX_IMAGE_OUTPUT_TOKENS, TEMPLATE_TOKENS } from "./cost_bound.ts";
import { hostedToolBound } from "./hosted_tools.ts";
import { type ModelRequest, readableTokens } from "../../protocols/canonical/request.ts";
import type { Item, JsonObject } from "../../protocols/canonical/item.ts";
import { contentParts } from "../../protocols/canonical/content_parts.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import { implicitCharges } from "./implicit_charges.ts";

interface Reported {
  readonly request: ModelRequest;
  readonly endpoint: Endpoint;
  /** As it was sent. */
  readonly body: JsonObject;
  /** Tokens of sound that a speech can come to. */
  readonly speechTokens?: number;
}

/** Tokens that a model is taken to read and write where nobody has stated its limits. */
const UNSTATED_TOKENS = 1_000_000;
/** Calls of a provider's own tools: so many are never absurd. */
const SEARCHES_ALLOWED = 100;
/** Times what a request could come to by its size; a character may be several tokens. */
const SLACK = 4;
/** Tokens that a provider puts around each text to embed. */
const TEXT_TOKENS = 16;
/** Most seconds of audio in one request. */
const MOST_SECONDS = 86_400;

/** The same usage where it is possible, else the nearest that is, marked `estimated`. */
export function plausible(usage: Usage, reported: Reported): Usage {
  if (isDefault(usage, reported)) return usage;
  const most = mostOf(reported);
  const clamped: Partial<Record<Clamped, number>> = {};
  for (const name of clampedCounts) {
    if ((usage[name] ?? 0) > most[name]) clamped[name] = most[name];
  }
  if (Object.keys(clamped).length === 0) return usage;
  const { calls, audioBytes } = usage;
  return {
    ...normalizeUsage({ ...usage, ...clamped, estimated: true }),
    ...(calls === undefined ? {} : { calls }),
    ...(audioBytes === undefined ? {} : { audioBytes }),
  };
}

const clampedCounts = [
  "inputTokens",
  "outputTokens",
  "webSearches",
  "fileSearches",
  "imageToolInputTokens",
  "imageToolOutputTokens",
  "characters",
  "seconds",
] as const satisfies readonly (keyof Usage)[];
type Clamped = typeof clampedCounts[number];

function mostRead({ request, endpoint: { model } }: Reported): number {
  const readable = readableTokens(request, model);
  if (request.embeddings === undefined) return readable ?? UNSTATED_TOKENS;
  // Nothing is read but the texts: no instructions of the provider's, no tools.
  const texts = request.input.reduce((sum, item) => sum + TEXT_TOKENS + charactersOf(item), 0);
  return Math.min(readable ?? Infinity, SLACK * (TEMPLATE_TOKENS + texts));
}

const charactersOf = (item: Item): number =>
  contentParts(item).reduce((sum, part) => sum + ("text" in part ? part.text.length : 0), 0);

const mostWritten = ({ endpoint: { model, maxOutputTokens }, speechTokens }: Reported): number =>
  speechTokens ?? maxOutputTokens ?? model.contextLength ?? UNSTATED_TOKENS;

/** True for nearly every usage: nothing more has to be looked at. */
const isDefault = (usage: Usage, reported: Reported): boolean =>
  usage.inputTokens <= mostRead(reported) && usage.outputTokens <= mostWritten(reported) &&
  usage.webSearches === undefined && usage.fileSearches === undefined &&
  usage.imageToolInputTokens === undefined && usage.imageToolOutputTokens === undefined &&
  usage.characters === undefined && usage.seconds === undefined;

/** A provider reads the prompt and writes again at each step that it takes with its own tools. */
function mostOf(reported: Reported): { readonly [C in Clamped]: number } {
  const { request, endpoint, body } = reported;
  const hosted = hostedToolBound(request, endpoint.provider.wire);
  const beside = implicitCharges(body, endpoint.upstreamModel);
  const steps = hosted.maxSearches + 1;
  const searches = Math.max(
    SEARCHES_ALLOWED,
    SLACK * (hosted.maxSearches + beside.searches + beside.sources),
  );
  const drawings = SLACK * Math.max(1, hosted.maxImages);
  return {
    inputTokens: mostRead(reported) * (steps + beside.promptRereads),
    outputTokens: mostWritten(reported) * steps * beside.answers,
    webSearches: searches,
    fileSearches: searches,
    imageToolInputTokens: drawings * IMAGE_PROMPT_TOKENS,
    imageToolOutputTokens: drawings * MAX_IMAGE_OUTPUT_TOKENS,
    // Some providers count a character of some scripts as two.
    characters: SLACK * JSON.stringify(request.input).length,
    seconds: MOST_SECONDS,
  };
}
