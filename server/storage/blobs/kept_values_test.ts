import assert from "node:assert/strict";
import { MemoryBlobStore } from "../../../tests/support/memory_blob_store.ts";
import { linesLogger } from "../../../tests/support/reader.ts";
import { memoryClock } from "../../../tests/support/clock.ts";
import { fileUsage } from "../files/file_rows.ts";
import { memoryStore } from "../stores/memory_store.ts";
import { KeptValues } from "./kept_values.ts";

const workspaceId = "00000000-0000-4000-8000-000000000001";
const other = "00000000-0000-4000-8000-000000000002";
const HOUR_MS = 3_600_000;

function rig() {
  const [store, blobs, clock, lines] = [memoryStore(), new MemoryBlobStore(), memoryClock(), [] as string[]];
  const values = new KeptValues({ store, blobs, runtime: { clock, log: linesLogger(lines) } });
  return { store, blobs, clock, lines, values };
}

Deno.test("KeptValues finds a value for a day, by its workspace and its whole name", async () => {
  const { values, clock, store } = rig();
  const key = { workspaceId, name: ["document", "hash", "local"] };
  assert.equal(await values.find(key), undefined);
  await values.keep(key, { text: "first" });
  assert.deepEqual(await values.find(key), { text: "first" });
  assert.equal(await values.find({ ...key, workspaceId: other }), undefined);
  assert.equal(await values.find({ ...key, name: ["document", "hash,local"] }), undefined);
  assert.deepEqual((await fileUsage(store).get(workspaceId))?.record, { files: 0, bytes: 0 });
  await values.keep(key, { text: "second" });
  assert.deepEqual(await values.find(key), { text: "second" });
  await clock.advance(23 * HOUR_MS);
  assert.deepEqual(await values.find(key), { text: "second" });
  await clock.advance(HOUR_MS);
  assert.equal(await values.find(key), undefined);
  await values.keep(key, { text: "third" });
  assert.deepEqual(await values.find(key), { text: "third" });
});

Deno.test("KeptValues leaves the files that a workspace counts as they are", async () => {
  const { values, store } = rig();
  await fileUsage(store).create([workspaceId], { files: 2, bytes: 9 });
  await values.keep({ workspaceId, name: ["a"] }, 1);
  assert.deepEqual((await fileUsage(store).get(workspaceId))?.record, { files: 2, bytes: 9 });
});

Deno.test("KeptValues neither finds nor keeps where the bytes cannot be had, and says so in the log", async () => {
  const { values, blobs, lines } = rig();
  const fails = () => Promise.reject(new Error("The disk is gone"));
  Object.assign(blobs, { open: fails, put: fails });
  await values.keep({ workspaceId, name: ["a"] }, 1);
  assert.equal(await values.find({ workspaceId, name: ["a"] }), undefined);
  assert.deepEqual(lines.map((line) => line.includes("The disk is gone")), [true, true]);
});
