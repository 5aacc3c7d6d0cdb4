import assert from "node:assert/strict";
import { byokApi } from "../../../shared/management/byok.ts";
import { ApiError } from "../../../shared/errors.ts";
import { adminRig } from "../../../tests/support/admin.ts";
import { orphansIn } from "../../../tests/support/leftover_records.ts";
import { byokCollection, byokEncryptionContext, maskKey } from "./byok_rows.ts";
import { ByokKeys } from "./byok_keys.ts";

const SECRET = "sk-canary-4f1d2c3b5a697887";
const refused = (words: RegExp) => (error: unknown) => error instanceof ApiError && words.test(error.message);

Deno.test("maskKey shows the word in front and three characters, of short keys nothing", () => {
  assert.equal(maskKey(SECRET), "sk-...887");
  assert.equal(maskKey("AIzaSyA-0123456789"), "...789");
  assert.equal(maskKey("short"), "...");
  assert.equal(maskKey('{"private_key":"x"}'), "{...}");
});

Deno.test("byok keys are made, changed, rotated and deleted, and their text is nowhere to be seen", async () => {
  const { call, deps, home, store } = await adminRig();
  const answers: unknown[] = [];
  const { data: made } = await call("byok.create", {
    body: { provider: "openai", key: SECRET, name: "Mine" },
  });
  assert.equal(made.workspace_id, home);
  assert.equal(made.label, "sk-...887");
  assert.equal(made.sort_order, 0);
  const { data: second } = await call("byok.create", { body: { provider: "openai", key: `${SECRET}2` } });
  assert.equal(second.sort_order, 1);
  const { data: everywhere } = await call("byok.create", {
    body: { provider: "openai", key: SECRET, workspace_id: null },
  });
  assert.equal(everywhere.workspace_id, null);
  const params = { id: made.id };
  assert.deepEqual((await call("byok.update", { params, body: {} })).data, made);
  const { data: off } = await call("byok.update", { params, body: { disabled: true } });
  assert.deepEqual(off, { ...made, disabled: true });
  const rotated = await call("byok.update", { params, body: { key: "sk-canary-another-secret" } });
  assert.equal(rotated.data.label, "sk-...ret");
  const row = (await byokCollection(store).get(made.id))?.record;
  assert(row);
  assert.equal(await deps.vault.decrypt(row.sealed, byokEncryptionContext(row)), "sk-canary-another-secret");
  answers.push(made, second, rotated, await call("byok.list"), await call("byok.get", { params }));
  const held = ["byok", "audit", "vault", "epochs"].map((name) => store.list([name], { limit: 1_000 }));
  const seen = JSON.stringify([answers, await Promise.all(held)]);
  assert(!seen.includes("canary-"), "a key was seen");
  assert.equal(
    (await call("byok.list", { query: { provider: "openai", workspace_id: home } })).total_count,
    2,
  );
  assert.deepEqual(await call("byok.delete", { params }), { deleted: true });
  await assert.rejects(call("byok.get", { params }), refused(/no provider key/));
  await assert.rejects(call("byok.get", { params: { id: "x" } }), refused(/UUID/));
});

