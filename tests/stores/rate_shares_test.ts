/** Rate limits of several processes on one PostgreSQL. */

import assert from "node:assert/strict";
import { RateLimiter } from "../../server/billing/rate_limits/rate_limiter.ts";
import { RateLimitQuotas } from "../../server/billing/rate_limits/rate_limit_quotas.ts";
import { postgresStore } from "../../server/storage/stores/postgres/postgres_store.ts";
import { postgresClient } from "../../server/storage/stores/postgres/postgres_client.ts";
import { setUpPostgres } from "../../server/storage/stores/postgres/setup.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { createClock } from "../../server/runtime.ts";
import type { RateLimited } from "../../shared/rate_limits.ts";
import { storeClock } from "../support/clock.ts";
import { hasPostgres, sharedPostgres } from "../support/postgres.ts";
import { countedStore, RealWork } from "../support/real_work.ts";
import { addressOf } from "../support/store_address.ts";
import { PATIENCE_MS } from "../support/until.ts";

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const LIMIT = 90;
const limited: readonly RateLimited[] = [{
  type: "key",
  scope: "key:a",
  limits: { requests_per_minute: LIMIT, tokens_per_minute: null, concurrent_streams: null },
}];

async function opened(url: string, work: RealWork): Promise<Store> {
  const sql = await postgresClient(addressOf(url), { statementMs: PATIENCE_MS, connections: 2 });
  return countedStore(postgresStore({ sql, clock: createClock(), deadlineMs: PATIENCE_MS }), work);
}

Deno.test({
  name:
    "RateLimitQuotas on PostgreSQL give three processes one limit, and what one does not use to the others",
  ignore: !hasPostgres(),
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const url = await (await sharedPostgres()).createDatabase();
    const session = await postgresClient(addressOf(url), { statementMs: PATIENCE_MS, connections: 1 });
    await setUpPostgres(session).finally(() => session.end());
    const work = new RealWork();
    const clock = storeClock(work);
    const stores = await Promise.all([opened(url, work), opened(url, work), opened(url, work)]);
    const instances = stores.map((store, index) => {
      const shares = new RateLimitQuotas({
        store,
        runtime: { clock, id: () => `instance-${index}`, log: quiet },
      });
      return { shares, limiter: new RateLimiter({ clock, quotas: shares }) };
    });
    const started = [0, 0, 0];
    const ask = async (index: number, count: number) => {
      for (let one = 0; one < count; one++) {
        const admission = await instances[index]?.limiter.tryStart(limited, { tokens: 1, streamed: false });
        if (admission?.type !== "pass") continue;
        admission.end(1);
        started[index] = (started[index] ?? 0) + 1;
      }
    };
    // The first asks for little, the others for all they can get; each second passes on the gateways' clock.
    for (let second = 0; second < 12; second++) {
      // Commits that met others are tried again after a pause of the same clock.
      let requested = false;
      const asking = Promise.all([ask(0, 1), ask(1, 30), ask(2, 30)]).finally(() => requested = true);
      while (!requested) await clock.advance(5);
      await asking;
      await clock.advance(1_000);
    }
    const total = started.reduce((sum, count) => sum + count, 0);
    assert.ok(total <= LIMIT + 3, `${started} started under ${LIMIT}`);
    assert.ok(total >= LIMIT - 12, `${started} started under ${LIMIT}`);
    for (const { shares } of instances) await shares.close();
    for (const store of stores) await store.close();
  },
});
