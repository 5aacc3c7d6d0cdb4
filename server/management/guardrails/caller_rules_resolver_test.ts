import assert from "node:assert/strict";
import { adminRig } from "../../../tests/support/admin.ts";
import type { ByokKey } from "../../pipeline/caller_rules.ts";
import { combinePolicies } from "./guardrail_policy.ts";
import { emptyGuardrailSettings, type GuardrailRow } from "./guardrail_rows.ts";
import { KeyCache } from "../keys/key_cache.ts";
import { CallerRulesResolver } from "./caller_rules_resolver.ts";

async function rig() {
  const admin = await adminRig();
  const { deps, store } = admin;
  const keyCache = new KeyCache({ store, clock: deps.runtime.clock });
  deps.cacheVersions.on("keys", (hash) => keyCache.changed(hash));
  const requested: string[] = [];
  const ownKeysOf = ({ hash }: { readonly hash: string }): readonly ByokKey[] => {
    requested.push(hash);
    return [];
  };
  const resolver = new CallerRulesResolver({
    store,
    keyCache,
    cacheVersions: deps.cacheVersions,
    byokKeysOf: ownKeysOf,
  });
  const { hash: keyHash } = await admin.addKey({ creator_user_id: "ann" });
  const caller = { kind: "api", keyHash, workspaceId: admin.home } as const;
  return { ...admin, resolver, caller, requested };
}

Deno.test("CallerRulesResolver answers at once for a key that is in use, until something changes", async () => {
  const { resolver, caller, requested, call, home } = await rig();
  const rules = await resolver.resolve(caller);
  assert.deepEqual(rules, { byokKeys: [] });
  assert.equal(resolver.resolve(caller), rules);
  const { data: { default_guardrail_id: id } } = await call("workspaces.get", { params: { id: home } });
  const changes = [
    () => call("guardrails.update", { params: { id }, body: { ignored_models: ["x/*"] } }),
    () => call("keys.update", { params: { hash: caller.keyHash }, body: { name: "Other" } }),
    () => call("workspaces.update", { params: { id: home }, body: { name: "Other" } }),
    () => call("byok.create", { body: { provider: "openai", key: "sk-0123456789" } }),
  ];
  for (const change of changes) {
    await change();
    const again = resolver.resolve(caller);
    assert(again instanceof Promise);
    assert.deepEqual((await again).policy?.ignoredModels, ["x/*"]);
  }
  assert.equal(requested.length, 1 + changes.length);
  await call("keys.delete", { params: { hash: caller.keyHash } });
  await assert.rejects(async () => await resolver.resolve(caller), /removed a moment ago/);
});

Deno.test("CallerRulesResolver joins the guardrails of workspace, key and member, and leaves out those of other workspaces", async () => {
  const { resolver, caller, call, home } = await rig();
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
  const first = (await resolver.resolve(caller)).policy;
  assert.deepEqual([first?.allowedModels, first?.ignoredModels], [[["a/*", "b/*"]], []]);
  await give(members, "ann");
  const { policy } = await resolver.resolve(caller);
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
  ...emptyGuardrailSettings,
  id: "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11",
  name: "x",
  workspace_id: null,
  created_at: "2026-01-14T12:00:00.000Z",
  updated_at: null,
  deleting: false,
  filters_enforced: true,
  ...changes,
});

Deno.test("combinePolicies asks nothing where nothing is asked, and lets one author's flag go before the common one", () => {
  assert.equal(combinePolicies([row({}), row({ limit_usd: 1, reset_interval: "daily" })]), undefined);
  const all = combinePolicies([row({ enforce_zdr: true, enforce_zdr_google: false })]);
  assert.deepEqual(all?.zdr, new Set(["anthropic", "openai", "xai", "other"]));
  assert.equal(combinePolicies([row({ enable_paid_model_training: false })])?.noPaidTraining, true);
  assert.equal(combinePolicies([row({ enable_free_model_training: true })]), undefined);
});
