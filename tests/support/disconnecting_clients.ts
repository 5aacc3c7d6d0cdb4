/**
 * Clients that leave, before a provider whose calls are counted: what must be over once the client has
 * disconnected.
 */

import assert from "node:assert/strict";
import { createReceiptReader } from "../../server/billing/ledger/journal/receipt_reader.ts";
import { type Faultd, startFaultd } from "../faultd/server.ts";
import { type Question, question, questionParts } from "./api_rig.ts";
import { asList, asObject } from "./event_stream.ts";
import { type Gateway, mockModel, providerAt, startGateway } from "./gateway.ts";
import { Line } from "./raw_client.ts";
import type { CountedClock } from "./ticking_clock.ts";
import { until } from "./until.ts";

/** Behaviours of a model's provider; a fault's name, as faultd knows them. */
export const manners = ["ok", "hang", "stall-after-3", "slow-50", "drip"] as const;
export type Manner = typeof manners[number];

export interface Leaving {
  readonly gateway: Gateway;
  readonly faultd: Faultd;
  readonly open: () => Promise<Line>;
  /** A question of a key whose spending is limited, to a model with a price. */
  readonly ask: (manner: Manner, preference?: Question) => string;
  readonly parts: (manner: Manner, preference?: Question) => { readonly head: string; readonly body: string };
  /** The statuses of the receipts so far, in the order in which the requests ended. */
  readonly endings: () => Promise<readonly string[]>;
  /** Fails when a call of a provider's is not over, or money stays reserved. */
  readonly quiet: () => Promise<void>;
}

const pricing = { prompt: "0.000001", completion: "0.000002" } as const;

export interface LeavingOptions {
  readonly clock?: CountedClock;
  readonly limits?: Readonly<Record<string, number>>;
}

/** Runs a test; afterwards everything that it began is over, and the next request is answered. */
export async function withLeaving(
  test: (rig: Leaving) => Promise<void>,
  { clock, limits }: LeavingOptions = {},
): Promise<void> {
  const faultd = await startFaultd();
  try {
    const models = manners.map((manner) => ({
      ...mockModel,
      id: `mock/${manner}`,
      upstream_id: manner,
      pricing,
      max_output_tokens: 1_000,
    }));
    await using gateway = await startGateway({
      providers: [providerAt(faultd.url, { models })],
      clock,
      limits,
    });
    const apiKey = await gateway.addKey({ kind: "api", limit: 100 });
    const caller = { port: gateway.port, apiKey };
    const rig: Leaving = {
      gateway,
      faultd,
      open: () => Line.open(gateway.port),
      ask: (manner, preference) => question(caller, { ...preference, model: `mock/${manner}` }),
      parts: (manner, preference) => questionParts(caller, { ...preference, model: `mock/${manner}` }),
      endings: () => endingsOf(gateway),
      quiet: () => quiet(gateway, { faultd, apiKey }),
    };
    try {
      await test(rig);
      await rig.quiet();
    } catch (error) {
      // What has not ended by itself would keep the gateway from stopping.
      await faultd.close();
      throw error;
    }
    await assertServes(rig);
    assert.deepEqual(gateway.logged.filter((line) => line.includes('"level":"error"')), []);
  } finally {
    await faultd.close();
  }
}

async function assertServes({ open, ask }: Leaving): Promise<void> {
  await using line = await open();
  await line.send(ask("ok"));
  const { status, text } = await line.reply();
  assert.equal(status, 200, text);
}

async function endingsOf({ logged, ledger, store }: Gateway): Promise<readonly string[]> {
  await ledger.caughtUp();
  const ended = logged.map((line) => asObject(JSON.parse(line))).filter(({ message }) =>
    message === "Request ended"
  );
  const receipts = await Promise.all(
    ended.map(({ generation }) => createReceiptReader(store).receipt(String(generation))),
  );
  return receipts.map((receipt) => receipt?.status ?? "no receipt");
}

interface Quiet {
  readonly faultd: Faultd;
  readonly apiKey: string;
}

async function quiet(gateway: Gateway, { faultd, apiKey }: Quiet): Promise<void> {
  await until(() => faultd.open() === 0, { what: "the end of every upstream call" });
  await until(async () => await held(gateway, apiKey) === 0, { what: "that no money is set aside" });
}

/** USD that are reserved for calls of this key. */
async function held({ url, ledger }: Gateway, apiKey: string): Promise<number> {
  await ledger.flush();
  const response = await fetch(`${url}/v1/route/explain`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "mock/ok", input: "Hi", max_output_tokens: 5 }),
  });
  const { reservation } = asObject(await response.json());
  const limits = asList(asObject(reservation).limits).map(asObject);
  assert.equal(limits.length, 1);
  return limits.reduce((sum, { reserved_usd }) => sum + Number(reserved_usd), 0);
}

/** How many files and sockets this process holds; none where the system does not tell. */
export function handles(): number {
  if (Deno.build.os !== "linux") return 0;
  // Reading the folder itself would need every permission that there is.
  const { stdout } = new Deno.Command("ls", { args: [`/proc/${Deno.pid}/fd`] }).outputSync();
  return new TextDecoder().decode(stdout).split("\n").length;
}
