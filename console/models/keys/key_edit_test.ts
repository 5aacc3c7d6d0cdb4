import assert from "node:assert/strict";
import type { KeyRecord } from "../../../shared/keys.ts";
import { ApiFailure, type ConsoleApi } from "../../api.ts";
import { KeyEditModel } from "./key_edit.ts";

const record: KeyRecord = {
  hash: "ab".repeat(32),
  name: "doc-intake",
  label: "tg-api-...m2Z",
  disabled: false,
  limit: 250,
  limit_remaining: 37.94,
  limit_reset: "monthly",
  include_byok_in_limit: false,
  usage: 900,
  usage_daily: 8,
  usage_weekly: 50,
  usage_monthly: 212.06,
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_weekly: 0,
  byok_usage_monthly: 18.2,
  created_at: "2026-11-02T09:08:07.006Z",
  updated_at: null,
  expires_at: null,
  creator_user_id: null,
  workspace_id: "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11",
  external_user: null,
  cache_enabled: false,
  cache_ttl_seconds: null,
};

interface Call {
  readonly body?: unknown;
  readonly ifMatch?: string;
}

/** Answers `keys.get` with the record and `keys.update` as the test says. */
function apiOf(update: (call: Call) => KeyRecord) {
  const calls: Call[] = [];
  const callWithTag = (row: { readonly method: string }, call: Call) => {
    if (row.method === "GET") return Promise.resolve({ body: { data: record }, etag: '"v1"' });
    calls.push(call);
    return new Promise((resolve, reject) => {
      try {
        resolve({ body: { data: update(call) }, etag: '"v2"' });
      } catch (error) {
        reject(error);
      }
    });
  };
  return { calls, api: asApi({ callWithTag }) };
}

/** As much of the API as the model calls. */
function asApi(fake: unknown): Pick<ConsoleApi, "call" | "callWithTag"> {
  return fake as Pick<ConsoleApi, "call" | "callWithTag">;
}

async function opened(update: (call: Call) => KeyRecord) {
  const { api, calls } = apiOf(update);
  const shown: number[] = [];
  const model = new KeyEditModel(record.hash, {
    api,
    known: record,
    onChange: ({ limit }) => shown.push(limit ?? 0),
  });
  await model.record.load();
  return { model, calls, shown };
}

Deno.test("a change is said before it is sent, is sent alone with the version it is based on, and shows at once", async () => {
  const { model, calls, shown } = await opened(({ body }) => ({ ...record, ...Object(body) }));
  assert.deepEqual([model.changes.value, model.canSave.value], [[], false]);
  model.type({ limit: "320" });
  assert.deepEqual(model.changes.value, [{ label: "Limit", before: "$250.00", after: "$320.00" }]);
  const saving = model.save();
  assert.equal(shown.at(-1), 320);
  assert.equal(await saving, true);
  assert.deepEqual(calls, [{ params: { hash: record.hash }, body: { limit: 320 }, ifMatch: '"v1"' }]);
  assert.deepEqual([model.saved.value?.limit, model.changes.value], [320, []]);
});

Deno.test("a save before the newest was read reads it first, and names its version", async () => {
  const { api, calls } = apiOf(({ body }) => ({ ...record, ...Object(body) }));
  const model = new KeyEditModel(record.hash, { api, known: record, onChange: () => {} });
  model.type({ limit: "320" });
  assert.equal(await model.save(), true);
  assert.deepEqual(calls, [{ params: { hash: record.hash }, body: { limit: 320 }, ifMatch: '"v1"' }]);
  assert.deepEqual([model.saved.value?.limit, model.changes.value], [320, []]);
});

Deno.test("a refused change is taken back, stays typed, and says why", async () => {
  const { model, shown } = await opened(() => {
    const metadata = { error_type: "conflict", conflict: true };
    throw new ApiFailure(new Response(null, { status: 400 }), {
      error: { message: "Changed by somebody else.", metadata },
    });
  });
  model.type({ limit: "320", name: "renamed" });
  assert.equal(await model.save(), false);
  assert.equal(shown.at(-1), 250);
  assert.equal(model.refusal.value?.message, "Changed by somebody else.");
  assert.equal(model.isConflict.value, true);
  assert.equal(model.draft.value?.limit, "320");
  model.discard();
  assert.deepEqual([model.draft.value?.limit, model.refusal.value], ["250.00", undefined]);
});

Deno.test("what is no amount and an empty name are said and cannot be saved", async () => {
  const { model } = await opened(() => record);
  model.type({ limit: "75,00" });
  assert.match(model.limitProblem.value ?? "", /75,00 is not an amount/);
  assert.equal(model.canSave.value, false);
  model.type({ limit: "", name: " " });
  assert.equal(model.limitProblem.value, undefined);
  assert.match(model.nameProblem.value ?? "", /name/);
  assert.equal(model.canSave.value, false);
});

/** Fields that are typed, and the body that is sent; undefined: it cannot be saved. */
const caching = [
  [{ cache: true }, { cache_enabled: true }],
  [{ cache: true, cacheSeconds: "77" }, { cache_enabled: true, cache_ttl_seconds: 77 }],
  [{ cache: true, cacheSeconds: "86,400" }, { cache_enabled: true, cache_ttl_seconds: 86_400 }],
  [{ cache: true, cacheSeconds: " " }, { cache_enabled: true }],
  [{ cache: true, cacheSeconds: "0" }, undefined],
  [{ cache: true, cacheSeconds: "86401" }, undefined],
  [{ cache: true, cacheSeconds: "1.5" }, undefined],
  [{ cache: false, cacheSeconds: "junk" }, undefined],
  [{ cache: false, cacheSeconds: "junk", name: "new" }, { name: "new" }],
] as const;

Deno.test("wishes for the response cache are sent where they changed, and seconds only where they show", async () => {
  for (const [typed, body] of caching) {
    const { model, calls } = await opened(({ body }) => ({ ...record, ...Object(body) }));
    model.type(typed);
    assert.equal(await model.save(), body !== undefined, JSON.stringify(typed));
    assert.deepEqual(calls.map((call) => call.body), body === undefined ? [] : [body], JSON.stringify(typed));
  }
  const { model } = await opened(() => record);
  model.type({ cache: true, cacheSeconds: "77" });
  assert.deepEqual(model.changes.value, [
    { label: "Cache responses", before: "no", after: "yes" },
    { label: "Kept for, in seconds", before: "as usual", after: "77" },
  ]);
});
