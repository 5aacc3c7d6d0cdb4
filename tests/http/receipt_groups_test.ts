/** Tests `GET /receipts/groups`: what users, sessions, applications, presets and tags have cost, from receipts. */

import assert from "node:assert/strict";
import { type Gateway, mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";

const pricing = { prompt: "0.000001", completion: "0.000002" };
const hostile = '<img src=x onerror=alert(1)> \u202ereversed =cmd()"';

async function ask(gateway: Gateway, body: object, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "mock/model", input: "Hi", ...body }),
  });
  await answer.text();
}

interface Group {
  readonly name: string | null;
  readonly at: string;
  readonly requests: number;
  readonly cost: number;
}

async function groups(gateway: Gateway, query: string) {
  const { status, body } = await managed(gateway, { call: `GET /receipts/groups?${query}` });
  const rows: readonly Group[] = Array.isArray(body.data) ? body.data : [];
  return { status, rows, next: body.next, scannedUntil: body.scanned_until };
}

Deno.test("receipts are summed by user, session and application, and those without one together", async () => {
  await using upstream = scripted(says("responses", "Hello there"));
  const providers = [providerAt(upstream.baseUrl, { models: [{ ...mockModel, pricing }] })];
  await using gateway = await startGateway({ providers });
  await ask(gateway, { user: "ada", session_id: "s-1" }, { "x-title": "Desk" });
  await ask(gateway, { user: "ada", session_id: "s-2" }, { "x-title": "Desk" });
  await ask(gateway, { user: hostile });
  await ask(gateway, {});
  const cases = [
    ["user", [["ada", 2], [hostile, 1], [null, 1]]],
    ["session_id", [["s-1", 1], ["s-2", 1], [null, 2]]],
    ["app_title", [["Desk", 2], [null, 2]]],
  ] as const;
  for (const [by, expected] of cases) {
    const { rows, next, scannedUntil } = await groups(gateway, `by=${by}`);
    const counted = new Map(rows.map(({ name, requests }) => [name, requests]));
    assert.deepEqual(counted, new Map(expected), by);
    assert(Math.abs(rows.reduce((sum, { cost }) => sum + cost, 0) - 4 * rowCost(rows)) < 1e-9);
    assert(rows.every(({ at }) => at.endsWith("T00:00:00.000Z")), "a day is the usual span");
    assert.deepEqual([next, scannedUntil], [null, null]);
  }
  const { rows } = await groups(gateway, "by=user&user=ada&span_seconds=60");
  assert.deepEqual([...new Set(rows.map(({ name }) => name))], ["ada"]);
  const early = await groups(gateway, "by=user&until=2020-01-01T00:00:00Z");
  assert.deepEqual(early.rows, []);
});

/** USD of one request: all are alike. */
const rowCost = (rows: readonly Group[]): number => (rows[0]?.cost ?? 0) / (rows[0]?.requests ?? 1);

Deno.test("more receipts than a slice holds are summed call by call, each once", async () => {
  await using upstream = scripted(says("responses", "Hello there"));
  const providers = [providerAt(upstream.baseUrl, { models: [{ ...mockModel, pricing }] })];
  await using gateway = await startGateway({ providers });
  const { key } = await createKey(gateway, { limit: 0 });
  for (let at = 0; at < 40; at++) await ask(gateway, { user: `user ${at % 4}` });
  for (let at = 0; at < 3; at++) await ask({ ...gateway, apiKey: key }, { user: "refused" });
  const counted = new Map<string | null, number>();
  let before = "";
  do {
    const page = await groups(
      gateway,
      `by=user&before=${encodeURIComponent(before)}`.replace(/&before=$/, ""),
    );
    assert.equal(page.status, 200);
    for (const { name, requests } of page.rows) counted.set(name, (counted.get(name) ?? 0) + requests);
    before = page.next === null ? "" : String(page.next);
  } while (before !== "");
  for (const name of ["user 0", "user 1", "user 2", "user 3"]) assert.equal(counted.get(name), 10);
  assert.equal(counted.get("refused"), 3);
});

Deno.test("receipts are summed by preset, and count for each of their tags", async () => {
  await using upstream = scripted(says("responses", "Hello there"));
  const providers = [providerAt(upstream.baseUrl, { models: [{ ...mockModel, pricing }] })];
  await using gateway = await startGateway({ providers });
  const rules = [["ada", "user_id", "ada"], ["brief", "preset", "brief"], [
    "both",
    "preset",
    "brief",
  ]] as const;
  for (const [tag, field, value] of rules) {
    const body = { name: tag, tag, conditions: [{ field, operator: "equals", value }] };
    assert.equal((await managed(gateway, { call: "POST /observability/classifiers", body })).status, 201);
  }
  const saved = { instructions: "Be brief." };
  assert.equal((await managed(gateway, { call: "POST /presets/brief/responses", body: saved })).status, 200);
  await ask(gateway, { preset: "brief", user: "ada" });
  await ask(gateway, { preset: "brief" });
  await ask(gateway, { user: "ada" });
  await ask(gateway, {});
  const cases = [
    ["by=preset", [["brief", 2], [null, 2]]],
    ["by=tag", [["ada", 2], ["brief", 2], ["both", 2], [null, 1]]],
    ["by=tag&preset=brief", [["ada", 1], ["brief", 2], ["both", 2]]],
    ["by=tag&tag=ada", [["ada", 2], ["brief", 1], ["both", 1]]],
    ["by=preset&preset=brie", []],
  ] as const;
  for (const [query, expected] of cases) {
    const { rows } = await groups(gateway, query);
    const counted = new Map(rows.map(({ name, requests }) => [name, requests]));
    assert.deepEqual(counted, new Map<string | null, number>(expected), query);
    for (const { requests, cost } of rows) assert(Math.abs(cost - requests * rowCost(rows)) < 1e-9, query);
  }
});

Deno.test("a grouping that is none is refused", async () => {
  await using gateway = await startGateway();
  for (const query of ["by=model", "by=constructor", "by=user&span_seconds=1", "by=user&before=x"]) {
    assert.equal((await groups(gateway, query)).status, 400, query);
  }
});
