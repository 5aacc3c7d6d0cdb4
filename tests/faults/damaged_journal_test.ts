/** One damaged journal batch: everything else goes on, and anyone who can see it says so. */

import assert from "node:assert/strict";
import { startGateway } from "../../server/start.ts";
import { readConfig } from "../../server/config/config.ts";
import { gatewayUrl } from "../../server/config/startup_texts.ts";
import { batchKey, decodeBatch, JOURNAL_ROWS } from "../../server/ledger/journal/journal_batch.ts";
import { bookCheck } from "../../server/ledger/journal/verify_books.ts";
import { providerSettings } from "../../server/providers/mod.ts";
import { checkStore } from "../../server/stores/commands/check_store.ts";
import { backupStore } from "../../server/stores/commands/store_commands.ts";
import { createRuntime } from "../../server/runtime.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import { until } from "../support/until.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A data folder, and gateways on it one after another. */
async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function started(folder: string) {
  const all: Readonly<Record<string, string>> = {
    TOLLGATE_DATA: folder,
    PORT: "0",
    TOLLGATE_API_KEY: "chosen-by-the-operator-0123456789-api",
    TOLLGATE_MANAGEMENT_KEY: "chosen-by-the-operator-0123456789-mgmt",
    TOLLGATE_CONFIG: "test.jsonc",
  };
  const file = { models: [], aliases: {}, limits: {} };
  const config = readConfig({
    env: (name) => all[name],
    readFile: () => JSON.stringify(file),
    terminal: false,
  }, providerSettings);
  const runtime = { ...createRuntime(silent), clock: tickingClock() };
  const running = await startGateway({ config, runtime });
  const call = async (
    path: string,
    { key = "API", body }: { readonly key?: string; readonly body?: unknown } = {},
  ) => {
    const response = await fetch(gatewayUrl(running) + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${all[`TOLLGATE_${key}_KEY`]}`, "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: response.status, body: asObject(await response.json()) };
  };
  return { running, call };
}

/** Changes one byte of a stored batch that holds a receipt. */
async function damage(folder: string, seqOf: (seqs: readonly number[]) => number): Promise<void> {
  const kv = await Deno.openKv(`${folder}/kv.sqlite3`);
  const entries = await Array.fromAsync(kv.list<Uint8Array>({ prefix: [JOURNAL_ROWS, "own"] }));
  const closing = entries.filter(({ key, value }) =>
    decodeBatch({ key: key.map(String), value, version: "" }).entries.some(({ type }) => type === "close")
  );
  const key = [...batchKey("own", seqOf(closing.map(({ key }) => Number(key[2]))))];
  const { value } = await kv.get<Uint8Array>(key);
  assert(value);
  const harmed = value.slice();
  // A digit for another one: what is read would fit every schema.
  const at = harmed.findLastIndex((byte, place) => place < harmed.length - 8 && byte >= 0x30 && byte <= 0x38);
  harmed[at] = (harmed[at] ?? 0) + 1;
  await kv.set(key, harmed);
  kv.close();
}

const journalIn = ({ details }: Json) => details === undefined ? undefined : asObject(details).journal;
const inference = { body: { model: "local/echo", input: "Hi" } };

for (
  const [which, seqOf] of Object.entries({
    oldest: (seqs: readonly number[]) => seqs[0] ?? 0,
    newest: (seqs: readonly number[]) => seqs.at(-1) ?? 0,
  })
) {
  Deno.test(`a damaged journal batch loses its own receipts and nothing else (the ${which} one)`, async () => {
    await withFolder(async (folder) => {
      const first = await started(folder);
      for (let at = 0; at < 5; at++) assert.equal((await first.call("/v1/responses", inference)).status, 200);
      await first.running.stop();
      const check = { check: bookCheck, clock: tickingClock() };
      const place = { type: "embedded", folder } as const;
      const before = await checkStore(place, check);
      assert.deepEqual(before.troubles, []);
      assert.match(before.read, /^5 receipts in \d+ journal batches$/);
      await damage(folder, seqOf);
      const { running, call } = await started(folder);
      try {
        assert.equal((await call("/v1/responses", inference)).status, 200);
        const list = await call("/v1/receipts", { key: "MANAGEMENT" });
        assert.equal(list.status, 200, JSON.stringify(list.body));
        assert.equal(asList(list.body.data).length, 5);
        assert.equal(list.body.missing, 1);
        let ready = await call("/readyz");
        await until(async () => {
          ready = await call("/readyz");
          return journalIn(ready.body) !== undefined;
        }, { what: "word of it at /readyz" });
        assert.deepEqual([ready.status, ready.body.status], [200, "ready"]);
        assert.match(String(journalIn(ready.body)), /1 journal batch is damaged/);
        const file = `${folder}/backup`;
        const failing = backupStore(place, { file, ...check });
        await assert.rejects(
          failing,
          /The backup is .*But what it is a copy of is damaged: 1 of \d+ journal batches/,
        );
        assert.ok((await Deno.stat(file)).isFile, "a damaged backup is better than none");
        const { troubles } = await checkStore(place, check);
        assert.equal(troubles.length, 1, troubles.join("; "));
        assert.match(troubles.join(), /1 of \d+ journal batches are damaged.*: own\/\d+/);
      } finally {
        await running.stop();
      }
    });
  });
}
