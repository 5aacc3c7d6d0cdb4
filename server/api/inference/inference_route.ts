/** A model call, on whatever wire it came: one request in, one answer out, streamed or whole. */

import { joinStrings } from "../../../shared/util/text.ts";
import type { UsedPreset } from "../../../shared/presets/records.ts";
import type { RateStanding } from "../../../shared/rate_limits.ts";
import { type HttpReply, StreamedReply } from "../../http/http_server/reply.ts";
import { shownBody } from "../../protocols/common/inbound/shown_body.ts";
import type { ModelEvent } from "../../protocols/canonical/event.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { Caller, Handler, ModelResponse, RequestContext } from "../../pipeline/request_context.ts";
import { failureOf } from "../../pipeline/api_failure.ts";
import type { CacheUse } from "../../pipeline/response_cache/cache_use.ts";
import { RequestRecord } from "../../pipeline/request_record.ts";
import type { Inbound, InboundContext, ParseOptions } from "../../protocols/wire.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import { runMachine, type Source, sourceFrom } from "../../protocols/stream/source.ts";
import type { Runtime } from "../../runtime.ts";
import type { IdempotencyKeys } from "../../management/core/idempotency.ts";
import { authenticate, type AuthenticateDeps, requireWork, type WorkDeps } from "../authenticate.ts";
import { sumReportedCost } from "./reported_cost.ts";
import type { BodyLimits } from "../body/read_body.ts";
import { readInferenceRequest } from "./read_inference_request.ts";
import { type HttpExchange, type MetadataPreference, metadataPreference } from "../http_exchange.ts";
import { ClientDisconnect } from "../client_disconnect.ts";
import { runOnce } from "../idempotent_request.ts";
import { requestOrigin, runDepthOf } from "../request_origin.ts";
import { errorReply, toApiError } from "../error_reply.ts";
import type { PresetDeps } from "./use_preset.ts";
import { renderRoutingMetadata } from "./routing_metadata.ts";
import { sseBody, type SseLimits } from "./sse_body.ts";
import { asModelEvents, wholeReply } from "./whole_reply.ts";

export interface InferenceDeps extends AuthenticateDeps, WorkDeps, PresetDeps {
  readonly runtime: Runtime;
  readonly handler: Handler;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly limits: BodyLimits & SseLimits;
  /** How the caller's tightest rate limit stands, as far as it is known without asking the store. */
  readonly rateLimitStanding: (caller: Caller) => RateStanding | undefined;
  /** Loads what makes texts of tokens of cl100k_base. */
  readonly loadTokenDecoder: () => Promise<ParseOptions["decodeTokens"]>;
  /** Where this gateway runs, for the routing metadata. */
  readonly region: string;
}

/** One request under way. */
interface InferenceJob<Echo, State, Event> {
  readonly deps: InferenceDeps;
  readonly exchange: HttpExchange;
  readonly inbound: Inbound<Echo, State, Event>;
  readonly requestContext: RequestContext;
  readonly clientDisconnect: ClientDisconnect;
  readonly metadataPreference: MetadataPreference;
  readonly context: InboundContext<Echo>;
  /** The endpoint that answers, once known. */
  endpoint: Endpoint | undefined;
  /** Lets go of the answer, once it has begun. */
  cancel: (reason: string) => void;
}

/** The route of one wire on which clients call models. */
export function inferenceRoute<Echo, State, Event>(inbound: Inbound<Echo, State, Event>) {
  return async (deps: InferenceDeps, exchange: HttpExchange): Promise<HttpReply> => {
    exchange.renderError = inbound.renderError;
    const found = authenticate(deps, exchange);
    const caller = found instanceof Promise ? await found : found;
    requireWork(deps, caller);
    exchange.rateLimitStanding = () => deps.rateLimitStanding(caller);
    const { repeatable, ...parsed } = await readInferenceRequest(inbound, { deps, exchange, caller });
    const run = () => {
      const job = createJob({ deps, exchange, inbound, caller, ...parsed });
      exchange.rateLimitStanding = () => job.requestContext.record.rateLimitStanding?.();
      exchange.cacheOutcome = () => job.requestContext.cacheUse?.outcome;
      exchange.notes = () => job.requestContext.record.notes;
      return runJob(job);
    };
    if (repeatable === undefined) return await run();
    const { idempotencyKeys } = deps;
    return await runOnce({
      idempotencyKeys,
      exchange,
      keyHash: caller.keyHash,
      request: repeatable,
      run,
    });
  };
}

