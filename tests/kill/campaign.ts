/** Kills a gateway under load, again and again, and reads its books afterwards. */

import { createHash } from "node:crypto";
import { RUNNING, type StartedServer, startGateway } from "../bench/process.ts";
import { pause, until } from "../support/until.ts";
import { compare, type Verdict } from "./books.ts";
import { type Seen, startClients } from "./clients.ts";
import { providerRow, slowUpstream } from "./upstream.ts";

const API_KEY = "kill-api-key-of-at-least-32-characters";
const MANAGEMENT_KEY = "kill-management-key-of-at-least-32-chars";
const CLIENTS = 12;
/** Milliseconds of load between two kills: from, and up to. */
const LOAD_MS = [60, 360] as const;
/** Clients need a moment to see that their connection is gone. */
const AFTER_MS = 50;

export interface CampaignOptions {
  readonly kills: number;
  /** Environment of the store under test; TOLLGATE_DATA is set. */
  readonly env?: Readonly<Record<string, string>>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Done instead of killing the gateway: the store's server is killed, for one. */
  readonly strike?: () => Promise<void>;
  /**
   * Milliseconds that the books may take to be whole: on a shared store, what a killed instance has left open is
   * settled by another one a minute later (promises M2).
   */
  readonly settledWithin?: number;
}

export interface CampaignResult extends Verdict {
  readonly seen: readonly Seen[];
  readonly kills: number;
}

export async function campaign(options: CampaignOptions): Promise<CampaignResult> {
  const { kills, env = {}, random, strike } = options;
  const folder = await Deno.makeTempDir();
  const upstream = slowUpstream();
  const start = await starter(folder, { baseUrl: upstream.baseUrl, env });
  let gateway = await start();
  let url: string | undefined = `http://127.0.0.1:${gateway.port}`;
  const clients = startClients({ url: () => url, apiKey: API_KEY, count: CLIENTS, model: "slow/model" });
  try {
    for (let kill = 0; kill < kills; kill++) {
      // However slow the machine is: what is killed has work, and has done some.
      await until(() => clients.ended > kill, { what: "an answer that ends" });
      await pause(LOAD_MS[0] + random() * (LOAD_MS[1] - LOAD_MS[0]));
      if (strike !== undefined) {
        await strike();
        continue;
      }
      url = undefined;
      await gateway.stop();
      await pause(AFTER_MS);
      gateway = await start();
      url = `http://127.0.0.1:${gateway.port}`;
    }
    await pause(LOAD_MS[1]);
    await clients.stop();
    const keyHash = createHash("sha256").update(API_KEY).digest("hex");
    const at = `http://127.0.0.1:${gateway.port}`;
    const books = { url: at, managementKey: MANAGEMENT_KEY, keyHash };
    const verdict = await settled(() => compare(clients.seen, books), { ...options, state: gateway.state });
    return { ...verdict, seen: clients.seen, kills };
  } finally {
    url = undefined;
    await clients.stop();
    await gateway.stop();
    await upstream.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Milliseconds between two looks at the books. */
const LOOK_MS = 2_000;

interface Settling extends Pick<CampaignOptions, "settledWithin"> {
  /** Says what has become of the gateway whose books are read. */
  readonly state: () => string;
}

/**
 * Between the reading of the receipts and that of the counter another instance may settle answers that no client had
 * seen begin.
 */
const isSettled = ({ forgotten, counter, sum }: Verdict) => forgotten.length === 0 && counter === sum;

/**
 * The books, once every answer that had begun is in them, and the counter fits. A look that fails is made again as
 * long as there is time: on a busy machine a shared store may not answer for a moment.
 */
async function settled(
  look: () => Promise<Verdict>,
  { settledWithin = 0, state }: Settling,
): Promise<Verdict> {
  for (let left = settledWithin;; left -= LOOK_MS) {
    try {
      const verdict = await look();
      if (isSettled(verdict) || left <= 0) return verdict;
    } catch (cause) {
      if (left <= 0 || state() !== RUNNING) {
        throw new Error(`Cannot read the books, and the gateway ${state()}`, { cause });
      }
    }
    await pause(LOOK_MS);
  }
}

interface Started {
  readonly baseUrl: string;
  readonly env: Readonly<Record<string, string>>;
}

async function starter(folder: string, { baseUrl, env }: Started): Promise<() => Promise<StartedServer>> {
  const config = `${folder}/kill.jsonc`;
  await Deno.writeTextFile(config, JSON.stringify({ providers: [providerRow(baseUrl)] }));
  const settings = {
    TOLLGATE_DATA: `${folder}/data`,
    TOLLGATE_CONFIG: config,
    TOLLGATE_API_KEY: API_KEY,
    TOLLGATE_MANAGEMENT_KEY: MANAGEMENT_KEY,
    TOLLGATE_LOCAL: "off",
    SLOW_KEY: "sk-slow",
    LOG_LEVEL: "error",
    LOG_FORMAT: "json",
    ...env,
  };
  return () => startGateway(settings);
}
