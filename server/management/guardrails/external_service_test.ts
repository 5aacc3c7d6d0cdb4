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

const allow = "The setting fetch.allowed_hosts of the configuration file does not name";

/** Addresses that are not called, and why. */
const refusedUrls: readonly (readonly [url: string, fault: string])[] = [
  ["http://guard.example/judge", `Only https URLs can be fetched. ${allow} guard.example`],
  ["https://guard.example:8443/", `Only port 443 can be reached by https URLs. ${allow} guard.example:8443`],
  ["http://127.0.0.1:9000/", `Only https URLs can be fetched. ${allow} 127.0.0.1:9000`],
  ["https://127.0.0.1/", `127.0.0.1 is not on the public Internet. ${allow} 127.0.0.1`],
  ["https://[::1]/", `::1 is not on the public Internet. ${allow} [::1]`],
  ["https://presidio/", `presidio is not on the public Internet. ${allow} presidio`],
  ["https://guard.internal/", `guard.internal is not on the public Internet. ${allow} guard.internal`],
  ["https://ann:pass@guard.example/", "URLs with a user or a password cannot be fetched."],
];

Deno.test("an address that the settings do not allow is refused at save, and taken where they name its host", async () => {
  const { call } = await adminRig();
  const { data: { id } } = await call("guardrails.create", { body: { name: "Judged" } });
  for (const [url, fault] of refusedUrls) {
    const external = { ...service(null), url };
    const told = (verb: string) => (error: unknown) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.message, `Cannot ${verb} guardrail: external.url may not be called: ${fault}`);
      assert.deepEqual(error.details.metadata, { path: "external.url" });
      return true;
    };
    await assert.rejects(call("guardrails.create", { body: { name: "Judged", external } }), told("create"));
    await assert.rejects(call("guardrails.update", { params: { id }, body: { external } }), told("update"));
    if (!fault.includes(allow)) continue;
    const named = await adminRig({ allowedHosts: [fault.slice(fault.lastIndexOf(" ") + 1)] });
    const saved = await named.call("guardrails.create", { body: { name: "Judged", external } });
    assert.deepEqual([saved.data.external?.url, saved.warnings], [url, undefined]);
  }
});

Deno.test("a stored address that is allowed no more stays, is marked beside a variable, and is refused once it was gone", async () => {
  const url = "http://127.0.0.1:9000/";
  const rig = { allowedHosts: ["127.0.0.1:9000"], guardrailHeaders: new Set(["OTHER_TOKEN"]) };
  const { store, call: before } = await adminRig(rig);
  const external = { ...service("OTHER_TOKEN"), url };
  const { data: { id } } = await before("guardrails.create", { body: { name: "Judged", external } });
  const { call } = await adminRig({ store });
  const params = { id };
  const { data } = await call("guardrails.get", { params });
  assert.equal(data.external?.fault_at, "url");
  assert.match(data.external?.fault ?? "", /^may not be called: .*fetch\.allowed_hosts.* 127\.0\.0\.1:9000$/);
  const body = { external: { ...data.external, timeout_ms: 1_000 } };
  const saved = await call("guardrails.update", { params, body });
  assert.deepEqual(saved.warnings?.map(({ path }) => path), ["external.url", "external.header_env"]);
  assert.match(saved.warnings?.[0]?.message ?? "", /counts as failed.*external\.url may not be called/);
  const stored = (await guardrailCollection(store).get(id))?.record.external;
  assert.deepEqual([stored?.fault, stored?.fault_at, stored?.timeout_ms], [undefined, undefined, 1_000]);
  const { call: mended } = await adminRig({ store, ...rig, guardrailHeaders: new Set() });
  const variable = (await mended("guardrails.get", { params })).data.external;
  assert.deepEqual([variable?.fault_at, variable?.fault], ["header_env", fault]);
  await call("guardrails.update", { params, body: { external: null } });
  await assert.rejects(call("guardrails.update", { params, body: { external } }), /external\.url may not be/);
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
