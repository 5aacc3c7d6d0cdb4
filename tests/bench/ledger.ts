/**
 * Measures the cost of the books: a gateway with limits and receipts beside one without a ledger and a bare proxy,
 * slice by slice in turn.
 */

import * as z from "zod";
import { API_KEY, benchGateway, benchSettings, gatewayQuestion, managed, plainQuestion } from "./gateway.ts";
import { type Server, startServer } from "./process.ts";
import {
  type Candidate,
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

/** How much is measured, and with how many processes of each kind: two of the same build differ for as long as they live. */
export interface LedgerPlan extends RequestsPlan {
  readonly processes: number;
}

/** A gateway of each kind. */
interface Kinds {
  readonly none: Server;
  readonly kept: Server;
  readonly embedded: Server;
}

/** Runs `use` with so many gateways of each kind, and stops them whatever happens. */
async function withKinds<T>(
  { upstream }: Servers,
  { processes, use }: { readonly processes: number; readonly use: (sets: readonly Kinds[]) => Promise<T> },
): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-bench-" });
  const env = { ...await benchSettings(upstream.port, folder), TOLLGATE_LOCAL: "off" };
  const started: Server[] = [];
  const kept = async (starting: Promise<Server>) => {
    const server = await starting;
    started.push(server);
    return server;
  };
  const start = (ledger: Variant["ledger"]) =>
    kept(startServer("variant.ts", [JSON.stringify({ env, ledger } satisfies Variant)]));
  try {
    const sets: Kinds[] = [];
    while (sets.length < processes) {
      const own = `${folder}/${sets.length}`;
      await Deno.mkdir(own);
      sets.push({
        none: await start("none"),
        kept: await start("kept"),
        embedded: await kept(benchGateway(upstream.port, own)),
      });
    }
    return await use(sets);
  } finally {
    for (const server of started) await server.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Each plan with the same processes: they are warm, and stay warm. */
export async function measureLedger(
  servers: Servers,
  plans: readonly LedgerPlan[],
): Promise<readonly LedgerRow[]> {
  const processes = Math.max(...plans.map((plan) => plan.processes));
  const use = async (sets: readonly Kinds[]) => {
    const gateways = await Promise.all(sets.map(gatewaysOf));
    const rows: LedgerRow[] = [];
    for (const plan of plans) {
      rows.push(...await measurePlan(servers, { plan, gateways: gateways.slice(0, plan.processes) }));
    }
    return rows;
  };
  return await withKinds(servers, { processes, use });
}

type Gateway = Parameters<typeof candidateOf>[0];

async function gatewaysOf({ none, kept, embedded }: Kinds): Promise<readonly Gateway[]> {
  const of = async (name: string, server: Server) => {
    const key = server === none ? API_KEY : await limitedKey(server);
    return { name, server, target: gatewayQuestion(server.port, "chat", { key }) };
  };
  return [await of(NONE, none), await of(IN_MEMORY, kept), await of(EMBEDDED, embedded)];
}

interface Measured {
  readonly plan: LedgerPlan;
  /** Gateways of each kind, one in every list. */
  readonly gateways: readonly (readonly Gateway[])[];
}

async function measurePlan({ bare }: Servers, { plan, gateways }: Measured): Promise<readonly LedgerRow[]> {
  const proxy = { name: "bare proxy", server: bare, target: plainQuestion(bare.port) };
  const sets = gateways.map((all) => [proxy, ...all].map(candidateOf));
  await measure(sets.flat(), plan);
  const together = named(sets, proxy.name);
  const none = named(sets, NONE);
  return (sets[0] ?? []).map(({ name }) => {
    const own = named(sets, name);
    const { rate, cpu } = ratios({ own, with: none });
    const row = rowOf(own, { connections: plan.connections, bare: together });
    return { ...row, againstNone: rate, cpuAgainstNone: cpu };
  });
}

/** All processes of a kind as one: their turns one set after the other, as those of the kinds beside it. */
function named(sets: readonly (readonly Candidate[])[], name: string): Candidate {
  const [first, ...others] = sets.flatMap((set) => set.filter((candidate) => candidate.name === name));
  if (first === undefined) throw new Error(`Nothing was measured of "${name}"`);
  return { ...first, slices: [first, ...others].flatMap(({ slices }) => slices) };
}
