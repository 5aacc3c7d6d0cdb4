import assert from "node:assert/strict";
import { adminRig } from "../../../tests/support/admin.ts";
import { toNanoUsd, ZERO } from "../../../shared/money.ts";
import { keyScope } from "../keys/key_rows.ts";
import { workspaceScope } from "../budgets/limit_resolver.ts";
import { attentionOperations } from "./attention_operations.ts";

const DAY_MS = 86_400_000;
const nano = (usd: number) => toNanoUsd(Math.round(usd * 1e9));

const spending = (usd: number) => {
  const sum = { cost: nano(usd), byok: ZERO };
  return { daily: sum, weekly: sum, monthly: sum, lifetime: sum };
};

/** Operations over a store of keys with limits, of which each has spent so much. */
async function rig() {
  const admin = await adminRig();
  const spent = new Map<string, number>();
  const deps = {
    ...admin.deps,
    ledger: {
      ...admin.deps.ledger,
      readSpend: (scope: string) => Promise.resolve(spending(spent.get(scope) ?? 0)),
    },
  };
  const operations = attentionOperations(deps);
  const read = async (workspace_id?: string) => {
    const input = { query: { workspace_id }, params: {}, caller: admin.caller, requestId: "r" };
    return (await operations["attention.get"](toInput(input))).data;
  };
  const standings = async () => {
    const input = { query: undefined, params: {}, caller: admin.caller, requestId: "r" };
    return (await operations["attention.workspaces"](toInput(input))).data;
  };
  const setBudget = (interval: string, limit_usd: number) =>
    admin.call("budgets.set", { params: { id: "default", interval }, body: { limit_usd } });
  return { ...admin, spent, read, standings, setBudget };
}

const toInput = <Input>(input: object) => input as Input;

Deno.test("attention.get counts keys by what is left, names five of each, and leaves out those that are off", async () => {
  const { addKey, spent, read, clock, home } = await rig();
  const inDays = (days: number) => new Date(clock.now() + days * DAY_MS).toISOString();
  for (let at = 0; at < 7; at++) {
    const row = await addKey({ name: `spent ${at}`, limit: nano(at + 1) });
    spent.set(keyScope(row), at + 1);
  }
  const nearly = await addKey({ name: "nearly", limit: nano(10), limit_reset: "daily" });
  spent.set(keyScope(nearly), 9);
  spent.set(keyScope(await addKey({ name: "half", limit: nano(10) })), 5);
  spent.set(keyScope(await addKey({ name: "off", limit: nano(1), disabled: true })), 1);
  await addKey({ name: "closed", limit: nano(0) });
  await addKey({ name: "soon", expires_at: inDays(6) });
  await addKey({ name: "sooner", expires_at: inDays(1) });
  await addKey({ name: "later", expires_at: inDays(8) });
  await addKey({ name: "over", expires_at: inDays(-1) });
  const { keys } = await read();
  const names = (group: "reached" | "nearly" | "expiring") => keys[group].first.map(({ name }) => name);
  assert.equal(keys.reached.count, 8);
  assert.deepEqual(names("reached"), [6, 5, 4, 3, 2].map((at) => `spent ${at}`));
  assert.deepEqual([keys.nearly.count, names("nearly")], [1, ["nearly"]]);
  assert.deepEqual(names("expiring"), ["sooner", "soon"]);
  assert.equal((await read(home)).keys.reached.count, 8);
  assert.equal((await read("0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11")).keys.reached.count, 0);
});

Deno.test("attention.get names budgets that are reached or nearly so", async () => {
  const { setBudget, spent, read, home } = await rig();
  await setBudget("daily", 5);
  await setBudget("weekly", 5.5);
  await setBudget("monthly", 100);
  spent.set(workspaceScope(home), 5.2);
  const { budgets } = await read();
  const shown = (group: "reached" | "nearly") =>
    budgets[group].first.map(({ interval, limit_remaining }) => [interval, limit_remaining]);
  assert.deepEqual(shown("reached"), [["daily", 0]]);
  assert.deepEqual(shown("nearly"), [["weekly", 0.3]]);
});

Deno.test("attention.workspaces counts active keys, and shows budgets with what is spent of them", async () => {
  const { addKey, spent, standings, home, setBudget } = await rig();
  const ofHome = async () => (await standings()).find(({ workspace_id }) => workspace_id === home);
  const before = (await ofHome())?.active_keys ?? NaN;
  await addKey({ name: "on" });
  await addKey({ name: "off", disabled: true });
  await setBudget("daily", 5);
  await setBudget("monthly", 20);
  spent.set(workspaceScope(home), 7);
  const own = await ofHome();
  assert.equal(own?.active_keys, before + 1);
  assert.deepEqual(own?.budgets, [
    { interval: "daily", limit: 5, spent: 7 },
    { interval: "monthly", limit: 20, spent: 7 },
  ]);
});
