/** POST /responses: one request in, one answer out, streamed or whole. */

import { Refusal } from "../../shared/errors.ts";
import type { Failure, ModelEvent } from "../hub/event.ts";
import type { Json } from "../hub/item.ts";
import type { Answer, Caller, Handler, Notes, Turn } from "../pipeline/turn.ts";
import type { RenderContext, StreamEvent } from "../protocols/responses/inbound_context.ts";
import { renderAnswer, renderEvents } from "../protocols/responses/inbound_events.ts";
import { parseRequest } from "../protocols/responses/inbound_request.ts";
import type { Endpoint } from "../providers/endpoint.ts";
import { run, sourceOf } from "../stream/source.ts";
import type { World } from "../world.ts";
import { authenticate, type AuthenticateDeps, requireInference } from "./authenticate.ts";
import { type BodyLimits, readBody } from "./body.ts";
import { type Exchange, type MetadataWish, metadataWish } from "./exchange.ts";
import { ClientHangup } from "./hangup.ts";
import { parseJson } from "./json.ts";
import { asRefusal, refuse } from "./refuse.ts";
import { routingMetadata } from "./routing_metadata.ts";
import { sseBody, type StreamLimits } from "./sse_body.ts";

export interface ResponsesDeps extends AuthenticateDeps {
  readonly world: World;
  readonly handler: Handler;
  readonly limits: BodyLimits & StreamLimits;
  /** Where this gateway runs, for the routing metadata. */
  readonly region: string;
}

/** One request under way. */
interface Job {
  readonly deps: ResponsesDeps;
  readonly exchange: Exchange;
  readonly turn: Turn;
  readonly hangup: ClientHangup;
  readonly wish: MetadataWish;
  readonly context: RenderContext;
  /** The endpoint that answers, once known. */
  winner: Endpoint | undefined;
  /** Lets go of the answer, once it has begun. */
  cancel: (reason: string) => void;
}

export async function createResponse(deps: ResponsesDeps, exchange: Exchange): Promise<Response> {
  const caller = await authenticate(deps, exchange);
  requireInference(caller);
  const text = await readBody(exchange.request, { clock: deps.world.clock, limits: deps.limits });
  const { request, echo } = parseRequest(parseJson(text), {
    sessionId: exchange.request.headers.get("x-session-id") ?? undefined,
  });
  const job = jobOf({ deps, exchange, caller, request, echo });
  job.hangup.watch(exchange.request, deps.world.clock);
  try {
    return await (request.stream ? streamed(job) : whole(job));
  } catch (error) {
    return refuse(error, { exchange, log: deps.world.log, metadata: metadata(job) });
  } finally {
    job.hangup.unwatch();
    exchange.upstreamMs = job.turn.notes.upstreamMs;
  }
}

type Parsed = ReturnType<typeof parseRequest>;
type JobOptions = Parsed & {
  readonly deps: ResponsesDeps;
  readonly exchange: Exchange;
  readonly caller: Caller;
};

function jobOf({ deps, exchange, caller, request, echo }: JobOptions): Job {
  const hangup = new ClientHangup();
  const bodies: Json[] = [];
  const wanted = request.echoUpstreamBody && request.stream;
  const turn: Turn = {
    request,
    caller,
    ids: { generation: `gen-${exchange.id}`, request: `req_${exchange.id}` },
    hangup,
    notes: blankNotes(),
    startedAt: exchange.startedAt,
    onUpstreamBody: wanted ? (body) => bodies.push(body) : undefined,
  };
  const job: Job = {
    deps,
    exchange,
    turn,
    hangup,
    wish: metadataWish(exchange.request.headers),
    context: contextOf({ deps, exchange, request, echo, bodies, job: () => job }),
    winner: undefined,
    cancel: () => {},
  };
  return job;
}

const blankNotes = (): Notes => ({
  attempts: [],
  stages: [],
  dropped: [],
  candidates: [],
  strategy: "direct",
  upstreamMs: 0,
});

type ContextOptions = Omit<JobOptions, "caller"> & {
  readonly bodies: readonly Json[];
  readonly job: () => Job;
};

