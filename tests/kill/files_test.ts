/**
 * The gateway killed while files are uploaded and deleted: what was answered holds, every file that is listed has its
 * bytes, and what a kill has left goes with the next sweeps.
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { BlobKey } from "../../server/storage/blobs/blob_store.ts";
import { FolderBlobStore } from "../../server/storage/blobs/folder_blob_store.ts";
import { sweepFiles } from "../../server/storage/files/file_retention.ts";
import { fileCollection, type FileRow, fileUsage } from "../../server/storage/files/file_rows.ts";
import { createRuntime } from "../../server/runtime.ts";
import { openEmbedded } from "../../server/storage/stores/embedded/open_embedded.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { startGateway } from "../bench/process.ts";
import { seeded } from "../fuzz/random.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { namesIn } from "../support/folder_gateway.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import { pause, until } from "../support/until.ts";
import { type FileClients, startFileClients } from "./file_clients.ts";
import { seed } from "../support/seed.ts";

/** TOLLGATE_TEST_KILLS says how many; the gate's small count where it is not set. */
const all = Deno.env.get("TOLLGATE_TEST_ALL") === "1";
const kills = Number(Deno.env.get("TOLLGATE_TEST_KILLS") ?? (all ? 20 : 5));

const API_KEY = "kill-api-key-of-at-least-32-characters";
const MANAGEMENT_KEY = "kill-management-key-of-at-least-32-chars";
const CLIENTS = 6;
/** Milliseconds of load between two kills: from, and up to. */
const LOAD_MS = [20, 400] as const;
const HOUR_MS = 3_600_000;

interface ListedFile {
  readonly id: string;
  readonly sha256: string;
  readonly size: number;
}

/** Every file, page by page. */
async function listFiles(url: string): Promise<readonly ListedFile[]> {
  const found: ListedFile[] = [];
  for (let cursor = "";;) {
    const response = await fetch(`${url}/v1/files?limit=50&cursor=${cursor}`, {
      headers: { authorization: `Bearer ${MANAGEMENT_KEY}` },
    });
    const body = asObject(await response.json());
    assert.equal(response.status, 200, JSON.stringify(body));
    for (const file of asList(body.data).map(asObject)) {
      found.push({ id: String(file.id), sha256: String(file.filename), size: Number(file.size_bytes) });
    }
    if (body.has_more !== true) return found;
    cursor = String(body.last_id);
  }
}

const blobIdOf = (id: string) => id.slice(id.lastIndexOf("_") + 1);

/** Every listed file has its bytes, whole. */
async function assertBytes(files: readonly ListedFile[], blobs: FolderBlobStore): Promise<void> {
  const keys = new Map<string, BlobKey>();
  for await (const key of blobs.list()) keys.set(key.id, key);
  for (const { id, sha256, size } of files) {
    const key = keys.get(blobIdOf(id));
    assert(key !== undefined, `${id} has its blob`);
    const content = await blobs.open(key);
    const hash = createHash("sha256");
    let read = 0;
    for await (const bytes of content ?? []) {
      hash.update(bytes);
      read += bytes.length;
    }
    assert.deepEqual({ id, sha256: hash.digest("hex"), size: read }, { id, sha256, size });
  }
}

/** Checks the answers that clients got. Returns the listed files that none of them knows. */
function assertAnswers(files: readonly ListedFile[], clients: FileClients): readonly ListedFile[] {
  const listed = new Map(files.map((file) => [file.id, file]));
  assert.equal(listed.size, files.length, "no file is listed twice");
  for (const { id, sha256, size, deletion } of clients.files) {
    const found = listed.get(id);
    if (deletion === "none") assert.deepEqual(found, { id, sha256, size }, "what was uploaded is listed");
    if (deletion === "answered") assert.equal(found, undefined, `${id} was deleted and is not listed`);
    listed.delete(id);
  }
  return [...listed.values()];
}

