/** Rules that are held: what a store that fails or hangs does to the tags of receipts, and what they take. */

import assert from "node:assert/strict";
import { CacheVersions } from "../../server/management/core/cache_versions.ts";
import { RULES_MS, TagRules } from "../../server/management/classifiers/tag_rules.ts";
import { createLogger } from "../../server/logger.ts";
import { createRuntime } from "../../server/runtime.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { StoreError } from "../../server/storage/stores/store.ts";
import { adminRig } from "../support/admin.ts";
import { fakeClock, turns } from "../support/clock.ts";
import { receiptWith } from "../support/receipts.ts";
import { type RunCall, wrappedStore } from "../support/wrapped_store.ts";

const conditions = [{ field: "status", operator: "equals", value: "completed" }];

/** Rules over a store whose answers a test chooses. */
async function rulesRig() {
  const state: { fate: "well" | "fails" | "hangs" } = { fate: "well" };
  const run: RunCall = async (call) => {
    if (state.fate === "fails") throw new StoreError("unavailable", "It is gone");
    if (state.fate === "hangs") await new Promise(() => {});
    return await call();
  };
  const inner = memoryStore();
  const admin = await adminRig({ store: inner });
  const clock = fakeClock();
  const lines: string[] = [];
  const log = createLogger({
    format: "json",
    level: "warn",
    now: clock.now,
    write: (line) => void lines.push(line),
  });
  const runtime = { ...createRuntime(log), clock };
  const store = wrappedStore(inner, run);
  const cacheVersions = new CacheVersions({ store, runtime });
  const rules = new TagRules({ store, runtime, cacheVersions });
  await rules.open();
  const create = async (tag: string) => {
    await admin.call("classifiers.create", { body: { name: tag, tag, conditions } });
    cacheVersions.changed("classifiers");
  };
  return { rules, state, clock, lines, create, receipt: receiptWith({ workspace_id: admin.home }) };
}

Deno.test("a receipt is tagged by the rules before where a change cannot be read, and by the new ones later", async () => {
  const { rules, state, clock, lines, create, receipt } = await rulesRig();
  assert.deepEqual(rules.tagsOf(receipt), []);
  await create("first");
  assert.deepEqual(await rules.tagsOf(receipt), ["first"]);
  assert.deepEqual(rules.tagsOf(receipt), ["first"], "at once from then on");
  await create("second");
  state.fate = "fails";
  assert.deepEqual(await rules.tagsOf(receipt), ["first"]);
  assert.match(lines.join(), /Cannot read tag rules/);
  state.fate = "hangs";
  const waiting = Promise.resolve(rules.tagsOf(receipt));
  await clock.advanceOnce(turns, RULES_MS);
  assert.deepEqual(await waiting, ["first"]);
  state.fate = "well";
  await create("third");
  assert.deepEqual(await rules.tagsOf(receipt), ["first", "second", "third"]);
});

Deno.test("rules that change while they are read are read again", async () => {
  const { rules, create, receipt } = await rulesRig();
  await create("first");
  const early = rules.tagsOf(receipt);
  await create("second");
  await early;
  assert.deepEqual(await rules.tagsOf(receipt), ["first", "second"]);
  assert.deepEqual(rules.tagsOf(receipt), ["first", "second"]);
});
