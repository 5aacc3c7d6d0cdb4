/** The console offers every field that the operations take, or its test says why not. */

import assert from "node:assert/strict";
import type { KeyRecord } from "../../../shared/keys.ts";
import { managementApi } from "../../../shared/management/api.ts";
import type { ConsoleApi } from "../../api.ts";
import { bulkKinds } from "../../text/key_bulk.ts";
import { KeyBulkModel } from "./key_bulk.ts";
import { KeyEditModel } from "./key_edit.ts";
import { NewKeyModel } from "./new_key.ts";

const NOW = Date.UTC(2026, 10, 2);
const WORKSPACE = "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11";

const record: KeyRecord = {
  hash: "ab".repeat(32),
  name: "doc-intake",
  label: "tg-api-...m2Z",
  disabled: false,
  limit: null,
  limit_remaining: null,
  limit_reset: null,
  include_byok_in_limit: false,
  usage: 0,
  usage_daily: 0,
  usage_weekly: 0,
  usage_monthly: 0,
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_weekly: 0,
  byok_usage_monthly: 0,
  created_at: "2026-11-02T09:08:07.006Z",
  updated_at: null,
  expires_at: null,
  creator_user_id: null,
  workspace_id: WORKSPACE,
  external_user: null,
  cache_enabled: false,
  cache_ttl_seconds: null,
};

const clock = { now: () => NOW, after: () => () => {} };
/** Each field of the forms, as no key has it by itself. */
const changed = {
  name: "other",
  limit: "40",
  reset: "weekly",
  byok: true,
  cache: true,
  cacheSeconds: "60",
  disabled: true,
  expires: "30",
} as const;

/** As much of the API as the models call: it keeps the bodies that it is sent. */
function asApi(fake: unknown): Pick<ConsoleApi, "call" | "callWithTag"> {
  return fake as Pick<ConsoleApi, "call" | "callWithTag">;
}

function rig() {
  const bodies: unknown[] = [];
  const call = (_: unknown, { body }: { readonly body?: unknown }) => {
    if (body !== undefined) bodies.push(body);
    return Promise.resolve({ data: record, key: "tg-api-1" });
  };
  const callWithTag = async (...sent: Parameters<typeof call>) => ({
    body: await call(...sent),
    etag: undefined,
  });
  return { bodies, api: asApi({ call, callWithTag }) };
}

function namesOf(fields: unknown): readonly string[] {
  assert(typeof fields === "object" && fields !== null);
  return Object.keys(fields).toSorted();
}

Deno.test("the panel of a key changes every field that the operation takes", async () => {
  const { api, bodies } = rig();
  const model = new KeyEditModel(record.hash, { api, known: record, onChange: () => {} });
  await model.record.load();
  model.type(changed);
  const fields = namesOf(managementApi["keys.update"].body.shape);
  assert.equal(model.changes.value.length, fields.length, "each stands beside the button");
  assert.equal(await model.save(), true);
  assert.deepEqual(bodies.map(namesOf), [fields]);
});

/** Fields of a new key that the form has not got. */
const notInForm: ReadonlyMap<string, string> = new Map([
  ["creator_user_id", "names a person of other systems, for scripts that make keys"],
  ["external", "client secrets alone make keys for users elsewhere"],
  ["external_user", "client secrets alone make keys for users elsewhere"],
  ["external_api_key", "client secrets alone make keys for users elsewhere"],
  ["self_test", "the doctor makes such keys"],
]);

Deno.test("the form for a new key has every field that the operation takes", async () => {
  const { api, bodies } = rig();
  const model = new NewKeyModel({ api, clock, workspaceId: WORKSPACE });
  model.type(changed);
  await model.create();
  const fields = namesOf(managementApi["keys.create"].body.shape);
  assert.deepEqual(bodies.map(namesOf), [fields.filter((name) => !notInForm.has(name))]);
});

/** Fields that many keys can be given, and the dialog gives to none. */
const notTogether: ReadonlyMap<string, string> = new Map([
  ["include_byok_in_limit", "a limit is set for many keys as it is, whatever counts towards each"],
]);

Deno.test("the dialog for several keys changes every field that the operation takes", () => {
  const model = new KeyBulkModel({
    api: rig().api,
    clock,
    keys: [record],
    kind: "limit",
    onChange: () => {},
  });
  model.type(changed);
  const given = new Set<string>();
  for (const kind of bulkKinds) {
    model.choose(kind);
    for (const name of namesOf(model.changes.value ?? {})) given.add(name);
    const [row] = model.preview.value;
    assert.equal(row?.before === row?.after, kind === "guardrail" || kind === "enable", kind);
  }
  const fields = namesOf(managementApi["keys.update_many"].body.shape.changes.shape);
  assert.deepEqual([...given].sort(), fields.filter((name) => !notTogether.has(name)));
});

/** Drafts for the response cache, each with its body, its preview and whether it can be sent. */
const caching = [
  [{}, { cache_enabled: true, cache_ttl_seconds: null }, "cached as long as usual", true],
  [{ cacheSeconds: "60" }, { cache_enabled: true, cache_ttl_seconds: 60 }, "cached for 60 s", true],
  [{ cacheSeconds: "0" }, { cache_enabled: true, cache_ttl_seconds: null }, "cached as long as usual", false],
  [{ cache: false }, { cache_enabled: false }, "not cached", false],
  [{ cache: false, cacheSeconds: "x" }, { cache_enabled: false }, "not cached", false],
] as const;

for (const [typed, body, after, canSend] of caching) {
  Deno.test(`the dialog for several keys takes ${JSON.stringify(typed)} for the response cache`, () => {
    const { api } = rig();
    const model = new KeyBulkModel({ api, clock, keys: [record], kind: "cache", onChange: () => {} });
    model.type(typed);
    assert.deepEqual(model.changes.value, body);
    assert.deepEqual(model.preview.value.map((row) => [row.before, row.after]), [["not cached", after]]);
    assert.equal(model.canSend.value, canSend);
  });
}
