/** A start that warms up leaves the same as one that does not. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { bearer } from "./support/bad_credentials.ts";
import { started } from "./support/program.ts";

const MANAGEMENT_KEY = "management-key-of-at-least-32-characters";

/** Lists in which requests leave something, receipts and alerts among them. */
const LISTS = ["/v1/receipts", "/v1/activity", "/v1/alerts"];

const rowsSchema = z.array(z.object({ k: z.instanceof(Uint8Array) }));
const messageSchema = z.object({ level: z.string(), message: z.string() });

/** The first part of each row's key in the embedded store. */
function kindsOfRows(folder: string): readonly string[] {
  const database = new DatabaseSync(`${folder}/kv.sqlite3`, { readOnly: true });
  try {
    const rows = rowsSchema.parse(database.prepare("SELECT k FROM kv").all());
    return [...new Set(rows.map(({ k }) => /[\w-]+/.exec(new TextDecoder().decode(k))?.[0] ?? ""))].sort();
  } finally {
    database.close();
  }
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) names.push(name);
  return names.sort();
}

/** Counters and histograms that have counted something, besides the process itself and the ledger's own commits. */
const COUNTED = /^(?!process_|\w*(?:commit|loop))\w+_(?:total|count)(?:\{[^}]*\})? (?!0$)/gm;

async function get(address: string, path: string): Promise<string> {
  const response = await fetch(`${address}${path}`, { headers: bearer(MANAGEMENT_KEY) });
  assert.equal(response.status, 200, path);
  return await response.text();
}

/** Everything that a start leaves: at its interfaces, in its log and on its disk. */
async function leftBy(warmUp: "on" | "off") {
  const folder = await Deno.makeTempDir();
  try {
    const { address, stop } = await started({
      TOLLGATE_DATA: folder,
      TOLLGATE_MANAGEMENT_KEY: MANAGEMENT_KEY,
      TOLLGATE_WARM_UP: warmUp,
      TOLLGATE_ACCESS_LOG: "on",
      LOG_LEVEL: "debug",
    });
    const counted = (await get(address, "/metrics")).match(COUNTED)?.sort();
    const lists = await Promise.all(LISTS.map((list) => get(address, list)));
    const { code, log } = await stop();
    assert.equal(code, 0, log);
    const lines = log.trim().split("\n").map((line) => messageSchema.parse(JSON.parse(line)));
    const said = lines.map(({ level, message }) => `${level} ${message}`).sort();
    return { counted, lists, said, files: await filesIn(folder), rows: kindsOfRows(folder) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a start that warms up leaves no receipt, metric, line, alert or file of it", async () => {
  const [warm, cold] = [await leftBy("on"), await leftBy("off")];
  assert.ok(cold.said.length > 0 && cold.rows.length > 0);
  assert.deepEqual(warm, cold);
});