Deno.test("byok.create refuses what cannot be, and never repeats the key", async () => {
  const { body } = byokApi["byok.create"];
  const wrong: readonly object[] = [
    { key: "" },
    { key: "with space" },
    { key: "sch\u00f6n" },
    { key: "{not json" },
    { provider: "Open AI" },
    { allowed_api_key_hashes: [] },
    { allowed_api_key_hashes: ["x"] },
    { allowed_models: Array.from({ length: 101 }, () => "m") },
    { name: "x".repeat(256) },
    { sort_order: 1 },
  ];
  for (const change of wrong) {
    const { success } = body.safeParse({ provider: "openai", key: SECRET, ...change });
    assert.equal(success, false, JSON.stringify(change).slice(0, 60));
  }
  const { call, addKey } = await adminRig();
  const make = (changes: object) =>
    call("byok.create", { body: { provider: "openai", key: SECRET, ...changes } });
  await assert.rejects(make({ is_byok_only: true, is_fallback: true }), refused(/is_byok_only/));
  await assert.rejects(make({ allowed_api_key_hashes: ["0".repeat(64)] }), refused(/no API key/));
  await assert.rejects(make({ workspace_id: crypto.randomUUID() }), refused(/workspace_id/));
  const { hash } = await addKey({});
  const { data: { id } } = await make({ is_fallback: true, allowed_api_key_hashes: [hash] });
  const params = { id };
  await assert.rejects(
    call("byok.update", { params, body: { is_byok_only: true } }),
    refused(/is_byok_only/),
  );
});

Deno.test("ByokKeys gives a key those of its workspace, in their order, and follows changes", async () => {
  const { call, addKey, deps, store } = await adminRig();
  const { data: lab } = await call("workspaces.create", { body: { name: "Lab", slug: "lab" } });
  const [mine, other] = [await addKey({ creator_user_id: "ann" }), await addKey({ workspace_id: lab.id })];
  const make = async (changes: object) => {
    const body = { provider: "openai", key: SECRET, ...changes };
    return (await call("byok.create", { body })).data.id;
  };
  const first = await make({});
  const all = await make({ workspace_id: null, is_fallback: true });
  const forMine = await make({ allowed_api_key_hashes: [mine.hash] });
  const forBob = await make({ allowed_user_ids: ["bob"] });
  await make({ disabled: true });
  const seen: string[] = [];
  const keyed = ({ key }: { readonly key: string }) => {
    seen.push(key);
    return () => undefined;
  };
  const own = new ByokKeys({ ...deps, store, withByokKey: keyed });
  const idsOf = async (key: typeof mine) => (await own.of(key)).map(({ id }) => id);
  assert.deepEqual(new Set(await idsOf(mine)), new Set([first, all, forMine]));
  assert.deepEqual(await idsOf(other), [all]);
  assert.deepEqual(seen.length, 4, "each is decrypted once");
  const { data: next } = await call("keys.rotate", { params: { hash: mine.hash }, body: {} });
  const successor = { ...mine, hash: next.hash, ledger_id: mine.hash };
  assert.deepEqual(new Set(await idsOf(successor)), new Set([first, all, forMine]));
  const forNext = await make({ allowed_api_key_hashes: [next.hash] });
  const { data: last } = await call("keys.rotate", { params: { hash: next.hash }, body: {} });
  const third = { ...successor, hash: last.hash };
  assert.deepEqual(
    new Set(await idsOf(third)),
    new Set([first, all, forMine, forNext]),
    "a middle key names all",
  );
  await call("keys.delete", { params: { hash: next.hash } });
  assert((await idsOf(third)).includes(forNext), "and does so when it is gone");
  assert(!(await idsOf({ ...other, workspace_id: mine.workspace_id })).includes(forNext));
  const bob = { ...mine, creator_user_id: "bob", hash: "f".repeat(64) };
  assert.deepEqual(new Set(await idsOf(bob)), new Set([first, all, forBob]));
  await call("byok.update", { params: { id: first }, body: { disabled: true } });
  assert(!(await idsOf(mine)).includes(first));
});

Deno.test("a workspace's provider keys go with it", async () => {
  const { call, store } = await adminRig();
  const { data: { id } } = await call("workspaces.create", { body: { name: "Lab", slug: "lab" } });
  await call("byok.create", { body: { provider: "openai", key: SECRET, workspace_id: id } });
  await call("byok.create", { body: { provider: "openai", key: SECRET, workspace_id: null } });
  await call("workspaces.delete", { params: { id } });
  assert.equal((await call("byok.list")).total_count, 1);
  assert.deepEqual(await orphansIn(store), []);
});
