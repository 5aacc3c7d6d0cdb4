/** Rows that were written before there was a rate limit are read as rows without it. */

import assert from "node:assert/strict";
import { eachRateLimit, type RateLimitName, rateLimitNames } from "../../shared/rate_limits.ts";
import { rateQuotaRowSchema } from "../../server/billing/rate_limits/rate_quota_division.ts";
import { keyCollection, newKeyRow } from "../../server/management/keys/key_rows.ts";
import { workspaceCollection } from "../../server/management/workspaces/workspace_rows.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";

const workspaceId = "00000000-0000-4000-8000-000000000001";
const written = "2026-11-21T00:00:00.000Z";

/** A number for each limit but one. */
const without = (left: RateLimitName) =>
  Object.fromEntries(Object.entries(eachRateLimit(() => 5)).filter(([name]) => name !== left));

for (const name of rateLimitNames) {
  const limits = { ...eachRateLimit(() => 5), [name]: null };

  Deno.test(`a key's row without ${name} is one without that limit`, async () => {
    const store = memoryStore();
    const keys = keyCollection(store);
    const row = newKeyRow({ kind: "api", token: "sk-old", name: "old", workspaceId }, 0);
    await store.commit({
      puts: [{ key: keys.key([row.hash]), value: { ...row, rate_limits: without(name) } }],
    });
    assert.deepEqual((await keys.get(row.hash))?.record.rate_limits, limits);
  });

  Deno.test(`a workspace's row without ${name} is one without that limit`, async () => {
    const store = memoryStore();
    const workspaces = workspaceCollection(store);
    const row = {
      id: workspaceId,
      name: "Old",
      slug: "old",
      created_by: null,
      created_at: written,
      updated_at: null,
    };
    const value = { ...row, rate_limits: without(name) };
    await store.commit({ puts: [{ key: workspaces.key([workspaceId]), value }] });
    assert.deepEqual((await workspaces.get(workspaceId))?.record.rate_limits, limits);
  });

  Deno.test(`a process that does not know ${name} holds none of it`, () => {
    const held = without(name);
    const { holders } = rateQuotaRowSchema.parse({ holders: { old: { beat: 1, held, asked: held } } });
    assert.deepEqual(holders.old?.held, { ...eachRateLimit(() => 5), [name]: 0 });
  });
}
