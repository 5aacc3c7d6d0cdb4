/** The fields of a key: each is in every place that makes, changes or shows keys, or the documentation says that it is not. */

import assert from "node:assert/strict";
import * as z from "zod";
import { describeTools } from "../../server/api/mcp/mcp_tools.ts";
import { keyDetailsSchema } from "../../shared/keys.ts";
import { auditRowSchema } from "../../shared/management/audit.ts";
import { keyApi, listedKeySchema } from "../../shared/management/keys.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, manage, managed } from "../support/manage.ts";

const ofCreate = Object.keys(keyApi["keys.create"].body.shape);
const ofUpdate = Object.keys(keyApi["keys.update"].body.shape);
const ofBulk = Object.keys(keyApi["keys.update_many"].body.shape.changes.shape);

/** Other spellings of `external_user`, and the text of a key, which no record has. */
const noSettings: ReadonlySet<string> = new Set(["external", "external_api_key"]);
const settings = [...new Set([...ofCreate, ...ofUpdate, ...ofBulk])].filter((name) => !noSettings.has(name));

function ofTool(name: string): readonly string[] {
  const manager = { kind: "management", keyHash: "", workspaceId: "" } as const;
  const tool = describeTools(manager).find((one) => one.name === name);
  return Object.keys(tool?.inputSchema.properties ?? {});
}

/** Columns of the table of docs/keys-and-workspaces.md, and the fields that each really has. */
const places: ReadonlyMap<string, readonly string[]> = new Map([
  ["`POST /v1/keys`", ofCreate],
  ["`create_key`", ofTool("create_key")],
  ["`PATCH /v1/keys/{hash}`", ofUpdate],
  ["`PATCH /v1/keys`", ofBulk],
  ["`GET /v1/keys`", Object.keys(listedKeySchema.shape)],
  ["`GET /v1/key`", Object.keys(keyDetailsSchema.shape)],
]);

const cellsOf = (line: string) => line.split("|").slice(1, -1).map((cell) => cell.trim());

/** Places of each field, as the page has them. */
async function documented(): Promise<ReadonlyMap<string, readonly string[]>> {
  const page = await Deno.readTextFile(new URL("../../docs/keys-and-workspaces.md", import.meta.url));
  const lines = page.slice(page.indexOf("| field |")).split("\n\n")[0]?.split("\n") ?? [];
  const [head = "", , ...rows] = lines;
  const [, ...columns] = cellsOf(head);
  assert.deepEqual(columns, [...places.keys()]);
  return new Map(rows.flatMap((line) => {
    const [names = "", ...cells] = cellsOf(line);
    assert(cells.every((cell) => cell === "yes" || cell === "–"), line);
    const here = columns.filter((_, at) => cells[at] === "yes");
    return [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => [name, here] as const);
  }));
}

Deno.test("the page says of every field of a key which call takes it and which shows it", async () => {
  const page = await documented();
  assert.deepEqual([...page.keys()].sort(), settings.toSorted());
  for (const name of settings) {
    const here = [...places].flatMap(([place, fields]) => fields.includes(name) ? [place] : []);
    assert.deepEqual(page.get(name), here, name);
  }
  assert.deepEqual(ofTool("update_key").toSorted(), ["abort", "hash", ...ofUpdate].toSorted());
});

/** Values that no new key has by itself. */
const made = {
  limit: 5,
  limit_reset: "daily",
  include_byok_in_limit: true,
  cache_enabled: true,
  cache_ttl_seconds: 60,
  expires_at: "2100-01-01T00:00:00.000Z",
  creator_user_id: "ada",
};

/** Others, as far as keys are changed together. */
const changed = {
  limit: 7,
  limit_reset: "weekly",
  include_byok_in_limit: false,
  cache_enabled: false,
  cache_ttl_seconds: 90,
  expires_at: "2101-01-01T00:00:00.000Z",
};

const pick = (record: unknown, like: Json) =>
  Object.fromEntries(Object.keys(like).map((name) => [name, asObject(record)[name]]));

/** A key as it is shown, by the place that shows keys. */
async function shown(gateway: Gateway, { key, hash }: { readonly key: string; readonly hash: string }) {
  const mine = (rows: unknown) => asList(rows).find((row) => asObject(row).hash === hash);
  const file = await manage(gateway, { call: "GET /keys/export?format=jsonl" });
  const lines = (await file.text()).trimEnd().split("\n").map((line): unknown => JSON.parse(line));
  const [entry] = z.array(auditRowSchema).parse((await managed(gateway, { call: "GET /audit" })).body.data);
  return {
    record: (await managed(gateway, { call: `GET /keys/${hash}` })).body.data,
    list: mine((await managed(gateway, { call: "GET /keys" })).body.data),
    "list by cursor": mine((await managed(gateway, { call: "GET /keys?sort=name" })).body.data),
    export: mine(lines),
    audit: entry?.after,
    "GET /key": (await managed(gateway, { call: "GET /key", token: key })).body.data,
  };
}

Deno.test("every place that shows keys shows what was set, alone and together", async () => {
  await using gateway = await startGateway();
  const { record, key } = await createKey(gateway, made);
  assert.deepEqual(pick(record, made), made);
  for (const [place, one] of Object.entries(await shown(gateway, { key, hash: record.hash }))) {
    assert.deepEqual(pick(one, made), made, place);
  }
  const changes = { ...changed, disabled: false, guardrail_id: null };
  assert.deepEqual(Object.keys(changes).toSorted(), ofBulk.toSorted());
  const call = { call: "PATCH /keys", body: { hashes: [record.hash], changes } };
  const [outcome] = keyApi["keys.update_many"].output.parse((await managed(gateway, call)).body).data;
  assert.deepEqual(pick(outcome?.key, changed), changed);
  for (const [place, one] of Object.entries(await shown(gateway, { key, hash: record.hash }))) {
    assert.deepEqual(pick(one, changed), changed, place);
  }
});
