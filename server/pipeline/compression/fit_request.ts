/** Fits a request into the context of an endpoint: with pauses, and counted only where its length does not tell. */

import { pause } from "../../../shared/util/pause.ts";
import { runWork, type Work } from "../../../shared/util/run_work.ts";
import { loadedTokenizer, loadTokenizer } from "../../billing/tokenizer/tokens.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import type { Clock } from "../../runtime.ts";
import { type Compression, compressRequest, countRequest, fitsByLength } from "./compress_request.ts";
import { type CompressionMode, compressionMode, trimsItself } from "./compression_mode.ts";
import { type InputLimits, inputLimits } from "./context_limits.ts";
import { ItemCounter } from "./counted_unit.ts";
import { tokenMeasure } from "./token_measure.ts";

export interface FitDeps {
  readonly clock: Pick<Clock, "monotonic">;
}

interface FitInput {
  readonly request: ModelRequest;
  readonly endpoint: Endpoint;
  readonly mode: CompressionMode;
}

/** Share of a prompt that its provider found too long which is sent in the next try. */
const NEXT_TRY = 0.8;

/** Fits into the context as far as it is known. */
export async function fitRequest(deps: FitDeps, input: FitInput): Promise<Compression> {
  const { request, endpoint, mode } = input;
  const limits = inputLimits(request, endpoint);
  const counter = counterFor(endpoint);
  if (await run(deps, fitsByLength({ request, limits, counter }))) return { type: "fits" };
  await prepareCount(deps);
  return await run(deps, compressRequest({ request, mode, limits, counter }));
}

/** The request as the endpoint would get it in the first try; undefined where it cannot be made to fit. */
export async function fittedRequest(
  deps: FitDeps,
  { request, endpoint }: Omit<FitInput, "mode">,
): Promise<ModelRequest | undefined> {
  const mode = compressionMode(request, endpoint);
  if (mode === undefined || trimsItself(mode, endpoint)) return request;
  const fit = await fitRequest(deps, { request, endpoint, mode });
  if (fit.type === "too_long") return undefined;
  return fit.type === "compressed" ? fit.request : request;
}

/** Fits into less than its provider was sent and found too long. */
export async function fitAgain(deps: FitDeps, { sent, ...input }: FitAgainInput): Promise<Compression> {
  const { request, endpoint, mode } = input;
  const counter = counterFor(endpoint);
  const { tokens, messages } = inputLimits(request, endpoint);
  await prepareCount(deps);
  const counted = await run(deps, countRequest({ request: sent, counter }, tokens));
  const limits: InputLimits = { tokens: Math.floor(Math.min(counted, tokens) * NEXT_TRY), messages };
  return await run(deps, compressRequest({ request, mode, limits, counter }));
}

interface FitAgainInput extends FitInput {
  /** The request as the provider was sent it. */
  readonly sent: ModelRequest;
}

/** Counters of the models that were asked lately, by their names at their providers. */
const counters = new Map<string, ItemCounter>();
const MOST_COUNTERS = 1_000;

function counterFor({ upstreamModel }: Endpoint): ItemCounter {
  const known = counters.get(upstreamModel);
  if (known !== undefined) return known;
  if (counters.size >= MOST_COUNTERS) counters.clear();
  const made = new ItemCounter(tokenMeasure(loadedTokenizer, upstreamModel), upstreamModel);
  counters.set(upstreamModel, made);
  return made;
}

async function prepareCount({ clock }: FitDeps): Promise<void> {
  if (loadedTokenizer() !== undefined) return;
  try {
    await loadTokenizer(clock);
  } catch {
    // Where it cannot be loaded, text is counted by its scripts.
  }
}

const run = async <T>({ clock }: FitDeps, work: Work<T>): Promise<T> =>
  await runWork(work, { clock, pause, mostMs: Infinity });
