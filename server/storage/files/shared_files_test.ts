import assert from "node:assert/strict";
import { memoryClock } from "../../../tests/support/clock.ts";
import { MemoryBlobStore } from "../../../tests/support/memory_blob_store.ts";
import { linesLogger } from "../../../tests/support/reader.ts";
import { BlobError, type BlobStore } from "../blobs/blob_store.ts";
import { memoryStore } from "../stores/memory_store.ts";
import { SharedFiles } from "./shared_files.ts";

const MINUTE_MS = 60_000;

function rig() {
  const store = memoryStore();
  const clock = memoryClock();
  const lines: string[] = [];
  let ids = 0;
  const gateway = async (blobs: BlobStore) => {
    const id = () => String(++ids).padStart(32, "0");
    const runtime = { clock, log: linesLogger(lines), id };
    const files = new SharedFiles({ store, blobs, runtime });
    await files.start();
    return files;
  };
  return { store, clock, lines, gateway };
}

const isApart = ({ details }: SharedFiles) => details.shared_files !== undefined;

Deno.test("gateways that keep files in one place have nothing to say", async () => {
  const { clock, lines, gateway } = rig();
  const blobs = new MemoryBlobStore();
  const [one, two] = [await gateway(blobs), await gateway(blobs)];
  await clock.advance(MINUTE_MS);
  assert.deepEqual([isApart(one), isApart(two)], [false, false]);
  assert.deepEqual(lines, []);
  await one.close();
  await two.close();
  assert.equal(blobs.blobs.size, 0);
});

Deno.test("a gateway that keeps files elsewhere is told at its start, and the others within a minute", async () => {
  const { clock, lines, gateway } = rig();
  const one = await gateway(new MemoryBlobStore());
  assert.equal(isApart(one), false);
  const two = await gateway(new MemoryBlobStore());
  assert.match(
    two.details.shared_files ?? "",
    /^1 other gateway on this store keeps .*Set TOLLGATE_BLOBS to one/,
  );
  assert.equal(lines.length, 1);
  await clock.advance(MINUTE_MS);
  assert.equal(isApart(one), true);
  await clock.advance(3 * MINUTE_MS);
  // Each says it once.
  assert.equal(lines.length, 2);
  await two.close();
  await clock.advance(MINUTE_MS);
  assert.equal(isApart(one), false);
  await one.close();
});

Deno.test("a gateway that ended without a stop is none after five minutes, and forgotten after a day", async () => {
  const { store, clock, gateway } = rig();
  const other = { collection: "file_places", id: "9".repeat(32) };
  await store.commit({ puts: [{ key: [other.collection, other.id], value: { at: clock.now() } }] });
  const one = await gateway(new MemoryBlobStore());
  assert.equal(isApart(one), true);
  await clock.advance(6 * MINUTE_MS);
  assert.equal(isApart(one), false);
  await clock.advance(24 * 60 * MINUTE_MS);
  assert.equal(await store.get([other.collection, other.id]), undefined);
  await one.close();
});

Deno.test("a place or a store that does not answer is a line in the log, and looked at again", async () => {
  const { clock, lines, gateway } = rig();
  const blobs = new MemoryBlobStore();
  let isDown = true;
  const open: BlobStore["open"] = (key) =>
    isDown ? Promise.reject(new BlobError("no answer")) : blobs.open(key);
  const one = await gateway({
    location: blobs.location,
    unfinishedMs: 0,
    put: (key, content) => blobs.put(key, content),
    open,
    delete: (key) => blobs.delete(key),
    list: (id) => blobs.list(id),
    removeUnfinished: () => blobs.removeUnfinished(),
  });
  assert.match(lines.join("\n"), /Cannot compare where gateways keep files.*no answer/);
  isDown = false;
  await clock.advance(MINUTE_MS);
  assert.equal(lines.length, 1);
  assert.equal(blobs.blobs.size, 1);
  await one.close();
});
