import assert from "node:assert/strict";
import { ApiError } from "../../../shared/errors.ts";
import { adminRig } from "../../../tests/support/admin.ts";
import { guardrailCollection } from "./guardrail_rows.ts";

const service = (header_env: string | null) => ({
  type: "http" as const,
  url: "https://guard.example/judge",
  header_env,
});
const fault = "is OTHER_TOKEN, which the setting fetch.header_env of the configuration file does not name";
const refusedFor = (verb: string) => (error: unknown) => {
  assert.ok(error instanceof ApiError);
  assert.equal(error.kind, "invalid_request");
  assert.equal(error.message, `Cannot ${verb} guardrail: external.header_env ${fault}`);
  assert.deepEqual(error.details.metadata, { path: "external.header_env" });
  return true;
};
const guardrailHeaders: ReadonlySet<string> = new Set(["GUARD_TOKEN"]);

Deno.test("a variable that the settings do not name is refused when a guardrail is created or changed", async () => {
  const { call } = await adminRig({ guardrailHeaders });
  const body = { name: "Judged", external: service("OTHER_TOKEN") };
  await assert.rejects(call("guardrails.create", { body }), refusedFor("create"));
  for (const header_env of ["GUARD_TOKEN", null]) {
    const { data: { id, external }, warnings } = await call("guardrails.create", {
      body: { name: "Judged", external: service(header_env) },
    });
    assert.deepEqual([external?.header_env, external?.fault, warnings], [header_env, undefined, undefined]);
    const changed = { params: { id }, body: { external: service("OTHER_TOKEN") } };
    await assert.rejects(call("guardrails.update", changed), refusedFor("update"));
    assert.deepEqual((await call("guardrails.get", { params: { id } })).data.external, external);
  }
});

Deno.test("a stored variable that the settings name no more stays, is marked, and is refused once it was gone", async () => {
  const { store, call: before } = await adminRig({ guardrailHeaders: new Set(["OTHER_TOKEN"]) });
  const { data: { id } } = await before("guardrails.create", {
    body: { name: "Judged", external: service("OTHER_TOKEN") },
  });
  const { call } = await adminRig({ store, guardrailHeaders });
  const params = { id };
  const { data } = await call("guardrails.get", { params });
  assert.equal(data.external?.fault, fault);
  const listed = await call("guardrails.list", {});
  assert.equal(listed.data.find((one) => one.id === id)?.external?.fault, fault);
  const sentBack = { ...data.external, timeout_ms: 1_000 };
  const saved = await call("guardrails.update", { params, body: { external: sentBack } });
  assert.deepEqual([saved.data.external?.timeout_ms, saved.data.external?.fault], [1_000, fault]);
  assert.deepEqual(saved.warnings?.map(({ path }) => path), ["external.header_env"]);
  assert.match(saved.warnings?.[0]?.message ?? "", /counts as failed.* setting fetch\.header_env/);
  const stored = await guardrailCollection(store).get(id);
  assert.equal(Object.hasOwn(stored?.record.external ?? {}, "fault"), false);
  const renamed = await call("guardrails.update", { params, body: { name: "Judged still" } });
  assert.equal(renamed.data.external?.header_env, "OTHER_TOKEN");
  await call("guardrails.update", { params, body: { external: null } });
  const again = { params, body: { external: service("OTHER_TOKEN") } };
  await assert.rejects(call("guardrails.update", again), refusedFor("update"));
});

Deno.test("a test of a guardrail says that its service is not asked", async () => {
  const { call } = await adminRig();
  const fields = { content_filters: [{ pattern: "a", action: "flag" }] };
  for (const [external, told] of [[service(null), "not_asked"], [null, null]] as const) {
    for (const filters of [{}, fields]) {
      const body = { name: "Judged", external, ...filters };
      const { data: { id } } = await call("guardrails.create", { body });
      for (const direction of ["input", "output"] as const) {
        const tried = { params: { id }, body: { text: "abc", direction } };
        assert.equal((await call("guardrails.test", tried)).data.external, told);
      }
    }
  }
});
