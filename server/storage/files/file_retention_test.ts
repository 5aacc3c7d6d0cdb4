import assert from "node:assert/strict";
import { memoryClock } from "../../../tests/support/clock.ts";
import { MemoryBlobStore } from "../../../tests/support/memory_blob_store.ts";
import { memoryStore } from "../stores/memory_store.ts";
import { fileCollection, fileUsage } from "./file_rows.ts";
import { indexIdOf } from "./file_indexes.ts";
import { FileRetention, sweepFiles } from "./file_retention.ts";

const workspaces = ["0b0c7d3e-5d0e-4f3a-9a61-9d3a1c2b4e5f", "1b0c7d3e-5d0e-4f3a-9a61-9d3a1c2b4e5f"] as const;
const HOUR = 3_600_000;
const quiet = () => {};

function rig() {
  const clock = memoryClock();
  const store = memoryStore();
  const blobs = new MemoryBlobStore(() => clock.now());
  const logged: string[] = [];
  const say = (message: string) => void logged.push(message);
  const runtime = { clock, log: { debug: quiet, info: say, warn: say, error: say } };
  let made = 0;
  const newId = () => (++made).toString(16).padStart(32, "0");
  const put = (workspaceId: string, id = newId()) =>
    blobs.put(
      { workspaceId, id },
      (async function* () {
        yield await Promise.resolve(new Uint8Array(3));
      })(),
    );
  const record = async (workspaceId: string, id = newId()) => {
    const row = fileCollection(store).put([workspaceId, id], {
      id,
      workspace_id: workspaceId,
      key_id: null,
      filename: "a",
      mime_type: "text/plain",
      size: 3,
      sha256: "",
      origin: "upload",
      purpose: null,
      created_at: new Date(clock.now()).toISOString(),
    });
    const usage = fileUsage(store).put([workspaceId], { files: 1, bytes: 3 });
    await store.commit({ puts: [row, usage] });
    return id;
  };
  return { clock, store, blobs, runtime, logged, put, record };
}

/** Nothing but files has blobs. */
const otherBlobs = () => Promise.resolve(new Set<string>());

Deno.test("sweepFiles removes blobs without a record after a day, and counts records without a blob", async () => {
  const { clock, store, blobs, runtime, put, record } = rig();
  for (const workspaceId of workspaces) {
    for (let at = 0; at < 150; at++) await put(workspaceId, await record(workspaceId));
    for (let at = 0; at < 120; at++) await put(workspaceId);
    for (let at = 0; at < 110; at++) await record(workspaceId);
  }
  await clock.advance(23 * HOUR);
  for (const workspaceId of workspaces) await put(workspaceId);
  let pauses = 0;
  const pause = () => Promise.resolve(void pauses++);
  assert.deepEqual(await sweepFiles({ store, blobs, runtime, otherBlobs }, pause), {
    removed: 0,
    missing: 220,
  });
  await clock.advance(2 * HOUR);
  assert.deepEqual(await sweepFiles({ store, blobs, runtime, otherBlobs }, pause), {
    removed: 240,
    missing: 220,
  });
  assert.equal(blobs.blobs.size, 302);
  assert(pauses > 10, "it works in slices");
});

Deno.test("sweepFiles counts the records of a workspace without any blob", async () => {
  const { clock, store, blobs, runtime, record } = rig();
  await record(workspaces[0]);
  await clock.advance(1);
  assert.deepEqual(await sweepFiles({ store, blobs, runtime, otherBlobs }), { removed: 0, missing: 1 });
});

Deno.test("sweepFiles leaves the blobs of another gateway alone, and those of a deleted workspace for a day", async () => {
  const { clock, store, blobs, runtime, put, record } = rig();
  const [mine, theirs] = workspaces;
  await record(mine);
  await put(theirs);
  const { deps, files } = { deps: { store, blobs, runtime, otherBlobs }, files: fileUsage(store) };
  await clock.advance(30 * HOUR);
  assert.equal((await sweepFiles(deps)).removed, 0);
  const deleted_at = new Date(clock.now()).toISOString();
  await store.commit({ puts: [files.put([theirs], { files: 0, bytes: 0, deleted_at })] });
  await put(theirs);
  assert.equal((await sweepFiles(deps)).removed, 1, "the old one");
  await clock.advance(25 * HOUR);
  assert.deepEqual([(await sweepFiles(deps)).removed, blobs.blobs.size], [1, 0]);
  assert(await files.get(theirs), "it may be written to by an upload that has begun before");
  await sweepFiles(deps);
  assert.equal(await files.get(theirs), undefined);
  assert(await files.get(mine));
});

Deno.test("FileRetention sweeps every hour, reports what it has found, and stops", async () => {
  const { clock, store, blobs, runtime, logged, put, record } = rig();
  await record(workspaces[0]);
  await put(workspaces[0]);
  const job = new FileRetention({ store, blobs, runtime, otherBlobs });
  assert.equal(job.report, undefined);
  await clock.advance(61_000);
  assert.deepEqual(job.report, { removed: 0, missing: 1 });
  await clock.advance(25 * HOUR);
  assert.equal(blobs.blobs.size, 0);
  assert(
    logged.includes("Files without a record removed") && logged.includes("Files have lost their content"),
  );
  await job.close();
  assert.equal(clock.open, 0);
});

Deno.test("sweepFiles leaves blobs alone that other records name", async () => {
  const { clock, store, blobs, runtime, put, record } = rig();
  const [mine] = workspaces;
  await record(mine);
  await put(mine);
  const [first] = await Array.fromAsync(blobs.list());
  const named = () => Promise.resolve(new Set([first?.id ?? ""]));
  await clock.advance(30 * HOUR);
  const before = blobs.blobs.size;
  await sweepFiles({ store, blobs, runtime, otherBlobs: named });
  assert((await Array.fromAsync(blobs.list())).some(({ id }) => id === first?.id));
  await sweepFiles({ store, blobs, runtime, otherBlobs });
  assert(blobs.blobs.size < before);
});

Deno.test("sweepFiles keeps the index of a file, and removes one that its file has left behind", async () => {
  const { clock, store, blobs, runtime, put, record } = rig();
  const [workspaceId] = workspaces;
  const id = await record(workspaceId);
  const gone = "f".repeat(31) + "0";
  for (const one of [id, indexIdOf(id), indexIdOf(gone)]) await put(workspaceId, one);
  await clock.advance(25 * HOUR);
  assert.deepEqual(await sweepFiles({ store, blobs, runtime, otherBlobs }), { removed: 1, missing: 0 });
  const left = await Array.fromAsync(blobs.list(workspaceId));
  assert.deepEqual(left.map((blob) => blob.id).toSorted(), [id, indexIdOf(id)].toSorted());
});
