/** All stores, put through the same random life, answer the same. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { fakeClock } from "../support/clock.ts";
import { hasPostgres, sharedPostgres } from "../support/postgres.ts";
import { addressOf } from "../support/store_address.ts";
import { createClock } from "../../server/runtime.ts";
import { openPostgres } from "../../server/storage/stores/postgres/open_postgres.ts";
import { denoKvStore } from "../../server/storage/stores/embedded/deno_kv_store.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import type { Store, StoreKey } from "../../server/storage/stores/store.ts";
import { assertProperty } from "../support/property.ts";

const part = fc.oneof(
  fc.constantFrom("", "a", "ab", "b\u0000", "é", "\uffee", "🦊"),
  fc.integer({ min: -2, max: 3 }),
  fc.constantFrom(0.5, 1e9),
);
const key = fc.tuple(fc.constantFrom("p", "q"), fc.array(part, { maxLength: 2 })).map((
  [first, rest],
): StoreKey => [first, ...rest]);
const value = fc.oneof(
  fc.integer(),
  fc.string({ maxLength: 5 }),
  fc.constant("x".repeat(61_000)),
  fc.constant({ é: "🦊".repeat(20_000) }),
  fc.uint8Array({ maxLength: 3 }),
);

/** `fresh`: the check names the version that the key has at that moment; else one that it had never. */
const check = fc.record({ key, fresh: fc.boolean() });

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("commit" as const),
      checks: fc.array(check, { maxLength: 2 }),
      puts: fc.array(fc.record({ key, value }), { maxLength: 3 }),
      deletes: fc.array(key, { maxLength: 2 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("get" as const), keys: fc.array(key, { maxLength: 12 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("list" as const),
      prefix: key,
      after: fc.option(key, { nil: undefined }),
      reverse: fc.boolean(),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Result of a step, without versions, which differ; a refusal is its kind. */
async function outcome(store: Store, step: Step): Promise<unknown> {
  try {
    return await act(store, step);
  } catch (error) {
    return error instanceof Error && "kind" in error ? error.kind : error;
  }
}

async function act(store: Store, step: Step): Promise<unknown> {
  if (step.type === "get") {
    return (await store.getMany(step.keys)).map((entry) => entry && [entry.key, entry.value]);
  }
  if (step.type === "list") {
    return (await store.list(step.prefix, step)).map((entry) => [entry.key, entry.value]);
  }
  const stale = "00000000000000000000";
  const checks = await Promise.all(step.checks.map(async ({ key, fresh }) => ({
    key,
    version: fresh ? (await store.get(key))?.version ?? null : stale,
  })));
  return (await store.commit({ checks, puts: step.puts, deletes: step.deletes })).type;
}

Deno.test("memoryStore and denoKvStore answer every sequence of operations alike", async () => {
  await assertProperty(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const memory = memoryStore();
      const kv = denoKvStore({ kv: await Deno.openKv(":memory:"), clock: fakeClock() });
      try {
        for (const one of steps) assert.deepEqual(await outcome(kv, one), await outcome(memory, one));
      } finally {
        await kv.close();
      }
    }),
    { numRuns: 60 },
  );
});

Deno.test({
  name: "memoryStore and postgresStore answer every sequence of operations alike",
  ignore: !hasPostgres(),
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const runtime = { clock: createClock(), randomToken: () => "instance" };
    const shared = await openPostgres(addressOf(await (await sharedPostgres()).createDatabase()), {
      runtime,
    });
    await assertProperty(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const memory = memoryStore();
        for (const prefix of ["p", "q"]) {
          const left = await shared.list([prefix], { limit: 1_000 });
          await shared.commit({ deletes: [[prefix], ...left.map(({ key }) => key)] });
        }
        for (const one of steps) assert.deepEqual(await outcome(shared, one), await outcome(memory, one));
      }),
      { numRuns: 60 },
    );
    await shared.close();
  },
});
