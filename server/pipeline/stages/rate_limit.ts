/** Rate limit: requests and tokens that a key and its workspace may use in a minute, and streams they may have open. */

import { ApiError } from "../../../shared/errors.ts";
import { countUtf8Bytes } from "../../billing/pricing/media_tokens.ts";
import type { RateLimited, RateStanding } from "../../../shared/rate_limits.ts";
import type { FailureEvent, FinishEvent, OutputEvent } from "../../protocols/canonical/event.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { RateGrant, RateLimiter } from "../../billing/rate_limits/rate_limiter.ts";
import { RATE_WINDOW_MS } from "../../billing/rate_limits/usage_meters.ts";
import type { ExceededRateLimit } from "../../billing/rate_limits/rate_limit_scope.ts";
import type { Caller, Handler, ModelResponse, RequestContext, Stage } from "../request_context.ts";
import { mapPulled, type Source } from "../../protocols/stream/source.ts";
import { estimateInput } from "../../billing/pricing/input_estimate.ts";
import { tokensOfBytes } from "../../billing/pricing/text_sample.ts";

export interface RateLimitDeps {
  readonly resolver: {
    /** Empty where nothing limits the caller. */
    limitsOf(caller: Caller): readonly RateLimited[] | Promise<readonly RateLimited[]>;
  };
  readonly limiter: Pick<RateLimiter, "tryStart">;
}

/**
 * Most tokens that an answer counts for before it is known: callers ask for far larger caps than they use, and the
 * rest is counted when it is known.
 */
const USUAL_OUTPUT_TOKENS = 1_024;

/**
 * A request that does not fit is refused (429) and counts for nothing; one that fits counts from now on, whatever
 * becomes of it. Its tokens are those estimated until they are known.
 */
export function rateLimit(deps: RateLimitDeps): Stage {
  return (next) => {
    const limit = (context: RequestContext, limited: readonly RateLimited[]) =>
      limited.length === 0 ? next(context) : underLimits({ deps, next, context, limited });
    return (context) => {
      const limited = deps.resolver.limitsOf(context.caller);
      return limited instanceof Promise
        ? limited.then((known) => limit(context, known))
        : limit(context, limited);
    };
  };
}

interface Limiting {
  readonly deps: RateLimitDeps;
  readonly next: Handler;
  readonly context: RequestContext;
  readonly limited: readonly RateLimited[];
}

async function underLimits({ deps, next, context, limited }: Limiting): Promise<ModelResponse> {
  const { request, record, clientDisconnect } = context;
  const counts = limited.some(({ limits }) => limits.tokens_per_minute !== null);
  const input = counts ? Math.max(1, estimateInput({ request }).inputTokens) : 0;
  const tokens = counts ? input + usualOutput(request) : 0;
  const admission = await deps.limiter.tryStart(limited, { tokens, streamed: request.stream });
  if (admission.type === "refused") throw rateRefusal(record, admission.obstacle);
  record.rateLimitStanding = admission.standing;
  const count = new TokenCount(admission, input);
  count.stopListening = clientDisconnect.onFire(() => count.cut());
  try {
    const response = await next(context);
    return { ...response, source: countTokens(response.source, count) };
  } catch (error) {
    count.end(0);
    throw error;
  }
}

/** The same for what makes no answer: it counts as a request, and uses no tokens. */
export async function passRequest(deps: RateLimitDeps, { caller, record }: RequestContext): Promise<void> {
  const limited = await deps.resolver.limitsOf(caller);
  if (limited.length === 0) return;
  const admission = await deps.limiter.tryStart(limited, { tokens: 0, streamed: false });
  if (admission.type === "refused") throw rateRefusal(record, admission.obstacle);
  record.rateLimitStanding = admission.standing;
  admission.end(0);
}

function rateRefusal(record: RequestContext["record"], obstacle: ExceededRateLimit): ApiError {
  const standing: RateStanding = { ...obstacle.standing, hopeless: obstacle.waitMs === undefined };
  record.rateLimitStanding = () => standing;
  return rateLimitError(obstacle);
}

const usualOutput = ({ maxOutputTokens }: ModelRequest) =>
  Math.min(maxOutputTokens ?? USUAL_OUTPUT_TOKENS, USUAL_OUTPUT_TOKENS);

/** One request, from its start to whatever ends it first. */
class TokenCount {
  stopListening: () => void = () => {};
  readonly #pass: RateGrant;
  readonly #input: number;
  /** UTF-8 bytes. */
  #output = 0;

  constructor(pass: RateGrant, input: number) {
    this.#pass = pass;
    this.#input = input;
  }

  saw(event: OutputEvent): void {
    if ("delta" in event) this.#output += countUtf8Bytes(event.delta);
    if (event.type === "finish" || event.type === "failure") this.#finish(event);
  }

  /** Over without a word of what it used. */
  cut(): void {
    this.end(this.#input + tokensOfBytes(this.#output));
  }

  /** Only the first end counts. */
  end(tokens: number): void {
    this.stopListening();
    this.#pass.end(tokens);
  }

  /** An error without any output has used nothing (promises M6). */
  #finish({ type, usage }: FinishEvent | FailureEvent): void {
    if (usage !== undefined) return this.end(usage.inputTokens + usage.outputTokens);
    if (type === "failure" && this.#output === 0) return this.end(0);
    this.cut();
  }
}

function countTokens(source: Source<OutputEvent>, count: TokenCount): Source<OutputEvent> {
  const see = (batch: readonly OutputEvent[] | undefined) => {
    if (batch === undefined) count.cut();
    else for (const event of batch) count.saw(event);
    return batch;
  };
  return {
    pull: () => mapPulled(source.pull(), see),
    cancel: (reason) => {
      count.cut();
      source.cancel(reason);
    },
  };
}

const WINDOW_SECONDS = RATE_WINDOW_MS / 1_000;

function rateLimitError({ standing, requested, waitMs }: ExceededRateLimit): ApiError {
  const { scope, name, limit, remaining } = standing;
  const seconds = waitMs === undefined ? undefined : secondsOf(waitMs);
  return new ApiError("rate_limited", sentence({ standing, requested, seconds }), {
    retryAfter: seconds,
    metadata: {
      scope,
      limit_name: name,
      limit,
      remaining,
      ...(name === "concurrent_streams" ? {} : { window_seconds: WINDOW_SECONDS }),
      ...(name === "tokens_per_minute" ? { estimated_tokens: requested } : {}),
      ...(seconds === undefined ? {} : { retry_after: seconds }),
    },
  });
}

/**
 * OpenAI's client takes no advice to wait for more than a minute and comes back at once; a minute is at most 100 ms
 * too early.
 */
const secondsOf = (waitMs: number) => Math.min(WINDOW_SECONDS, Math.max(1, Math.ceil(waitMs / 1_000)));

interface RateErrorInput {
  readonly standing: RateStanding;
  readonly requested: number;
  readonly seconds: number | undefined;
}

function sentence({ standing: { scope, name, limit }, requested, seconds }: RateErrorInput): string {
  const what = {
    requests_per_minute: `may start ${counted(limit, "request")} in any ${WINDOW_SECONDS} s`,
    tokens_per_minute: `may use ${
      counted(limit, "token")
    } in any ${WINDOW_SECONDS} s, and this request is estimated at ${requested}`,
    concurrent_streams: `may have ${counted(limit, "stream")} open at a time`,
  }[name];
  const then = seconds === undefined ? "It will never fit: make it smaller." : `Try again in ${seconds} s.`;
  return `Rate limit exceeded: the ${scope} ${what}. ${then}`;
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;
