import assert from "node:assert/strict";
import type { ConsoleApi } from "../../api.ts";
import { NewKeyModel } from "./new_key.ts";

const WORKSPACE = "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11";
const OTHER = "1b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11";
const NOW = Date.UTC(2026, 10, 2);

interface Call {
  readonly path: string;
  readonly body?: unknown;
  readonly params?: unknown;
  readonly idempotencyKey?: unknown;
}

/** As much of the API as the model calls. */
function asApi(fake: unknown): Pick<ConsoleApi, "call"> {
  return fake as Pick<ConsoleApi, "call">;
}

/** Answers with a key of the hash `h1` and two guardrails; fails what `fails` says. */
function rig(fails: (path: string) => boolean = () => false) {
  const calls: Call[] = [];
  const guardrails = [
    { id: "g1", name: "Everywhere", workspace_id: null },
    { id: "g2", name: "Of the other", workspace_id: OTHER },
  ];
  const call = ({ method, path }: { readonly method: string; readonly path: string }, input: Call) => {
    if (method === "GET") return Promise.resolve({ data: guardrails, total_count: guardrails.length });
    const { body, params, idempotencyKey } = input;
    calls.push({ path, body, params, idempotencyKey });
    if (fails(path)) return Promise.reject(new Error(`no ${path}`));
    return Promise.resolve({ data: { hash: "h1" }, key: "tg-api-1" });
  };
  const api = asApi({ call });
  let now = NOW;
  const model = new NewKeyModel({
    api,
    clock: { now: () => now, after: () => () => {} },
    workspaceId: WORKSPACE,
  });
  const wait = (ms: number) => {
    now += ms;
  };
  return { model, calls, wait };
}

const LIMITS = "/keys/:hash/rate-limits";
const ASSIGN = "/guardrails/:id/assignments/keys";
const rates = { requests_per_minute: "1,200", tokens_per_minute: "", concurrent_streams: "4" };

Deno.test("NewKeyModel gives a key its guardrail, rate limits and expiry at once", async () => {
  const { model, calls } = rig();
  await model.guardrails.load();
  model.type({ name: "ci", guardrailId: "g1", expires: "30", rates });
  await model.create();
  assert.deepEqual(calls.map(({ path }) => path), ["/keys", ASSIGN, LIMITS]);
  const [made, assigned, limited] = calls;
  assert.match(JSON.stringify(made?.body), /"expires_at":"2026-12-02T00:00:00\.000Z"/);
  assert.deepEqual(assigned?.params, { id: "g1" });
  assert.deepEqual(assigned?.body, { key_hashes: ["h1"] });
  assert.deepEqual(limited?.body, {
    requests_per_minute: 1_200,
    tokens_per_minute: null,
    concurrent_streams: 4,
  });
  assert.equal(model.made.value?.key, "tg-api-1");
  assert.deepEqual(model.missing.value, []);
});

Deno.test("NewKeyModel sends the same body and idempotency key again after a lost answer", async () => {
  let lost = true;
  const { model, calls, wait } = rig(() => lost);
  model.type({ name: "ci", expires: "7" });
  await model.create();
  assert.equal(model.refusal.value?.message, "no /keys");
  wait(60_000);
  lost = false;
  await model.create();
  assert.equal(model.made.value?.key, "tg-api-1");
  const [first, second] = calls;
  assert.equal(calls.length, 2);
  assert.match(JSON.stringify(first?.body), /"expires_at":"2026-11-09T00:00:00\.000Z"/);
  assert.deepEqual(second, first);
});

Deno.test("NewKeyModel calls nothing more for a key without guardrail and rate limits", async () => {
  const { model, calls } = rig();
  model.type({ name: "ci" });
  await model.create();
  assert.deepEqual(calls.map(({ path }) => path), ["/keys"]);
});

Deno.test("NewKeyModel sends nothing while a rate limit is no number", async () => {
  const { model, calls } = rig();
  model.type({ name: "ci", rates: { ...rates, tokens_per_minute: "many" } });
  await model.create();
  assert.deepEqual(calls, []);
  assert.equal(model.made.value, undefined);
});

Deno.test("NewKeyModel tells what a new key has not got, and gives that alone when asked again", async () => {
  let broken = true;
  const { model, calls } = rig((path) => broken && path === ASSIGN);
  await model.guardrails.load();
  model.type({ name: "ci", guardrailId: "g1", rates });
  await model.create();
  assert.equal(model.made.value?.key, "tg-api-1", "the key is there, and its text is shown");
  assert.deepEqual(model.missing.value.map(({ part, error }) => [part, error.message]), [
    ["guardrail", `no ${ASSIGN}`],
  ]);
  calls.length = 0;
  await model.giveMissing();
  assert.equal(model.missing.value.length, 1);
  broken = false;
  await model.giveMissing();
  assert.deepEqual(model.missing.value, []);
  assert.deepEqual(calls.map(({ path }) => path), [ASSIGN, ASSIGN]);
});

Deno.test("NewKeyModel offers the guardrails of the chosen workspace and drops those of another", async () => {
  const { model, calls } = rig();
  await model.guardrails.load();
  const names = () => model.choices.value.map(({ name }) => name);
  assert.deepEqual(names(), ["Everywhere"]);
  model.type({ name: "ci", workspaceId: OTHER, guardrailId: "g2" });
  assert.deepEqual(names(), ["Everywhere", "Of the other"]);
  assert.equal(model.guardrailId.value, "g2");
  model.type({ workspaceId: WORKSPACE });
  assert.equal(model.guardrailId.value, undefined);
  await model.create();
  assert.deepEqual(calls.map(({ path }) => path), ["/keys"]);
});

Deno.test("NewKeyModel ends a key at the day and time (UTC) that are chosen, and nowhere in the past", async () => {
  const { model, calls } = rig();
  const moments = [
    ["", "12:00", "Choose a date and a time."],
    ["2026-11-02", "", "Choose a date and a time."],
    ["2026-11-02", "00:00", "2 Nov 2026, 00:00 UTC is past. Choose a moment in the future."],
    ["2026-11-01", "23:59", "1 Nov 2026, 23:59 UTC is past. Choose a moment in the future."],
  ] as const;
  model.type({ name: "ci", expires: "date" });
  for (const [expiryDate, expiryTime, problem] of moments) {
    model.type({ expiryDate, expiryTime });
    await model.create();
    assert.equal(model.problems.value.expiry, problem);
  }
  assert.deepEqual(calls.map(({ path }) => path), []);
  model.type({ expiryDate: "2026-11-02", expiryTime: "00:01" });
  await model.create();
  assert.match(JSON.stringify(calls[0]?.body), /"expires_at":"2026-11-02T00:01:00\.000Z"/);
});

Deno.test("NewKeyModel keeps a chosen day for the choice of a date alone", async () => {
  const { model, calls } = rig();
  model.type({ name: "ci", expires: "date", expiryDate: "2020-01-01" });
  assert.notEqual(model.problems.value.expiry, undefined);
  model.type({ expires: "never" });
  assert.equal(model.problems.value.expiry, undefined);
  await model.create();
  assert.match(JSON.stringify(calls[0]?.body), /"expires_at":null/);
});