/** On the stopped gateway: the rows and the blobs a day later. */
async function assertSwept(store: Store, blobs: FolderBlobStore): Promise<string> {
  const before = await Array.fromAsync(blobs.list());
  const unfinished = await namesIn(`${blobs.location}/tmp`);
  const later = { ...tickingClock(), now: () => Date.now() + 25 * HOUR_MS };
  const { removed, missing } = await sweepFiles({
    store,
    blobs,
    runtime: { clock: later, log: silent },
    otherBlobs: () => Promise.resolve(new Set()),
  });
  const rows = await allRows(store);
  const after = await Array.fromAsync(blobs.list());
  assert.equal(missing, 0);
  assert.deepEqual(after.map(({ id }) => id).sort(), rows.map(({ id }) => id).sort());
  assert.deepEqual(await namesIn(`${blobs.location}/tmp`), []);
  assert.equal(removed, unfinished.length + before.length - after.length);
  const usage = (await fileUsage(store).list()).map(({ record }) => record);
  const bytes = rows.reduce((sum, { size }) => sum + size, 0);
  assert.deepEqual(usage, [{ files: rows.length, bytes }]);
  return `${rows.length} files of ${bytes} bytes; ${unfinished.length} unfinished blobs and ` +
    `${before.length - after.length} without a record removed`;
}

async function allRows(store: Store): Promise<readonly FileRow[]> {
  const rows: FileRow[] = [];
  let after: readonly string[] | undefined;
  do {
    const page = await fileCollection(store).list({ after, limit: 100 });
    rows.push(...page.map(({ record }) => record));
    after = page.at(-1)?.id.map(String);
  } while (after !== undefined);
  return rows;
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

Deno.test(`kill -9 under uploads and deletions keeps what was answered and nothing else (SEED=${seed})`, async () => {
  const { next: random } = seeded(seed);
  const folder = await Deno.makeTempDir();
  const blobs = new FolderBlobStore(`${folder}/blobs`);
  const start = () =>
    startGateway({
      TOLLGATE_DATA: folder,
      TOLLGATE_API_KEY: API_KEY,
      TOLLGATE_MANAGEMENT_KEY: MANAGEMENT_KEY,
      TOLLGATE_LOCAL: "off",
      LOG_LEVEL: "error",
      LOG_FORMAT: "json",
    });
  let gateway = await start();
  let url: string | undefined = `http://127.0.0.1:${gateway.port}`;
  const clients = startFileClients({ url: () => url, token: API_KEY, count: CLIENTS, random });
  /** Listed after any of the kills. */
  const unknown = new Set<string>();
  try {
    for (let kill = 0; kill < kills; kill++) {
      const answered = clients.answered;
      // However slow the machine is: what is killed has work, and has done some.
      await until(() => clients.answered > answered, { what: "an answer" });
      await pause(LOAD_MS[0] + random() * (LOAD_MS[1] - LOAD_MS[0]));
      url = undefined;
      await gateway.stop();
      await clients.idle();
      gateway = await start();
      const at = `http://127.0.0.1:${gateway.port}`;
      const files = await listFiles(at);
      for (const { id } of assertAnswers(files, clients)) unknown.add(id);
      await assertBytes(files, blobs);
      url = at;
    }
    await clients.stop();
    const files = await listFiles(url);
    assertAnswers(files, clients);
    await gateway.stop();
    // The product's own clock ticks once more behind its last deadline, which a test would leave behind.
    const { randomToken } = createRuntime(silent);
    const store = await openEmbedded(folder, { runtime: { clock: tickingClock(), randomToken } });
    const swept = await assertSwept(store, blobs).finally(() => store.close());
    console.log(
      `${kills} kills: ${clients.answered} requests answered, ${clients.broken} broke off; ` +
        `${unknown.size} files whose upload was not answered; ${swept}`,
    );
    assert(clients.broken > 0, "the kills met requests");
  } finally {
    url = undefined;
    await gateway.stop();
    await clients.stop();
    await Deno.remove(folder, { recursive: true });
  }
});
