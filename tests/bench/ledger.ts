/**
 * What the books cost: a gateway with limits and receipts beside one without a ledger and a bare proxy, slice by
 * slice in turn.
 */

import * as z from "zod";
import { API_KEY, benchSettings, gatewayQuestion, managed, plainQuestion } from "./gateway.ts";
import { type Server, startServer } from "./process.ts";
import {
  candidateOf,
  measure,
  ratios,
  type RequestsPlan,
  type RequestsRow,
  rowOf,
  type Servers,
} from "./requests.ts";
import type { Spread } from "./stats.ts";
import type { Variant } from "./variant.ts";

/** One row of the table: as for requests, and beside the gateway without a ledger. */
export interface LedgerRow extends RequestsRow {
  readonly againstNone: Spread;
  readonly cpuAgainstNone: Spread;
}

export const NONE = "without a ledger";
export const IN_MEMORY = "limits and receipts, in memory";
export const EMBEDDED = "limits and receipts, embedded store";

const keyMade = z.object({ key: z.string(), data: z.object({ workspace_id: z.string() }) });

/** So much that no run comes near it. */
const LIMIT_USD = 1_000_000;

/** A key under a limit of its own, in a workspace with a budget. */
async function limitedKey({ port }: Server): Promise<string> {
  const made = keyMade.parse(
    await managed(port, { method: "POST", path: "/keys", body: { name: "Bench", limit: LIMIT_USD } }),
  );
  const path = `/workspaces/${made.data.workspace_id}/budgets/monthly`;
  await managed(port, { method: "PUT", path, body: { limit_usd: LIMIT_USD } });
  return made.key;
}

/** Runs `use` with two more gateways, both in memory: with the ledger, and without one. */
async function withVariants<T>(
  { upstream }: Servers,
  use: (variants: { readonly kept: Server; readonly none: Server }) => Promise<T>,
): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-bench-" });
  const env = { ...await benchSettings(upstream.port, folder), TOLLGATE_LOCAL: "off" };
  const start = (ledger: Variant["ledger"]) =>
    startServer("variant.ts", [JSON.stringify({ env, ledger } satisfies Variant)]);
  const started: Server[] = [];
  try {
    const kept = await start("kept");
    started.push(kept);
    const none = await start("none");
    started.push(none);
    return await use({ kept, none });
  } finally {
    for (const server of started) await server.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Each plan with the same four servers: they are warm, and stay warm. */
export async function measureLedger(
  servers: Servers,
  plans: readonly RequestsPlan[],
): Promise<readonly LedgerRow[]> {
  return await withVariants(servers, async ({ kept, none }) => {
    const of = async (name: string, server: Server) => {
      const key = server === none ? API_KEY : await limitedKey(server);
      return { name, server, target: gatewayQuestion(server.port, "chat", { key }) };
    };
    const gateways = [
      await of(NONE, none),
      await of(IN_MEMORY, kept),
      await of(EMBEDDED, servers.gateway),
    ];
    const rows: LedgerRow[] = [];
    for (const plan of plans) rows.push(...await measurePlan(servers, { plan, gateways }));
    return rows;
  });
}

type Gateway = Parameters<typeof candidateOf>[0];

interface Measured {
  readonly plan: RequestsPlan;
  readonly gateways: readonly Gateway[];
}

async function measurePlan(servers: Servers, { plan, gateways }: Measured): Promise<readonly LedgerRow[]> {
  const { bare: proxy } = servers;
  const bare = candidateOf({ name: "bare proxy", server: proxy, target: plainQuestion(proxy.port) });
  const all = [bare, ...gateways.map(candidateOf)];
  await measure(all, plan);
  const none = all.find(({ name }) => name === NONE) ?? bare;
  return all.map((own) => {
    const { rate, cpu } = ratios({ own, with: none });
    return { ...rowOf(own, { connections: plan.connections, bare }), againstNone: rate, cpuAgainstNone: cpu };
  });
}
