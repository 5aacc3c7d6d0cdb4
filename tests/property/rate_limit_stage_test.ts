import assert from "node:assert/strict";
import fc from "fast-check";
import { ApiError } from "../../shared/errors.ts";
import type { RateLimited, RateStanding } from "../../shared/rate_limits.ts";
import type { Usage } from "../../server/protocols/canonical/usage.ts";
import type { ModelEvent } from "../../server/protocols/canonical/event.ts";
import { RateLimiter } from "../../server/billing/rate_limits/rate_limiter.ts";
import { OneShotSignal } from "../../server/one_shot_signal.ts";
import type { ModelResponse, RequestContext } from "../../server/pipeline/request_context.ts";
import { rateLimit } from "../../server/pipeline/stages/rate_limit.ts";
import type { Source } from "../../server/protocols/stream/source.ts";
import { memoryClock, settle } from "../support/clock.ts";
import { testEndpoint } from "../support/endpoint.ts";
import { modelRequest } from "../support/requests.ts";
import { assertProperty, runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";

/** How a request may end. */
const endings = [
  "finish",
  "finish without counts",
  "failure",
  "failure with counts",
  "cut",
  "cancel",
  "cancel twice",
  "hang-up before the answer",
  "hang-up while it refuses",
  "hang-up in the middle",
  "hang-up and finish",
  "refused",
  "broken",
] as const;
type Ending = (typeof endings)[number];

const usage: Usage = {
  inputTokens: 30,
  outputTokens: 12,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  estimated: false,
};
const begun: ModelEvent = { type: "begin" };
const word: ModelEvent = { type: "text", itemKey: 0, part: 0, delta: "Hello, world" };
const broke = { kind: "upstream_failed", message: "It broke." } as const;

/** Last event of the provider; undefined: it sends none and the connection is cut. */
function last(ending: Ending): ModelEvent | undefined {
  if (ending === "finish without counts") return { type: "finish", reason: "stop" };
  if (ending === "failure") return { type: "failure", failure: broke };
  if (ending === "failure with counts") return { type: "failure", failure: broke, usage };
  return ending === "cut" ? undefined : { type: "finish", reason: "stop", usage };
}

function source(ending: Ending): Source<ModelEvent> {
  const end = last(ending);
  const batches: readonly (readonly ModelEvent[])[] = [[begun], [word], ...(end ? [[end]] : [])];
  let next = 0;
  return { pull: () => Promise.resolve(batches[next++]), cancel: () => {} };
}

/** The parts of a request context that the stage looks at. */
function toContext(context: unknown): RequestContext {
  return context as RequestContext;
}

interface Lab {
  readonly run: (ending: Ending, streamed: boolean) => Promise<void>;
  readonly open: () => number;
}

function lab(limits: RateLimited["limits"], limiter: RateLimiter): Lab {
  const limited: readonly RateLimited[] = [{ type: "key", scope: "key:a", limits }];
  let open = 0;
  const run = async (ending: Ending, streamed: boolean): Promise<void> => {
    const clientDisconnect = new OneShotSignal();
    const record: { rateLimitStanding?: () => RateStanding } = {};
    const stage = rateLimit({ resolver: { limitsOf: () => limited }, limiter })(async () => {
      open++;
      await settle();
      if (ending.startsWith("hang-up")) clientDisconnect.fire();
      if (ending === "refused" || ending === "hang-up while it refuses") {
        throw new ApiError("not_found", "No.");
      }
      if (ending === "broken") throw new Error("It broke.");
      return { endpoint: testEndpoint(), source: source(ending) };
    });
    try {
      const response = await stage(
        toContext({ request: modelRequest({ stream: streamed }), clientDisconnect, record }),
      );
      await read(response, ending);
    } catch (error) {
      if (error instanceof ApiError && error.kind === "rate_limited") return;
      assert.ok(["refused", "broken", "hang-up while it refuses"].includes(ending), String(error));
    } finally {
      assert.ok(record.rateLimitStanding !== undefined, "every reply can tell how the limit stands");
    }
  };
  return { run, open: () => open };
}

async function read({ source }: ModelResponse, ending: Ending): Promise<void> {
  // A client that has disconnected reads no more; the stage must not wait for it.
  if (ending === "hang-up before the answer") return;
  await source.pull();
  if (ending === "hang-up in the middle") return;
  await settle();
  if (ending.startsWith("cancel")) source.cancel("left");
  if (ending === "cancel twice") return source.cancel("left again");
  if (ending === "cancel") return;
  while (await source.pull() !== undefined) await settle();
}

const request = fc.record({ ending: fc.constantFrom(...endings), streamed: fc.boolean(), waits: fc.nat(2) });

Deno.test(`rateLimit leaks no stream, however requests end (SEED=${seed})`, async () => {
  const plan = fc.record({
    limit: fc.integer({ min: 1, max: 5 }),
    requests: fc.array(request, { maxLength: 20 }),
  });
  const property = fc.asyncProperty(plan, async ({ limit, requests }) => {
    const clock = memoryClock();
    const limiter = new RateLimiter({ clock });
    const { run } = lab(
      { requests_per_minute: null, tokens_per_minute: 100_000, concurrent_streams: limit },
      limiter,
    );
    const all: Promise<void>[] = [];
    for (const { ending, streamed, waits } of requests) {
      all.push(run(ending, streamed));
      for (let turn = 0; turn < waits; turn++) await settle();
    }
    await Promise.all(all);
    // All have ended: as many streams as the limit says may be opened, and no more.
    const limits = { requests_per_minute: null, tokens_per_minute: null, concurrent_streams: limit };
    const scope: readonly RateLimited[] = [{ type: "key", scope: "key:a", limits }];
    for (let index = 0; index <= limit; index++) {
      const admission = await limiter.tryStart(scope, { tokens: 0, streamed: true });
      assert.equal(admission.type, index < limit ? "pass" : "refused");
    }
  });
  await assertProperty(property, { numRuns: runs(40) });
});

/** Tokens that are counted in the end: 1 of input, 3 of output, as far as the gateway can tell by itself. */
const counted: Readonly<Record<Ending, number>> = {
  "finish": 42,
  "finish without counts": 4,
  "failure": 4,
  "failure with counts": 42,
  "cut": 4,
  "cancel": 1,
  "cancel twice": 1,
  "hang-up before the answer": 1,
  "hang-up while it refuses": 1,
  "hang-up in the middle": 1,
  "hang-up and finish": 1,
  "refused": 0,
  "broken": 0,
};

for (const ending of endings) {
  Deno.test(`rateLimit counts ${counted[ending]} tokens of a request that ends in: ${ending}`, async () => {
    const clock = memoryClock();
    const limiter = new RateLimiter({ clock });
    const limits = { requests_per_minute: null, tokens_per_minute: 2_000, concurrent_streams: null };
    const { run, open } = lab(limits, limiter);
    await run(ending, true);
    assert.equal(open(), 1);
    const scope: readonly RateLimited[] = [{ type: "key", scope: "key:a", limits }];
    const fits = await limiter.tryStart(scope, { tokens: 2_000 - counted[ending], streamed: false });
    assert.equal(fits.type, "pass");
    const more = await limiter.tryStart(scope, { tokens: 1, streamed: false });
    assert.equal(more.type, "refused");
  });
}
