/** A model call, on whatever wire it came: one request in, one answer out, streamed or whole. */

import { joined } from "../../../shared/util/text.ts";
import type { RateStanding } from "../../../shared/rate_limits.ts";
import { type Answered, StreamedReply } from "../../http_server/reply.ts";
import type { Failure, ModelEvent } from "../../canonical/event.ts";
import type { Json } from "../../canonical/item.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import type { Answer, Caller, Handler, Notes, Turn } from "../../pipeline/request_context.ts";
import type { Inbound, InboundContext } from "../../protocols/wire.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import { run, type Source, sourceOf } from "../../stream/source.ts";
import type { World } from "../../runtime.ts";
import type { Claims } from "../../management/core/idempotency.ts";
import { authenticate, type AuthenticateDeps, requireInference } from "../authenticate.ts";
import { withBetas } from "./anthropic_betas.ts";
import { billedOf } from "./reported_cost.ts";
import { type BodyLimits, readBody } from "../read_body.ts";
import { type Exchange, type MetadataWish, metadataWish } from "../http_exchange.ts";
import { ClientHangup } from "../client_disconnect.ts";
import { once } from "../idempotent_request.ts";
import { parseJson } from "../parse_json.ts";
import { originOf } from "../request_origin.ts";
import { asRefusal, refuse } from "../error_reply.ts";
import { routingMetadata } from "./routing_metadata.ts";
import { sseBody, type StreamLimits } from "./sse_body.ts";
import { asModelEvents, wholeReply } from "./whole_reply.ts";

export interface InferenceDeps extends AuthenticateDeps {
  readonly world: World;
  readonly handler: Handler;
  readonly claims: Claims;
  readonly limits: BodyLimits & StreamLimits;
  /** How the caller's tightest rate limit stands, as far as it is known without asking the store. */
  readonly rateOf: (caller: Caller) => RateStanding | undefined;
  /** Where this gateway runs, for the routing metadata. */
  readonly region: string;
}

/** One request under way. */
interface Job<Echo, State, Event> {
  readonly deps: InferenceDeps;
  readonly exchange: Exchange;
  readonly inbound: Inbound<Echo, State, Event>;
  readonly turn: Turn;
  readonly hangup: ClientHangup;
  readonly wish: MetadataWish;
  readonly context: InboundContext<Echo>;
  /** The endpoint that answers, once known. */
  winner: Endpoint | undefined;
  /** Lets go of the answer, once it has begun. */
  cancel: (reason: string) => void;
}

/** The route of one wire on which clients call models. */
export function inference<Echo, State, Event>(inbound: Inbound<Echo, State, Event>) {
  return async (deps: InferenceDeps, exchange: Exchange): Promise<Answered> => {
    exchange.renderRefusal = inbound.renderRefusal;
    const found = authenticate(deps, exchange);
    const caller = found instanceof Promise ? await found : found;
    requireInference(caller);
    const known = () => deps.rateOf(caller);
    exchange.rate = known;
    const text = await readBody(exchange.request, { clock: deps.world.clock, limits: deps.limits });
    const parsed = inbound.parseRequest(parseJson(text), {
      sessionId: exchange.request.headers.get("x-session-id") ?? undefined,
    });
    const request = withBetas(parsed.request, exchange.request.headers);
    const run = () => {
      const job = jobOf({ deps, exchange, inbound, caller, request, echo: parsed.echo });
      const told = () => job.turn.notes.rate?.();
      exchange.rate = told;
      return answered(job);
    };
    if (request.stream || exchange.operation !== "create_response") return await run();
    const { claims } = deps;
    return await once({
      claims,
      exchange,
      keyHash: caller.keyHash,
      request: `create_response ${text}`,
      run,
    });
  };
}

async function answered<Echo, State, Event>(job: Job<Echo, State, Event>): Promise<Answered> {
  const { deps, exchange, hangup, turn } = job;
  hangup.watch(exchange.request, deps.world.clock);
  try {
    return await (turn.request.stream ? streamed(job) : whole(job));
  } catch (error) {
    return refused(job, error);
  } finally {
    hangup.unwatch();
    exchange.upstreamMs = turn.notes.upstreamMs;
    exchange.generation = turn.notes.toldIn;
  }
}

function refused(job: Common & Pick<Job<unknown, unknown, unknown>, "exchange">, error: unknown): Response {
  return refuse(error, { exchange: job.exchange, log: job.deps.world.log, metadata: metadata(job) });
}

interface JobOptions<Echo, State, Event> {
  readonly deps: InferenceDeps;
  readonly exchange: Exchange;
  readonly inbound: Inbound<Echo, State, Event>;
  readonly caller: Caller;
  readonly request: ModelRequest;
  readonly echo: Echo;
}

