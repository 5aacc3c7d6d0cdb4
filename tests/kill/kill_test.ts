/**
 * The gateway killed under load: every answer whose end a client saw is in the books exactly once, what was under
 * way is found as interrupted, and the counters are the sum of the receipts (promises M4).
 */

import assert from "node:assert/strict";
import { hasPostgres, startPostgres, startPostgresPair } from "../support/postgres.ts";
import { campaign, type CampaignResult } from "./campaign.ts";
import { seed } from "../support/seed.ts";
import { seeded } from "../fuzz/random.ts";

/** TOLLGATE_TEST_KILLS says how many; the gate's small count where it is not set. */
const all = Deno.env.get("TOLLGATE_TEST_ALL") === "1";
const kills = Number(Deno.env.get("TOLLGATE_TEST_KILLS") ?? (all ? 20 : 5));

function assertBooks(result: CampaignResult): void {
  const { seen, receipts, interrupted, lost, doubled, differing, forgotten, counter, sum } = result;
  const ended = seen.filter(({ terminal }) => terminal).length;
  console.log(
    `${result.kills} kills: ${ended} answers ended at clients, ${seen.length - ended} broke off; ` +
      `${receipts} receipts, ${interrupted} interrupted; ${lost.length} lost, ${doubled.length} doubled; ` +
      `counter ${counter}, sum of receipts ${sum} nano-USD`,
  );
  assert.ok(ended > result.kills, "answers ended between the kills");
  assert.deepEqual({ lost, doubled, differing, forgotten }, {
    lost: [],
    doubled: [],
    differing: [],
    forgotten: [],
  });
  assert.equal(counter, sum);
}

Deno.test("M4 kill -9 under load loses and doubles nothing, embedded store", async () => {
  assertBooks(await campaign({ kills, random: seeded(seed).next }));
});

/** A killed instance is taken over a minute after its last sign of life; others look every ten seconds. */
const TAKEN_OVER_MS = 120_000;

Deno.test("M4 kill -9 under load loses and doubles nothing, PostgreSQL", async () => {
  if (!hasPostgres()) return;
  const server = await startPostgres();
  try {
    const env = { TOLLGATE_STORE: await server.createDatabase() };
    assertBooks(await campaign({ kills, random: seeded(seed).next, env, settledWithin: TAKEN_OVER_MS }));
  } finally {
    await server.stop();
  }
});

Deno.test("M4 a primary killed and its standby promoted under load loses and doubles nothing", async () => {
  if (!hasPostgres()) return;
  const pair = await startPostgresPair();
  try {
    await pair.primary.query("create database ledger");
    const strike = async () => {
      await pair.primary.kill();
      await pair.standby.promote();
      await pair.standby.query("alter system reset synchronous_standby_names");
      await pair.standby.query("select pg_reload_conf()");
    };
    const env = { TOLLGATE_STORE: pair.url("ledger") };
    assertBooks(
      await campaign({ kills: 1, random: seeded(seed).next, env, strike, settledWithin: TAKEN_OVER_MS }),
    );
  } finally {
    await pair.stop();
  }
});