async function runJob<Echo, State, Event>(job: InferenceJob<Echo, State, Event>): Promise<HttpReply> {
  const { deps, exchange, clientDisconnect, requestContext } = job;
  clientDisconnect.watch(exchange.request, deps.runtime.clock);
  try {
    return await (requestContext.request.stream ? replyStreamed(job) : replyWhole(job));
  } catch (error) {
    return jobErrorReply(job, error);
  } finally {
    clientDisconnect.unwatch();
    exchange.upstreamMs = requestContext.record.upstreamMs;
    exchange.generation = requestContext.record.receiptId;
  }
}

function jobErrorReply(
  job: WireIndependentJob & Pick<InferenceJob<unknown, unknown, unknown>, "exchange">,
  error: unknown,
): Response {
  return errorReply(error, { exchange: job.exchange, log: job.deps.runtime.log, metadata: metadata(job) });
}

interface JobOptions<Echo, State, Event> {
  readonly deps: InferenceDeps;
  readonly exchange: HttpExchange;
  readonly inbound: Inbound<Echo, State, Event>;
  readonly caller: Caller;
  readonly request: ModelRequest;
  readonly fileFields: RequestContext["fileFields"];
  /** Characters of the body. */
  readonly size: number;
  readonly preset: UsedPreset | undefined;
  readonly cacheUse: CacheUse | undefined;
  readonly echo: Echo;
}

function createJob<Echo, State, Event>(
  options: JobOptions<Echo, State, Event>,
): InferenceJob<Echo, State, Event> {
  const { deps, exchange, inbound, caller, request } = options;
  const clientDisconnect = new ClientDisconnect();
  const bodies: JsonObject[] = [];
  const record = new RequestRecord();
  const wanted = request.echoUpstreamBody && request.stream;
  const context: RequestContext = {
    request,
    size: options.size,
    preset: options.preset,
    cacheUse: options.cacheUse,
    fileFields: options.fileFields,
    caller,
    ids: { generation: joinStrings("gen-", exchange.id), request: joinStrings("req_", exchange.id) },
    clientDisconnect,
    record,
    call: record.first,
    startedAt: exchange.startedAt,
    origin: requestOrigin(exchange.request, inbound.wire),
    runDepth: runDepthOf(exchange.request.headers),
    onUpstreamBody: wanted ? (body) => bodies.push(shownBody(body)) : undefined,
  };
  const job: InferenceJob<Echo, State, Event> = {
    deps,
    exchange,
    inbound,
    requestContext: context,
    clientDisconnect,
    metadataPreference: metadataPreference(exchange.request.headers),
    context: createInboundContext(options, { bodies, job: () => job }),
    endpoint: undefined,
    cancel: () => {},
  };
  return job;
}

interface ContextInput<Echo, State, Event> {
  readonly bodies: JsonObject[];
  readonly job: () => InferenceJob<Echo, State, Event>;
}

function createInboundContext<Echo, State, Event>(
  { deps, exchange, inbound, request, echo }: JobOptions<Echo, State, Event>,
  { bodies, job }: ContextInput<Echo, State, Event>,
): InboundContext<Echo> {
  const seconds = () => Math.floor(deps.runtime.clock.now() / 1000);
  return {
    echo,
    responseId: joinStrings(inbound.idPrefix, exchange.id),
    suffix: exchange.id,
    createdAt: seconds(),
    model: () => job().endpoint?.model.id ?? request.model ?? request.models[0] ?? "",
    completionInfo: () => ({
      completedAt: seconds(),
      extra: metadata(job()),
      notes: job().requestContext.record.notes,
      usage: inbound.renderCost(sumReportedCost(job().requestContext.record)),
    }),
    takeDebugBodies: () => bodies.length === 0 ? bodies : bodies.splice(0),
    strictEvents: request.stream &&
      exchange.request.headers.get("x-stainless-helper-method") === "stream",
    include: request.include,
  };
}

