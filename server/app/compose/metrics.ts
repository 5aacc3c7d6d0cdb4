/** Reads the gauges of GET /metrics at a scrape. */

import { pause } from "../../../shared/util/pause.ts";
import { runWork } from "../../../shared/util/run_work.ts";
import type { EndpointStanding } from "../../../shared/management/status.ts";
import { logAccess } from "../../api/access_log.ts";
import type { BegunReply } from "../../api/begun_reply.ts";
import { LimitStandings } from "../../management/status/limit_standings.ts";
import type { EndpointHealthRecord, StatusSource } from "../../management/status/status_source.ts";
import type { GatewayMetrics } from "../../metrics/gateway_metrics.ts";
import { type MetricsFormat, writeMetrics } from "../../metrics/write_metrics.ts";
import { overloadReasons } from "../../overload/overload_guard.ts";
import type { AppDeps } from "../app.ts";
import type { CompositionParts } from "../composition_parts.ts";
import type { LastingParts } from "./lasting.ts";

interface ReadParts extends Pick<CompositionParts, "config" | "runtime" | "store" | "ledger" | "metrics"> {
  readonly lasting: Pick<LastingParts, "openCalls" | "overload" | "containers">;
  readonly status: StatusSource;
  readonly access: Pick<AppDeps, "addressOf">;
}

type Gauges = Omit<ReadParts, "metrics"> & { readonly metrics: GatewayMetrics };

/** Composes what counts replies and writes their lines, and what serves metrics; nothing where both are off. */
export function createMetrics(parts: ReadParts): Pick<AppDeps, "metrics" | "onReply"> {
  const { metrics, config, runtime: { log }, access } = parts;
  const count = (reply: BegunReply) => metrics?.replied(reply);
  const onReply = (reply: BegunReply) => {
    count(reply);
    logAccess({ log, ...access }, reply);
  };
  const counted = metrics && count;
  return { metrics: createReader(parts), onReply: config.accessLog ? onReply : counted };
}

function createReader({ metrics, ...parts }: ReadParts): AppDeps["metrics"] {
  if (metrics === undefined) return undefined;
  const { config, runtime: { clock } } = parts;
  const gauges: Gauges = { ...parts, metrics };
  const standings = new LimitStandings({ ...parts, pause, mostNearest: config.metricsLimits });
  const read = async (format: MetricsFormat) => {
    await readStore(gauges);
    readEndpoints(gauges);
    readLimits(gauges, standings);
    readParts(gauges);
    return await runWork(writeMetrics(metrics.registry, format), { clock, pause });
  };
  return { token: config.metricsToken, read };
}

async function readStore({ metrics: { registry }, store, runtime: { clock } }: Gauges): Promise<void> {
  const began = clock.monotonic();
  const { ok } = await store.health();
  registry.at("storeUp").set(Number(ok));
  registry.at("storeAnswer").set((clock.monotonic() - began) / 1_000);
}

const states: { readonly [S in EndpointStanding]: number } = {
  well: 0,
  probe: 1,
  cooling_down: 1,
  misconfigured: 2,
};

/** Endpoints that were called with the gateway's own keys; those of workspaces are counted and not named. */
function readEndpoints({ metrics: { registry, labels }, status }: Gauges): void {
  registry.clear("endpointState");
  const counts = new Map<EndpointStanding, number>();
  const worst = new Map<string, { readonly one: EndpointHealthRecord; readonly state: number }>();
  for (const one of status.endpoints()) {
    counts.set(one.standing, (counts.get(one.standing) ?? 0) + 1);
    if (one.isByok) continue;
    const name = `${labels.provider(one.provider)} ${labels.model(one.model)}`;
    const state = Math.max(states[one.standing], worst.get(name)?.state ?? 0);
    worst.set(name, { one, state });
  }
  for (const { one, state } of worst.values()) {
    const own = { provider: labels.provider(one.provider), model: labels.model(one.model) };
    registry.at("endpointState", own).set(state);
  }
  for (const standing of Object.keys(states)) {
    registry.at("endpoints", { standing }).set(counts.get(toStanding(standing)) ?? 0);
  }
}

/** A key of the table. */
function toStanding(name: string): EndpointStanding {
  return name as EndpointStanding;
}

/** Limits as they were compared last: a scrape does not wait until those of 100,000 keys are. */
function readLimits({ metrics: { registry } }: Gauges, standings: LimitStandings): void {
  const lists = standings.latest();
  if (lists === undefined) return;
  for (const standing of ["nearly", "reached"] as const) {
    registry.at("limits", { subject: "key", standing }).set(lists.keys[standing].length);
    registry.at("limits", { subject: "budget", standing }).set(lists.budgets[standing].length);
  }
  registry.clear("limit");
  registry.clear("limitRemaining");
  for (const { limit, left, ...labels } of lists.nearest) {
    registry.at("limit", labels).set(limit);
    registry.at("limitRemaining", labels).set(left);
  }
  registry.at("keysExpiring").set(lists.keys.expiring.length);
}

function readParts({ metrics: { registry }, ledger, status, lasting }: Gauges): void {
  const { openCalls, overload, containers } = lasting;
  registry.at("requestsInFlight").set(openCalls.size);
  registry.at("reservationsWaiting").set(ledger.waiting);
  registry.at("ledgerUp").set(Number(status.ledgerProblem() === undefined));
  registry.at("ledgerHeldUp").set(Number(ledger.heldUpReason !== undefined));
  if (containers.isConfigured) registry.at("sandboxUp").set(Number(containers.problem === undefined));
  for (const reason of overloadReasons) {
    registry.at("overloaded", { reason }).set(Number(overload.active.has(reason)));
    registry.at("overloadRefusals", { reason }).set(overload.refusals(reason));
  }
  const { rss, heapUsed } = Deno.memoryUsage();
  registry.at("residentMemory").set(rss);
  registry.at("heap").set(heapUsed);
  registry.at("startTime").set(status.startedAt / 1_000);
}