function contextOf({ deps, exchange, request, echo, bodies, job }: ContextOptions): RenderContext {
  const seconds = () => Math.floor(deps.world.clock.now() / 1000);
  return {
    echo,
    responseId: `resp_${exchange.id}`,
    suffix: exchange.id,
    createdAt: seconds(),
    model: () => job().winner?.model.id ?? request.model ?? request.models[0] ?? "",
    settle: () => ({ completedAt: seconds(), extra: metadata(job()), usage: { is_byok: false } }),
    debugBodies: () => bodies,
    strictEvents: exchange.request.headers.get("x-stainless-helper-method") === "stream",
    include: request.include,
  };
}

function metadata({ turn, wish, winner, deps }: Job): Json {
  return routingMetadata(turn, { wish, winner, region: deps.region });
}

async function whole(job: Job): Promise<Response> {
  const answer = await job.deps.handler(job.turn);
  job.winner = answer.endpoint;
  const events: ModelEvent[] = [];
  for (let batch = await answer.source.pull(); batch !== undefined; batch = await answer.source.pull()) {
    for (const event of batch) events.push(event);
  }
  const failure = events.find((event) => event.type === "failure");
  if (failure !== undefined) throw new Refusal(failure.failure.kind, failure.failure.message);
  const body = JSON.stringify(renderAnswer(job.context, events));
  return new Response(body, { status: 200, headers: { "content-type": "application/json" } });
}

/**
 * The status goes out with the first event, or with a comment when the first event takes too long
 * (promises S4): until then a failure is its HTTP status, from then on it is told in the stream.
 */
async function streamed(job: Job): Promise<Response> {
  const { world, limits } = job.deps;
  const begun = job.deps.handler(job.turn);
  const answer = await orLate({ begun, clock: world.clock, ms: limits.heartbeatMs });
  const body = sseBody({
    clock: world.clock,
    limits,
    next: frames(job, answer ?? begun),
    startWithComment: answer === undefined,
    onGone: (reason) => {
      job.hangup.fire();
      job.cancel(reason);
    },
  });
  return new Response(body, { status: 200, headers: streamHeaders });
}

const streamHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
} as const;

interface Late {
  readonly begun: Promise<Answer>;
  readonly clock: World["clock"];
  readonly ms: number;
}

/** The answer, or undefined when it has not begun after `ms`. */
function orLate({ begun, clock, ms }: Late): Promise<Answer | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => resolve(undefined));
    begun.then(resolve, reject).finally(cancel);
  });
}

/** Batches of rendered frames. It never rejects: what fails from here on is told in the stream. */
function frames(job: Job, begun: Answer | Promise<Answer>): () => Promise<string | undefined> {
  let events: { pull(): Promise<readonly StreamEvent[] | undefined> } | undefined;
  let ended = false;
  return async () => {
    if (ended) return undefined;
    events ??= await rendered(job, begun);
    const batch = await events.pull();
    if (batch === undefined) return undefined;
    ended = batch.some(isTerminal);
    return batch.map(frame).join("") + (ended ? "data: [DONE]\n\n" : "");
  };
}

const frame = (event: StreamEvent) => `data: ${JSON.stringify(event)}\n\n`;

const terminal = new Set(["response.completed", "response.incomplete", "response.failed"]);
const isTerminal = ({ type }: StreamEvent) => terminal.has(type);

/** The answer's events; an answer that never began is one failure. */
async function rendered(job: Job, begun: Answer | Promise<Answer>) {
  try {
    const answer = await begun;
    job.winner = answer.endpoint;
    job.cancel = (reason) => answer.source.cancel(reason);
    return run(renderEvents(job.context), answer.source);
  } catch (error) {
    const { world } = job.deps;
    const refusal = asRefusal(error, { exchange: job.exchange, log: world.log });
    const failure: Failure = { kind: refusal.kind, message: refusal.message };
    return run(renderEvents(job.context), sourceOf<ModelEvent>([{ type: "failure", failure }]));
  }
}