const nothing: JsonObject = {};

/** The parts of a job that do not depend on its wire. */
type WireIndependentJob = Pick<
  InferenceJob<unknown, unknown, unknown>,
  "requestContext" | "metadataPreference" | "endpoint" | "deps"
>;

function metadata(
  { requestContext, metadataPreference: preference, endpoint, deps }: WireIndependentJob,
): JsonObject {
  if (!preference.enabled || requestContext.cacheUse?.outcome?.type === "hit") return nothing;
  const ms = deps.runtime.clock.monotonic() - requestContext.startedAt;
  return renderRoutingMetadata(requestContext, { preference, endpoint, region: deps.region, ms });
}

async function replyWhole<Echo, State, Event>(job: InferenceJob<Echo, State, Event>): Promise<HttpReply> {
  const response = await job.deps.handler(job.requestContext);
  job.endpoint = response.endpoint;
  return await wholeReply(
    response,
    (events) => JSON.stringify(job.inbound.renderResponse(job.context, events)),
  );
}

/**
 * The status goes out with the first event, or with a comment when the first event takes too long
 * (promises S4): until then a failure is its HTTP status, from then on it is reported in the stream.
 */
async function replyStreamed<Echo, State, Event>(job: InferenceJob<Echo, State, Event>): Promise<Response> {
  const { runtime, limits } = job.deps;
  const begun = job.deps.handler(job.requestContext);
  const response = await resolveWithin({ begun, clock: runtime.clock, ms: limits.heartbeatMs });
  const body = sseBody({
    clock: runtime.clock,
    limits,
    next: renderedFrames(job, response ?? begun),
    startWithComment: response === undefined,
    onDisconnect: (reason) => {
      job.clientDisconnect.fire();
      job.cancel(reason);
    },
  });
  return new StreamedReply(body, { status: 200, headers: streamHeaders });
}

const streamHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
} as const;

interface HeartbeatWait {
  readonly begun: Promise<ModelResponse>;
  readonly clock: Runtime["clock"];
  readonly ms: number;
}

/** The answer, or undefined when it has not begun after `ms`. */
function resolveWithin({ begun, clock, ms }: HeartbeatWait): Promise<ModelResponse | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => resolve(undefined));
    begun.then(resolve, reject).finally(cancel);
  });
}

/** Batches of rendered frames. It never rejects: what fails from here on is reported in the stream. */
function renderedFrames<Echo, State, Event>(
  job: InferenceJob<Echo, State, Event>,
  begun: ModelResponse | Promise<ModelResponse>,
) {
  const { inbound } = job;
  let events: Source<Event> | undefined;
  let ended = false;
  return async (): Promise<string | undefined> => {
    if (ended) return undefined;
    events ??= await renderedEvents(job, begun);
    const batch = await events.pull();
    if (batch === undefined) return undefined;
    ended = batch.some(inbound.isLastEvent);
    return batch.map(inbound.frame).join("") + (ended ? inbound.terminator : "");
  };
}

/** The answer's events; an answer that never began is one failure. */
async function renderedEvents<Echo, State, Event>(
  job: InferenceJob<Echo, State, Event>,
  begun: ModelResponse | Promise<ModelResponse>,
): Promise<Source<Event>> {
  const machine = job.inbound.renderEvents(job.context);
  try {
    const response = await begun;
    job.endpoint = response.endpoint;
    job.cancel = (reason: string) => response.source.cancel(reason);
    // One who left while the answer was awaited pulls no more, and nobody else would end it.
    if (job.clientDisconnect.fired) job.cancel("Client disconnected.");
    return runMachine(machine, asModelEvents(response));
  } catch (error) {
    const { runtime } = job.deps;
    const failure = failureOf(toApiError(error, { exchange: job.exchange, log: runtime.log }));
    return runMachine(machine, sourceFrom<ModelEvent>([{ type: "failure", failure }]));
  }
}
