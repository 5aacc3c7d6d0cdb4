/** How the gateway is: read from what it measures while it works, without a call to any provider. */

import { defaultPlugin, pluginIds } from "../../../shared/responses/plugins.ts";
import type { EndpointStatus, GatewayStatus, statusApi } from "../../../shared/management/status.ts";
import { type Instance, listInstances } from "../../billing/ledger/quota/instances.ts";
import { fileUsage } from "../../storage/files/file_rows.ts";
import type { OperationHandlers } from "../core/operation.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { OverrunTotal } from "./overrun_total.ts";
import type { EndpointHealthRecord, StatusSource } from "./status_source.ts";

const MOST_ENDPOINTS = 200;

export function statusOperations(deps: ManagementDeps): OperationHandlers<typeof statusApi> {
  const overrun = new OverrunTotal(deps.store);
  return { "status.get": async () => ({ data: await readStatus(deps, overrun) }) };
}

async function readStatus(
  { store, runtime: { clock }, ledger, status, containers, pluginFaults }: ManagementDeps,
  overrun: OverrunTotal,
): Promise<GatewayStatus> {
  const began = clock.monotonic();
  const health = await store.health();
  const answerMs = clock.monotonic() - began;
  await ledger.caughtUp();
  const now = clock.now();
  const endpoints = status.endpoints();
  return {
    version: status.version,
    now: new Date(now).toISOString(),
    started_at: new Date(status.startedAt).toISOString(),
    endpoints: endpoints.toSorted(byUrgency).slice(0, MOST_ENDPOINTS)
      .map((endpoint) => serializeEndpoint(endpoint, now)),
    endpoint_counts: countStandings(endpoints),
    store: {
      ok: health.ok,
      reason: health.ok ? null : health.reason,
      answer_ms: health.ok ? toTenths(answerMs) : null,
    },
    ledger: serializeProblem(status.ledgerProblem()),
    blobs: await readBlobs(store, status),
    sandbox: serializeSandbox(containers),
    plugins: pluginIds.flatMap((id) =>
      pluginFaults(defaultPlugin.parse({ id })).map(({ message }) => ({ id, reason: message }))
    ),
    instances: status.isShared ? (await listInstances(store)).map(serializeInstance) : null,
    overrun: await overrun.read(now),
  };
}

const urgency = { misconfigured: 0, cooling_down: 1, probe: 2, well: 2 } as const;

/** Sorts those that fail first, then the busiest. */
function byUrgency(a: EndpointHealthRecord, b: EndpointHealthRecord): number {
  return urgency[a.standing] - urgency[b.standing] || b.attempts - a.attempts;
}

function serializeEndpoint(endpoint: EndpointHealthRecord, now: number): EndpointStatus {
  const { endpointId, provider, providerName, model, standing, reason, p50Ms } = endpoint;
  const after = (seconds: number | undefined) =>
    seconds === undefined ? null : new Date(now + seconds * 1_000).toISOString();
  return {
    endpoint_id: endpointId,
    provider,
    provider_name: providerName,
    model,
    is_byok: endpoint.isByok,
    standing,
    rests_until: after(endpoint.restsForSeconds),
    reason: reason ?? null,
    ...(endpoint.keys === undefined ? {} : {
      keys: endpoint.keys.map((key) => ({
        name: key.name,
        standing: key.standing,
        rests_until: after(key.restsForSeconds),
        reason: key.reason ?? null,
      })),
    }),
    single_use_until: after(endpoint.singleUseForSeconds),
    p50_ms: p50Ms === undefined ? null : toTenths(p50Ms),
    requests_5m: endpoint.attempts,
    failures_5m: endpoint.failures,
  };
}

/** A clock's further digits mean nothing. */
const toTenths = (ms: number): number => Math.round(ms * 10) / 10;

function countStandings(endpoints: readonly EndpointHealthRecord[]): GatewayStatus["endpoint_counts"] {
  const counts = { well: 0, probe: 0, cooling_down: 0, misconfigured: 0 };
  for (const { standing } of endpoints) counts[standing]++;
  return counts;
}

const serializeInstance = ({ id, reaper }: Instance) => ({ id, is_ended: reaper !== undefined });

function serializeProblem(problem: string | undefined) {
  return { ok: problem === undefined, reason: problem ?? null };
}

function serializeSandbox(
  { isConfigured, problem, choice }: ManagementDeps["containers"],
): GatewayStatus["sandbox"] {
  const state = {
    configured: isConfigured,
    engine: choice.engine ?? null,
    engine_reason: choice.engineReason ?? null,
  };
  return isConfigured
    ? { ...state, ...serializeProblem(problem) }
    : { ...state, ok: null, reason: problem ?? null };
}

/** The sums of all workspaces' files: one small row each. */
async function readBlobs(
  store: ManagementDeps["store"],
  { hasBlobs }: StatusSource,
): Promise<GatewayStatus["blobs"]> {
  if (!hasBlobs) return { configured: false, ok: null, reason: null, bytes: null, files: null };
  const rows = await fileUsage(store).list();
  const sum = (of: "bytes" | "files") => rows.reduce((all, { record }) => all + record[of], 0);
  return { configured: true, ok: true, reason: null, bytes: sum("bytes"), files: sum("files") };
}
