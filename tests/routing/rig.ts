/** The route stage without a network: what would be called is written down, and answered as the test says. */

import type { ModelEvent, OutputEvent } from "../../server/protocols/canonical/event.ts";
import type { JsonObject } from "../../server/protocols/canonical/item.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import { OneShotSignal } from "../../server/one_shot_signal.ts";
import type { CallerRules } from "../../server/pipeline/caller_rules.ts";
import type { ModelResponse, RequestContext } from "../../server/pipeline/request_context.ts";
import { RequestRecord } from "../../server/pipeline/request_record.ts";
import type { Endpoint, Pricing } from "../../server/providers/endpoint.ts";
import { SingleUseOrigins } from "../../server/providers/upstream/connections/single_use_origins.ts";
import { explainRoute } from "../../server/pipeline/routing/explain_route.ts";
import { serializeRoutePlan } from "../../server/pipeline/stages/route/explain_response.ts";
import { type Evidence, noEvidence } from "../../server/pipeline/routing/routers/evidence.ts";
import { route } from "../../server/pipeline/stages/route/route.ts";
import { EndpointHealth } from "../../server/pipeline/routing/health/endpoint_health.ts";
import { LiveStats } from "../../server/pipeline/routing/health/endpoint_stats.ts";
import { sourceFrom } from "../../server/protocols/stream/source.ts";
import { createLogger } from "../../server/logger.ts";
import { type EndpointChanges, testEndpoint } from "../support/endpoint.ts";
import { type FakeClock, fakeClock } from "../support/clock.ts";
import { modelRequest } from "../support/requests.ts";
import { routerDeps } from "../support/router_deps.ts";

export interface RoutingOptions {
  readonly endpoints: readonly Endpoint[];
  readonly aliases?: Readonly<Record<string, string | readonly string[]>>;
  readonly defaultModel?: string;
  readonly attempts?: number;
  /** Rules of the caller. */
  readonly rules?: CallerRules;
  /** By which routers choose. */
  readonly evidence?: Evidence;
  /** Events at an endpoint; an answer of one word where it returns. */
  readonly at?: (endpoint: Endpoint, context: RequestContext) => readonly ModelEvent[] | undefined;
}

export interface Routed {
  readonly record: RequestRecord;
  /** Endpoints that were called, in their order. */
  readonly called: readonly Endpoint[];
  /** Request that the last of them was sent. */
  readonly sent: ModelRequest | undefined;
  readonly events: readonly OutputEvent[];
  readonly error?: unknown;
}

export interface Routing {
  readonly clock: FakeClock;
  readonly health: EndpointHealth;
  readonly stats: LiveStats;
  /** Explains a route without its money, which tests/money covers. */
  readonly explain: (request: ModelRequest) => JsonObject;
  readonly send: (fields: Partial<ModelRequest>) => Promise<Routed>;
}

const received: readonly ModelEvent[] = [
  { type: "begin" },
  {
    type: "finish",
    reason: "stop",
    usage: {
      inputTokens: 1,
      outputTokens: 1,
      cachedTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
      estimated: false,
    },
  },
];

export function routing(
  { endpoints, aliases = {}, defaultModel, attempts = 4, rules, evidence = noEvidence, at }: RoutingOptions,
): Routing {
  const clock = fakeClock();
  const byModel = Map.groupBy(endpoints, ({ model }) => model.id);
  const health = new EndpointHealth(clock);
  const stats = new LiveStats(clock);
  const log = createLogger({ format: "json", level: "error", now: clock.now, write: () => {} });
  const resolve = (model: string) => byModel.get(model) ?? [];
  const rulesOf = rules && (() => rules);
  const deps = {
    resolve,
    ...routerDeps({ stats, clock, endpoints, evidence, attempts }),
    aliases: Object.fromEntries(Object.entries(aliases).map(([name, models]) => [name, [models].flat()])),
    defaultModel,
    health,
    stats,
    singleUse: new SingleUseOrigins({ clock, log }),
    clock,
    log,
    rulesOf,
    rules,
  };
  let generation = 0;
  const send = async (fields: Partial<ModelRequest>): Promise<Routed> => {
    const context = turnOf(modelRequest({ model: "acme/llama", ...fields }), generation++);
    const called: Endpoint[] = [];
    let sent: ModelRequest | undefined;
    const next = (requested: RequestContext): Promise<ModelResponse> => {
      const { endpoint } = requested;
      if (endpoint === undefined) throw new Error("no endpoint");
      called.push(endpoint);
      sent = requested.request;
      const events = at?.(endpoint, requested) ?? received;
      return Promise.resolve({ endpoint, source: sourceFrom(events) });
    };
    try {
      const { source } = await route(deps)(next)(context);
      const events: OutputEvent[] = [];
      for (let batch = await source.pull(); batch; batch = await source.pull()) events.push(...batch);
      return { record: context.record, called, sent, events };
    } catch (error) {
      return { record: context.record, called, sent, events: [], error };
    }
  };
  return {
    clock,
    health,
    stats,
    explain: (request) => serializeRoutePlan(explainRoute({ ...deps, workspaceId: "w" }, request)),
    send,
  };
}

function turnOf(request: ModelRequest, number: number): RequestContext {
  const record = new RequestRecord();
  const id = number.toString(16).padStart(32, "0");
  return {
    request,
    caller: { kind: "api", keyHash: "0".repeat(64), workspaceId: "w" },
    ids: { generation: `gen-${id}`, request: `req_${id}` },
    clientDisconnect: new OneShotSignal(),
    record,
    call: record.first,
    startedAt: 0,
  };
}

/** USD per million tokens, for prompt and completion alike. */
export const priced = (usd: number): Pricing => ({
  prompt: (usd / 1e6).toFixed(12),
  completion: (usd / 1e6).toFixed(12),
});

export interface Row extends EndpointChanges {
  readonly usd?: number | null;
  readonly model?: EndpointChanges["model"];
}

/** An endpoint of `acme/llama` at a provider with this slug; a price of 1 USD per million by default. */
export function endpointAt(slug: string, { usd = 1, provider, model, endpoint }: Row = {}): Endpoint {
  const served = { id: "acme/llama", ...model };
  return testEndpoint({
    provider: { id: slug, name: `The ${slug}`, ...provider },
    model: served,
    endpoint: {
      id: `${slug}|${served.id}`,
      pricing: usd === null ? null : priced(usd),
      ...endpoint,
    },
  });
}
