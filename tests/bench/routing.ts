/**
 * Measures the cost of choosing an endpoint, on one core and without a network: 500 models at 5 endpoints each, with
 * live figures for all of them. A process of its own: `routing.ts <rounds> <runs>` prints microseconds a request of
 * each kind of request as JSON.
 */

import { cpuUsage } from "node:process";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import { planRoute, type RoutePlanDeps } from "../../server/pipeline/routing/route_plan.ts";
import { noEvidence } from "../../server/pipeline/routing/routers/evidence.ts";
import { LiveStats } from "../../server/pipeline/routing/health/endpoint_stats.ts";
import { endpointAt } from "../routing/rig.ts";
import { modelRequest } from "../support/requests.ts";
import { routerDeps } from "../support/router_deps.ts";

const MODELS = 500;
const ENDPOINTS = 5;

const endpoints = Array.from(
  { length: MODELS },
  (_, model) =>
    Array.from({ length: ENDPOINTS }, (_, at) =>
      endpointAt(`p${at}`, {
        usd: 0.2 + at,
        model: {
          id: `acme/m${model}`,
          contextLength: 128_000,
          supportedParameters: ["temperature", "tools"],
        },
        endpoint: {
          quantization: at % 2 === 0 ? "fp8" : "bf16",
          dataPolicy: { training: at === 0, zdr: at > 2 },
        },
      })),
).flat();

function depsOf(): { readonly deps: RoutePlanDeps; readonly stats: LiveStats } {
  const byModel = Map.groupBy(endpoints, ({ model }) => model.id);
  const stats = new LiveStats({ monotonic: () => performance.now() });
  for (const { id } of endpoints) {
    for (let at = 0; at < 100; at++) {
      stats.recordLatency(id, at);
      stats.recordThroughput(id, at);
    }
  }
  const resolve = (model: string) => byModel.get(model) ?? [];
  return { deps: { ...routerDeps({ stats, endpoints }), resolve, aliases: {}, stats }, stats };
}

const long = "word ".repeat(100_000);

/** By what the request asks for. */
const kinds: Readonly<Record<string, Partial<ModelRequest>>> = {
  plain: {},
  session: { sessionId: "a-session-of-some-length" },
  sorted: { provider: { sort: "throughput", ignore: ["p4"] } },
  everything: {
    models: ["acme/m1", "acme/m2"],
    sampling: { temperature: 1 },
    provider: {
      order: ["p3", "p1"],
      only: ["p0", "p1", "p2", "p3"],
      ignore: ["p2"],
      require_parameters: true,
      data_collection: "deny",
      quantizations: ["fp8", "bf16"],
      max_price: { prompt: "9", completion: 9 },
      preferred_max_latency: { p50: 1, p90: 2 },
      sort: { by: "latency", partition: "none" },
    },
  },
  "100,000 tokens": {
    input: [{ type: "message", role: "user", parts: [{ type: "text", text: long }] }],
  },
};

/** A router's decision over all models, for a prompt of 10 KB: with the evidence of before, and with one made anew. */
const routed: Readonly<Record<string, (deps: RoutePlanDeps) => RoutePlanDeps>> = {
  "routed, same evidence": (deps) => deps,
  "routed, new evidence": (deps) => ({ ...deps, evidence: () => ({ ...noEvidence }) }),
};

const tenKilobytes: Partial<ModelRequest> = {
  input: [{ type: "message", role: "user", parts: [{ type: "text", text: "word ".repeat(2_000) }] }],
};

/** A text so long is counted in some thousand times what all else takes. */
const RUNS_OF_LONG = 0.01;

interface Cost {
  readonly deps: RoutePlanDeps;
  readonly rounds: number;
  readonly runs: number;
  /** Instead of one model after the other. */
  readonly model?: string;
}

/** Microseconds of processor time a request, the best of some rounds. */
function cost(fields: Partial<ModelRequest>, { deps, rounds, runs, model }: Cost): number {
  const request = modelRequest(fields);
  let best = Infinity;
  for (let round = 0; round < rounds; round++) {
    const spent = cpuUsage();
    for (let at = 0; at < runs; at++) {
      const named = { ...request, model: model ?? `acme/m${at % MODELS}` };
      planRoute(deps, { request: named, generation: `gen-${at}` });
    }
    const { user, system } = cpuUsage(spent);
    best = Math.min(best, (user + system) / runs);
  }
  return best;
}

function statsCost({ stats }: ReturnType<typeof depsOf>): number {
  const runs = 100_000;
  const spent = cpuUsage();
  for (let at = 0; at < runs; at++) {
    const { id = "" } = endpoints[at % endpoints.length] ?? {};
    stats.recordLatency(id, at);
    stats.recordThroughput(id, at);
    stats.recordResult(id, true);
  }
  const { user, system } = cpuUsage(spent);
  return (user + system) / runs;
}

if (import.meta.main) {
  const made = depsOf();
  const [rounds = 6, runs = 5_000] = Deno.args.map(Number);
  const costs = Object.entries(kinds).map(([kind, fields]) => {
    const share = fields.input === undefined ? 1 : RUNS_OF_LONG;
    return [kind, cost(fields, { deps: made.deps, rounds, runs: Math.ceil(runs * share) })];
  });
  const decisions = Object.entries(routed).map(([kind, change]) => {
    const few = { rounds, runs: Math.ceil(runs * RUNS_OF_LONG) };
    return [kind, cost(tenKilobytes, { ...few, deps: change(made.deps), model: "openrouter/auto" })];
  });
  const all = Object.fromEntries([...costs, ...decisions]);
  console.log(JSON.stringify({ ...all, "live figures": statsCost(made) }));
}
