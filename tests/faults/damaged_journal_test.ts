/** One damaged or missing journal batch: everything else goes on, and anyone who can see it says so. */

import assert from "node:assert/strict";
import { startGateway } from "../../server/app/start.ts";
import { readConfig } from "../../server/config/config.ts";
import { gatewayUrl } from "../../server/config/startup_texts.ts";
import { batchKey, decodeBatch, JOURNAL_ROWS } from "../../server/billing/ledger/journal/journal_batch.ts";
import { bookCheck } from "../../server/billing/ledger/journal/recovery/verify_books.ts";
import { providerSettings } from "../../server/providers/mod.ts";
import { checkStore } from "../../server/storage/stores/commands/check_store.ts";
import { backupStore } from "../../server/storage/stores/commands/store_commands.ts";
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
    const id = response.headers.get("x-generation-id") ?? "";
    const retryAfter = response.headers.get("retry-after");
    return { status: response.status, id, retryAfter, body: asObject(await response.json()) };
  };
  return { running, call };
}

interface Harm {
  readonly seqOf: (seqs: readonly number[]) => number;
  /** The whole row goes, instead of a byte that is another one. */
  readonly gone: boolean;
}

/** Harms a stored batch that holds a receipt. */
async function damage(folder: string, { seqOf, gone }: Harm): Promise<void> {
  const kv = await Deno.openKv(`${folder}/kv.sqlite3`);
  const entries = await Array.fromAsync(kv.list<Uint8Array>({ prefix: [JOURNAL_ROWS, "own"] }));
  const closing = entries.filter(({ key, value }) =>
    decodeBatch({ key: key.map(String), value, version: "" }).entries.some(({ type }) => type === "close")
  );
  const key = [...batchKey("own", seqOf(closing.map(({ key }) => Number(key[2]))))];
  if (gone) {
    await kv.delete(key);
    kv.close();
    return;
  }
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

const harms: Readonly<Record<string, Harm & { readonly words: RegExp }>> = {
  "a damaged journal batch (the oldest one)": {
    seqOf: (seqs) => seqs[0] ?? 0,
    gone: false,
    words: /1 of \d+ journal batches are damaged.*: own\/\d+/,
  },
  "a damaged journal batch (the newest one)": {
    seqOf: (seqs) => seqs.at(-1) ?? 0,
    gone: false,
    words: /1 of \d+ journal batches are damaged.*: own\/\d+/,
  },
  "a journal batch whose row is gone (the oldest one)": {
    seqOf: (seqs) => seqs[0] ?? 0,
    gone: true,
    words: /1 journal batches are missing.*: own\/\d+/,
  },
  "a journal batch whose row is gone (one in the middle)": {
    seqOf: (seqs) => seqs[2] ?? 0,
    gone: true,
    words: /1 journal batches are missing.*: own\/\d+/,
  },
  "a journal batch whose row is gone (the newest one)": {
    seqOf: (seqs) => seqs.at(-1) ?? 0,
    gone: true,
    words: /1 journal batches are missing.*: own\/\d+/,
  },
};

for (const [what, { words, ...harm }] of Object.entries(harms)) {
  Deno.test(`${what} loses its own receipts and nothing else, and whoever looks is told`, async () => {
    await withFolder(async (folder) => {
      const first = await started(folder);
      const ids: string[] = [];
      for (let at = 0; at < 5; at++) {
        const { status, id } = await first.call("/v1/responses", inference);
        assert.equal(status, 200);
        ids.push(id);
      }
      await first.running.stop();
      const check = { check: bookCheck, clock: tickingClock() };
      const place = { type: "embedded", folder } as const;
      const before = await checkStore(place, check);
      assert.deepEqual(before.troubles, []);
      assert.match(before.read, /^5 receipts in \d+ journal batches$/);
      await damage(folder, harm);
      const { running, call } = await started(folder);
      try {
        assert.equal((await call("/v1/responses", inference)).status, 200);
        const list = await call("/v1/receipts", { key: "MANAGEMENT" });
        assert.equal(list.status, 200, JSON.stringify(list.body));
        assert.equal(asList(list.body.data).length, 5);
        assert.equal(list.body.missing, 1);
        await assertOneLost(ids, call);
        let ready = await call("/readyz");
        await until(async () => {
          ready = await call("/readyz");
          return journalIn(ready.body) !== undefined;
        }, { what: "word of it at /readyz" });
        assert.deepEqual([ready.status, ready.body.status], [200, "ready"]);
        assert.match(String(journalIn(ready.body)), /1 journal batch is damaged or missing/);
        const file = `${folder}/backup`;
        const failing = backupStore(place, { file, ...check });
        await assert.rejects(
          failing,
          /The backup is .*But what it is a copy of is damaged: .*journal batches/,
        );
        assert.ok((await Deno.stat(file)).isFile, "a damaged backup is better than none");
        const { troubles } = await checkStore(place, check);
        assert.equal(troubles.length, 1, troubles.join("; "));
        assert.match(troubles.join(), words);
      } finally {
        await running.stop();
      }
    });
  });
}

type Call = Awaited<ReturnType<typeof started>>["call"];

/** Whoever asks for the lost receipt is told that it is damaged, and not to try again. */
async function assertOneLost(ids: readonly string[], call: Call): Promise<void> {
  for (const key of ["MANAGEMENT", "API"]) {
    const found = await Promise.all(ids.map((id) => call(`/v1/generation?id=${id}`, { key })));
    const lost = found.filter(({ status }) => status !== 200);
    assert.equal(lost.length, 1, JSON.stringify(found.map(({ status }) => status)));
    const [answer] = lost;
    assert.deepEqual([answer?.status, answer?.retryAfter], [500, null]);
    const { message, metadata } = asObject(answer?.body.error);
    assert.match(String(message), /is damaged and cannot be read/);
    assert.equal(asObject(metadata).reason, "damaged_receipt");
  }
}
