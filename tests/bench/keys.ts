/** Very many keys in the store: throughput and start beside a store that holds ten, slice by slice in turn. */

import { benchGateway, gatewayQuestion } from "./gateway.ts";
import { fillResult } from "./job.ts";
import { runScript, type StartedServer } from "./process.ts";
import { candidateOf, measure, ratios, type RequestsPlan } from "./requests.ts";
import { type Spread, spread } from "./stats.ts";

export interface KeysPlan extends RequestsPlan {
  readonly keys: number;
  /** Seconds after which the store is taken as it is. */
  readonly fillSeconds: number;
  readonly starts: number;
}

/** One row of the table. Seconds, milliseconds, requests a second. */
export interface KeysRow {
  readonly name: string;
  readonly stored: number;
  /** Number of keys that are used, in turn. */
  readonly used: number;
  readonly fillSeconds: number;
  readonly startMs: Spread;
  readonly perSecond: Spread;
  /** Beside the store with few keys. */
  readonly ratio: Spread;
  readonly cpuRatio: Spread;
  readonly failures: number;
}

const FEW = 10;
/** More than a client uses in a burst, fewer than the gateway holds in memory. */
const MANY = 10_000;

interface Store {
  readonly folder: string;
  readonly stored: number;
  readonly fillSeconds: number;
}

/** A store with so many keys, in a folder as benchGateway expects it. */
async function filled(folder: string, { keys, fillSeconds }: KeysPlan): Promise<Store> {
  await Deno.mkdir(folder);
  const args = [`${folder}/data`, `${keys}`, `${fillSeconds}`];
  const made = fillResult.parse(await runScript("fill_keys.ts", args));
  return { folder, stored: made.keys, fillSeconds: made.seconds };
}

interface Started {
  readonly server: StartedServer;
  readonly startMs: Spread;
}

/** Starts a gateway some times on the same store; the last one stays. */
async function startedOn({ folder }: Store, { upstream, starts }: { upstream: number; starts: number }) {
  const took: number[] = [];
  for (let left = starts;; left--) {
    const server = await benchGateway(upstream, folder);
    took.push(server.startMs);
    if (left <= 1) return { server, startMs: spread(took) } satisfies Started;
    await server.stop();
  }
}

interface Sides {
  readonly few: Store & Started;
  readonly many: Store & Started;
}

async function compared({ few, many }: Sides, plan: KeysPlan): Promise<readonly KeysRow[]> {
  const sides = [
    { name: "few keys", side: few, used: Math.min(FEW, few.stored) },
    { name: "many keys, few in use", side: many, used: Math.min(FEW, many.stored) },
    { name: "many keys, many in use", side: many, used: Math.min(MANY, many.stored) },
  ].map(({ name, side, used }) => {
    const { server } = side;
    const target = gatewayQuestion(server.port, "chat");
    const job = { keys: { type: "made", count: used } as const };
    return { side, used, candidate: candidateOf({ name, server, target, job }) };
  });
  await measure(sides.map(({ candidate }) => candidate), plan);
  const [base] = sides;
  if (base === undefined) throw new Error("There is nothing to compare with");
  return sides.map(({ side: { stored, fillSeconds, startMs }, used, candidate }) => {
    const { rate, cpu } = ratios({ own: candidate, with: base.candidate });
    const { name, slices } = candidate;
    return {
      name,
      stored,
      used,
      fillSeconds,
      startMs,
      perSecond: spread(slices.map(({ perSecond }) => perSecond)),
      ratio: rate,
      cpuRatio: cpu,
      failures: slices.reduce((sum, { failures }) => sum + failures, 0),
    };
  });
}

/** Gateways of its own, because each has a store of its own. */
export async function measureKeys(upstream: number, plan: KeysPlan): Promise<readonly KeysRow[]> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-bench-" });
  const servers: StartedServer[] = [];
  const side = async (name: string, keys: number) => {
    const store = await filled(`${folder}/${name}`, { ...plan, keys });
    const started = await startedOn(store, { upstream, starts: plan.starts });
    servers.push(started.server);
    return { ...store, ...started };
  };
  try {
    return await compared({ few: await side("few", FEW), many: await side("many", plan.keys) }, plan);
  } finally {
    for (const server of servers) await server.stop();
    await Deno.remove(folder, { recursive: true });
  }
}
