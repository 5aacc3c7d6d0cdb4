/** Fit: context compression and `truncation: auto`, per candidate, because they need to know the target. */

import type { ApiError } from "../../../shared/errors.ts";
import type { Compression } from "../compression/compress_request.ts";
import { type CompressionMode, compressionMode, trimsItself } from "../compression/compression_mode.ts";
import { fitAgain, type FitDeps, fitRequest } from "../compression/fit_request.ts";
import { grownTooLongError, tooLongError } from "../compression/too_long.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import type { Handler, ModelResponse, RequestContext, Stage } from "../request_context.ts";
import { requirementsOf } from "../routing/selection/request_requirements.ts";
import { UpstreamError } from "../routing/upstream_error.ts";

export interface FitContextDeps extends FitDeps {
  readonly limits: { readonly attempts: number };
}

export function fitContext(deps: FitContextDeps): Stage {
  return (next) => (context) => {
    const { endpoint, request } = context;
    if (endpoint === undefined) throw new Error("Fit needs an endpoint");
    const mode = compressionMode(request, endpoint);
    if (mode !== undefined) return callFitted(deps, { next, context, endpoint, mode });
    const grown = context.candidatePlugins === undefined ? undefined : grownTooLong({ request, endpoint });
    return grown === undefined ? next(context) : Promise.reject(grown);
  };
}

/** Routing has judged the request by its length before plugins added to it. */
function grownTooLong({ request, endpoint }: Sending): UpstreamError | undefined {
  const { contextLength } = endpoint.model;
  const requirements = requirementsOf(request);
  if (contextLength === null || !requirements.exceedsContext(contextLength)) return undefined;
  return notSent(endpoint, grownTooLongError({ endpoint, requirements }));
}

interface Sending {
  readonly request: ModelRequest;
  readonly endpoint: Endpoint;
}

interface Fitting {
  readonly next: Handler;
  readonly context: RequestContext;
  readonly endpoint: Endpoint;
  readonly mode: CompressionMode;
}

/** Once, and once more with less where the provider finds the request too long by its own counts. */
async function callFitted(deps: FitContextDeps, fitting: Fitting): Promise<ModelResponse> {
  const { context: { request }, endpoint, mode } = fitting;
  const first = trimsItself(mode, endpoint) ? asItIs : await fitRequest(deps, { request, endpoint, mode });
  try {
    return await callWith(fitting, first);
  } catch (error) {
    if (!wasTooLong(error) || !mayTryAgain(deps, fitting)) throw error;
    const again = await fitAgain(deps, { request, endpoint, mode, sent: requestOf(fitting, first) });
    if (again.type !== "compressed") throw error;
    fitting.context.call.resends++;
    return await callWith(fitting, again);
  }
}

const asItIs: Compression = { type: "fits" };

async function callWith(fitting: Fitting, compression: Compression): Promise<ModelResponse> {
  const { next, context, endpoint } = fitting;
  if (compression.type === "too_long") throw cannotFit(fitting);
  const response = await next({ ...context, request: requestOf(fitting, compression), endpoint });
  if (compression.type === "compressed") recordCompression(fitting, compression);
  return response;
}

const requestOf = ({ context: { request } }: Fitting, compression: Compression): ModelRequest =>
  compression.type === "compressed" ? compression.request : request;

/** Another endpoint may take it: nobody was called. */
const cannotFit = ({ context: { request }, endpoint }: Fitting): UpstreamError =>
  notSent(endpoint, tooLongError({ request, endpoint, requirements: requirementsOf(request) }));

const notSent = (endpoint: Endpoint, cause: ApiError): UpstreamError =>
  new UpstreamError({
    endpoint,
    kind: cause.kind,
    message: cause.message,
    status: 0,
    endpointSpecific: true,
    cause,
  });

/** By the provider's own counts. */
const wasTooLong = (error: unknown): boolean =>
  error instanceof UpstreamError && error.info.kind === "context_length" && error.info.status !== 0;

const mayTryAgain = (
  { limits }: FitContextDeps,
  { context: { call, clientDisconnect } }: Fitting,
): boolean => call.attempts.length < limits.attempts && !clientDisconnect.fired;

type Compressed = Extract<Compression, { readonly type: "compressed" }>;

/** A later turn of a loop of tools stands in for the one before it. */
function recordCompression(
  { context: { record, isNested }, mode }: Fitting,
  { original, compressed, shortened }: Compressed,
): void {
  if (isNested === true) return;
  const before = record.stages.find(({ type }) => type === TYPE);
  const texts = shortened === 0 ? "" : `, ${shortened} of them without the middle of their text`;
  record.addStage({
    type: TYPE,
    name: mode === "middle-out" ? "context-compression" : "truncation",
    summary: `${compressed} of ${original} messages were sent${texts}`,
    data: {
      engine: mode,
      input_type: "messages",
      original_count: original,
      compressed_count: compressed,
      ...(shortened === 0 ? {} : { shortened_count: shortened }),
    },
  }, before);
}

const TYPE = "context_compression";