function jobOf<Echo, State, Event>(options: JobOptions<Echo, State, Event>): Job<Echo, State, Event> {
  const { deps, exchange, inbound, caller, request } = options;
  const hangup = new ClientHangup();
  const bodies: Json[] = [];
  const wanted = request.echoUpstreamBody && request.stream;
  const turn: Turn = {
    request,
    caller,
    ids: { generation: joined("gen-", exchange.id), request: joined("req_", exchange.id) },
    hangup,
    notes: blankNotes(),
    startedAt: exchange.startedAt,
    origin: originOf(exchange.request, inbound.wire),
    onUpstreamBody: wanted ? (body) => bodies.push(body) : undefined,
  };
  const job: Job<Echo, State, Event> = {
    deps,
    exchange,
    inbound,
    turn,
    hangup,
    wish: metadataWish(exchange.request.headers),
    context: contextOf(options, { bodies, job: () => job }),
    winner: undefined,
    cancel: () => {},
  };
  return job;
}

/** Of a turn that has met nothing yet. */
export const blankNotes = (): Notes => ({
  attempts: [],
  stages: [],
  dropped: [],
  candidates: [],
  strategy: "direct",
  upstreamMs: 0,
  bills: [],
});

interface Asking<Echo, State, Event> {
  readonly bodies: readonly Json[];
  readonly job: () => Job<Echo, State, Event>;
}

function contextOf<Echo, State, Event>(
  { deps, exchange, inbound, request, echo }: JobOptions<Echo, State, Event>,
  { bodies, job }: Asking<Echo, State, Event>,
): InboundContext<Echo> {
  const seconds = () => Math.floor(deps.world.clock.now() / 1000);
  return {
    echo,
    responseId: joined(inbound.idPrefix, exchange.id),
    suffix: exchange.id,
    createdAt: seconds(),
    model: () => job().winner?.model.id ?? request.model ?? request.models[0] ?? "",
    settle: () => ({
      completedAt: seconds(),
      extra: metadata(job()),
      usage: inbound.renderBilled(billedOf(job().turn.notes)),
    }),
    debugBodies: () => bodies,
    strictEvents: request.stream &&
      exchange.request.headers.get("x-stainless-helper-method") === "stream",
    include: request.include,
  };
}

const nothing: Json = {};

/** The parts of a job that do not depend on its wire. */
type Common = Pick<Job<unknown, unknown, unknown>, "turn" | "wish" | "winner" | "deps">;

function metadata({ turn, wish, winner, deps }: Common): Json {
  if (!wish.enabled) return nothing;
  const ms = deps.world.clock.monotonic() - turn.startedAt;
  return routingMetadata(turn, { wish, winner, region: deps.region, ms });
}

async function whole<Echo, State, Event>(job: Job<Echo, State, Event>): Promise<Answered> {
  const answer = await job.deps.handler(job.turn);
  job.winner = answer.endpoint;
  return await wholeReply(answer, {
    render: (events) => JSON.stringify(job.inbound.renderAnswer(job.context, events)),
    refused: (error) => refused(job, error),
  });
}

/**
 * The status goes out with the first event, or with a comment when the first event takes too long
 * (promises S4): until then a failure is its HTTP status, from then on it is told in the stream.
 */
async function streamed<Echo, State, Event>(job: Job<Echo, State, Event>): Promise<Response> {
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
  return new StreamedReply(body, { status: 200, headers: streamHeaders });
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
function frames<Echo, State, Event>(job: Job<Echo, State, Event>, begun: Answer | Promise<Answer>) {
  const { inbound } = job;
  let events: Source<Event> | undefined;
  let ended = false;
  return async (): Promise<string | undefined> => {
    if (ended) return undefined;
    events ??= await rendered(job, begun);
    const batch = await events.pull();
    if (batch === undefined) return undefined;
    ended = batch.some(inbound.isLast);
    return batch.map(inbound.frame).join("") + (ended ? inbound.terminator : "");
  };
}

/** The answer's events; an answer that never began is one failure. */
async function rendered<Echo, State, Event>(
  job: Job<Echo, State, Event>,
  begun: Answer | Promise<Answer>,
): Promise<Source<Event>> {
  const machine = job.inbound.renderEvents(job.context);
  try {
    const answer = await begun;
    job.winner = answer.endpoint;
    const cancel = (reason: string) => answer.source.cancel(reason);
    job.cancel = cancel;
    // One who left while the answer was awaited pulls no more, and nobody else would end it.
    if (job.hangup.gone) job.cancel("The client left.");
    return run(machine, asModelEvents(answer));
  } catch (error) {
    const { world } = job.deps;
    const refusal = asRefusal(error, { exchange: job.exchange, log: world.log });
    const failure: Failure = { kind: refusal.kind, message: refusal.message };
    return run(machine, sourceOf<ModelEvent>([{ type: "failure", failure }]));
  }
}
