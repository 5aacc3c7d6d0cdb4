import assert from "node:assert/strict";
import { adminRig } from "../../../tests/support/admin.ts";
import type { OwnKey } from "../../pipeline/caller_rules.ts";
import { policyFrom } from "./guardrail_policy.ts";
import { blankSettings, type GuardrailRow } from "./guardrail_rows.ts";
import { KeyRing } from "../keys/key_cache.ts";
import { RuleBook } from "./caller_rules_resolver.ts";

async function rig() {
  const admin = await adminRig();
  const { deps, store } = admin;
  const keys = new KeyRing({ store, clock: deps.world.clock });
  deps.epochs.on("keys", (hash) => keys.changed(hash));
  const asked: string[] = [];
  const ownKeysOf = ({ hash }: { readonly hash: string }): readonly OwnKey[] => {
    asked.push(hash);
    return [];
  };
  const book = new RuleBook({ store, keys, epochs: deps.epochs, ownKeysOf });
  const { hash: keyHash } = await admin.addKey({ creator_user_id: "ann" });
  const caller = { kind: "api", keyHash, workspaceId: admin.home } as const;
  return { ...admin, book, caller, asked };
}

Deno.test("RuleBook answers at once for a key that is in use, until something changes", async () => {
  const { book, caller, asked, call, home } = await rig();
  const rules = await book.rulesOf(caller);
  assert.deepEqual(rules, { ownKeys: [] });
  assert.equal(book.rulesOf(caller), rules);
  const { data: { default_guardrail_id: id } } = await call("workspaces.get", { params: { id: home } });
  const changes = [
    () => call("guardrails.update", { params: { id }, body: { ignored_models: ["x/*"] } }),
    () => call("keys.update", { params: { hash: caller.keyHash }, body: { name: "Other" } }),
    () => call("workspaces.update", { params: { id: home }, body: { name: "Other" } }),
    () => call("byok.create", { body: { provider: "openai", key: "sk-0123456789" } }),
  ];
  for (const change of changes) {
    await change();
    const again = book.rulesOf(caller);
    assert(again instanceof Promise);
    assert.deepEqual((await again).policy?.ignoredModels, ["x/*"]);
  }
  assert.equal(asked.length, 1 + changes.length);
  await call("keys.delete", { params: { hash: caller.keyHash } });
  await assert.rejects(async () => await book.rulesOf(caller), /removed a moment ago/);
});

Deno.test("RuleBook joins the guardrails of workspace, key and member, and leaves out those of other workspaces", async () => {
  const { book, caller, call, home } = await rig();
  const { data: lab } = await call("workspaces.create", { body: { name: "Lab", slug: "lab" } });
  const make = async (body: object) =>
    (await call("guardrails.create", { body: { name: "x", ...body } })).data.id;
  const own = await make({ allowed_models: ["a/*", "b/*"], enforce_zdr_openai: true });
  const members = await make({
    allowed_models: ["b/*", "c/*"],
    ignored_providers: ["p"],
    workspace_id: null,
  });
  const foreign = await make({ ignored_models: ["*"], workspace_id: lab.id });
  const give = (id: string, user: string) =>
    call("guardrails.assignments.members.add", { params: { id }, body: { member_user_ids: [user] } });
  await call("guardrails.assignments.keys.add", {
    params: { id: own },
    body: { key_hashes: [caller.keyHash] },
  });
  await give(foreign, "ann");
  const { data: { default_guardrail_id: id } } = await call("workspaces.get", { params: { id: home } });
  await call("guardrails.update", { params: { id }, body: { enforce_zdr_google: true } });
  const first = (await book.rulesOf(caller)).policy;
  assert.deepEqual([first?.allowedModels, first?.ignoredModels], [[["a/*", "b/*"]], []]);
  await give(members, "ann");
  const { policy } = await book.rulesOf(caller);
  assert.deepEqual(policy, {
    allowedModels: [["a/*", "b/*"], ["b/*", "c/*"]],
    ignoredModels: [],
    allowedProviders: [],
    ignoredProviders: ["p"],
    zdr: new Set(["google", "openai"]),
    noPaidTraining: false,
    noFreeTraining: false,
    regions: [],
  });
});

const row = (changes: Partial<GuardrailRow>): GuardrailRow => ({
  ...blankSettings,
  id: "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11",
  name: "x",
  workspace_id: null,
  created_at: "2026-01-14T12:00:00.000Z",
  updated_at: null,
  deleting: false,
  ...changes,
});

Deno.test("policyFrom asks nothing where nothing is asked, and lets one author's flag go before the common one", () => {
  assert.equal(policyFrom([row({}), row({ limit_usd: 1, reset_interval: "daily" })]), undefined);
  const all = policyFrom([row({ enforce_zdr: true, enforce_zdr_google: false })]);
  assert.deepEqual(all?.zdr, new Set(["anthropic", "openai", "xai", "other"]));
  assert.equal(policyFrom([row({ enable_paid_model_training: false })])?.noPaidTraining, true);
  assert.equal(policyFrom([row({ enable_free_model_training: true })]), undefined);
});
