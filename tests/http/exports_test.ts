/** Lists as files over HTTP: the same rows as the lists, and texts that no table program runs. */

import assert from "node:assert/strict";
import { asList, asObject } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, manage, managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";
import { call, pricedAt } from "../money/rig.ts";

const NAME = '=cmd|" /C calc"!A0, <script>';

/** A list, its export, and the query of both. */
const exports = [
  { list: "GET /keys?workspace_id=all&limit=100", file: "GET /keys/export?workspace_id=all", name: "keys" },
  { list: "GET /receipts?limit=100", file: "GET /receipts/export?q=", name: "receipts" },
  { list: "GET /audit?limit=100", file: "GET /audit/export?actor=", name: "audit" },
  {
    list: "POST /analytics/query",
    file: "POST /analytics/export?",
    name: "analytics",
    body: { metrics: ["request_count", "total_usage"], dimensions: ["model"], granularity: "day" },
  },
] as const;

async function download(
  gateway: Gateway,
  { file, body }: { readonly file: string; readonly body?: unknown },
) {
  const response = await manage(gateway, { call: file, body });
  assert.equal(response.status, 200, file);
  assert.equal(response.headers.get("content-type"), "application/octet-stream");
  const disposition = response.headers.get("content-disposition") ?? "";
  return { text: await response.text(), disposition };
}

Deno.test("POST /analytics/export names keys beside their hashes", async () => {
  await using upstream = scripted(says("chat", "Hello there."));
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const { key, record: { hash } } = await createKey(gateway, { name: NAME });
  for (const apiKey of [key, gateway.apiKey]) await (await call(gateway, { key: apiKey })).text();
  const body = { metrics: ["total_usage"], dimensions: ["api_key_id", "model"] };
  const file = "POST /analytics/export?";
  const { text } = await download(gateway, { file: `${file}&format=jsonl`, body });
  const rows = text.trimEnd().split("\n").map((line) => asObject(JSON.parse(line)));
  const names = new Map(rows.map(({ api_key_id, api_key_name }) => [api_key_id, api_key_name]));
  assert.deepEqual([names.size, names.get(hash)], [2, NAME]);
  const csv = await download(gateway, { file, body });
  assert.match(csv.text, /^api_key_id,model,api_key_name,total_usage\r\n/);
  assert.doesNotMatch(csv.text, /(^|,)"?=/m);
});

for (const one of exports) {
  const body = "body" in one ? one.body : undefined;
  Deno.test(`${one.file.split("?")[0]} has the rows of its list`, async () => {
    await using upstream = scripted(says("chat", "Hello there."));
    await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
    const { key } = await createKey(gateway, { name: NAME });
    await (await call(gateway, { key })).text();
    await gateway.ledger.caughtUp();
    // Sums of use are read in the background, and are there with the second list.
    await managed(gateway, { call: "GET /keys?sort=last_used" });
    const answer = (await managed(gateway, { call: one.list, body })).body.data;
    const rows = asList(Array.isArray(answer) ? answer : asObject(answer).data);
    assert(rows.length > 0);
    const lines = await download(gateway, { file: `${one.file}&format=jsonl`, body });
    assert.match(lines.disposition, new RegExp(`${one.name}-\\d{4}-\\d\\d-\\d\\d\\.jsonl`));
    assert.deepEqual(lines.text.trimEnd().split("\n").map((line) => JSON.parse(line)), rows);
    const csv = await download(gateway, { file: one.file, body });
    assert.match(csv.disposition, /\.csv/);
    const [head = "", ...others] = csv.text.trimEnd().split("\r\n");
    assert.equal(others.length, rows.length);
    const columns = head.split(",");
    for (const row of rows) {
      assert.deepEqual(Object.keys(asObject(row)).filter((name) => !columns.includes(name)), []);
    }
    assert.doesNotMatch(csv.text, /(^|,)"?=/m);
    const { status, body: refused } = await managed(gateway, { call: `${one.file}&format=xls`, body });
    assert.equal(status, 400);
    assert.match(String(asObject(refused.error).message), /csv.*jsonl/);
  });
}
