import assert from "node:assert/strict";
import {
  chunksOf,
  newBlobKey,
  randomBytes,
  readAll,
  testBlobStore,
} from "../../../tests/support/blob_store_contract.ts";
import { linesLogger } from "../../../tests/support/reader.ts";
import { ApiError } from "../../../shared/errors.ts";
import { createRuntime } from "../../runtime.ts";
import { bindStore } from "../stores/bound_store.ts";
import { memoryStore } from "../stores/memory_store.ts";
import { type Store, StoreError } from "../stores/store.ts";
import { BlobError, type BlobKey } from "./blob_store.ts";
import { ALL_BLOBS, blobUsage } from "./chunk_rows.ts";
import { StoreBlobStore } from "./store_blob_store.ts";

const MOST_BYTES = 100_000_000;
/** Two groups of chunks, and some. */
const SIZE = 1_000_001;

const blobsOn = (store: Store, mostBytes = MOST_BYTES) =>
  new StoreBlobStore({ store, runtime: createRuntime(linesLogger([])), mostBytes });

testBlobStore({
  name: "on a store in memory",
  open: () => {
    const store = memoryStore();
    return Promise.resolve({ blobs: blobsOn(store), [Symbol.asyncDispose]: () => store.close() });
  },
});

/** Counts the rows of each kind that are left in a store, and reads the bytes that it counts. */
async function leftIn(store: Store) {
  const count = async (name: string) => (await store.list([name], { limit: 1_000 })).length;
  const [blobs, chunks, loose] = [
    await count("blobs"),
    await count("blob_chunks"),
    await count("loose_chunks"),
  ];
  return { blobs, chunks, loose, bytes: (await blobUsage(store).get(...ALL_BLOBS))?.record.bytes };
}

const nothing = { blobs: 0, chunks: 0, loose: 0, bytes: 0 };

/** Makes each commit, and says of every so many of them that a check did not hold: its reply was lost. */
function losingReplies(inner: Store, every: number): Store {
  let commits = 0;
  const commit: Store["commit"] = async (input) => {
    const result = await inner.commit(input);
    return ++commits % every === 0 && input.checks !== undefined ? { type: "conflict" } : result;
  };
  return { ...bindStore(inner), commit };
}

/** Makes so many commits, and then fails as where the process has ended. */
function endingAfter(inner: Store, most: number): Store {
  let commits = 0;
  const gone = () => Promise.reject(new StoreError("unavailable", "The process has ended"));
  return {
    ...bindStore(inner),
    get: (key) => commits > most ? gone() : inner.get(key),
    commit: (input) => ++commits > most ? gone() : inner.commit(input),
  };
}

Deno.test("StoreBlobStore keeps what one instance writes for all on the store", async () => {
  const store = memoryStore();
  const [one, other] = [blobsOn(store), blobsOn(store)];
  const bytes = randomBytes(SIZE);
  const blob = await one.put(newBlobKey(), chunksOf(bytes, 70_001));
  assert.deepEqual(await readAll(await other.open(blob)), bytes);
  await other.delete(blob);
  assert.equal(await one.open(blob), undefined);
  assert.deepEqual(await leftIn(store), nothing);
});

Deno.test("StoreBlobStore leaves no half of a blob, wherever its writer ends", async () => {
  for (let commits = 0; commits < 3; commits++) {
    const store = memoryStore();
    const key = newBlobKey();
    const put = blobsOn(endingAfter(store, commits)).put(key, chunksOf(randomBytes(SIZE), 100_000));
    await assert.rejects(put, BlobError);
    const blobs = blobsOn(store);
    assert.equal(await blobs.open(key), undefined);
    assert.equal(await blobs.removeUnfinished(Date.now() - blobs.unfinishedMs), 0, "it may be under way");
    assert.equal(await blobs.removeUnfinished(Infinity), commits === 0 ? 0 : 1);
    assert.deepEqual(await leftIn(store), { ...nothing, bytes: commits === 0 ? undefined : 0 });
  }
});

Deno.test("StoreBlobStore leaves no half of a blob, wherever its deletion ends", async () => {
  const store = memoryStore();
  // More than one commit removes.
  const key = await blobsOn(store).put(newBlobKey(), chunksOf(randomBytes(15_000_000), 1_000_000));
  await assert.rejects(blobsOn(endingAfter(store, 0)).delete(key), BlobError);
  assert.deepEqual(await leftIn(store), { blobs: 1, chunks: 250, loose: 0, bytes: 15_000_000 });
  await assert.rejects(blobsOn(endingAfter(store, 1)).delete(key), BlobError);
  assert.deepEqual(await leftIn(store), { blobs: 0, chunks: 250, loose: 1, bytes: 15_000_000 });
  await assert.rejects(blobsOn(endingAfter(store, 1)).removeUnfinished(Infinity), BlobError);
  assert.deepEqual(await leftIn(store), { blobs: 0, chunks: 50, loose: 1, bytes: 3_000_000 });
  assert.equal(await blobsOn(store).removeUnfinished(Infinity), 1);
  assert.deepEqual(await leftIn(store), nothing);
});

Deno.test("StoreBlobStore refuses the rest of a blob whose beginning was removed", async () => {
  const store = memoryStore();
  const blobs = blobsOn(store);
  const slow = async function* () {
    yield* chunksOf(randomBytes(600_000), 100_000);
    assert.equal(await blobs.removeUnfinished(Infinity), 1);
    yield* chunksOf(randomBytes(600_000), 100_000);
  };
  await assert.rejects(blobs.put(newBlobKey(), slow()), /what was written of it was removed/);
  assert.deepEqual(await leftIn(store), nothing);
});

Deno.test("StoreBlobStore writes and removes nothing twice where replies are lost", async () => {
  for (const every of [1, 2, 3]) {
    const store = memoryStore();
    const blobs = blobsOn(losingReplies(store, every));
    const contents = [randomBytes(SIZE), randomBytes(10), randomBytes(480_000)];
    const written: BlobKey[] = [];
    for (const bytes of contents) written.push(await blobs.put(newBlobKey(), chunksOf(bytes, 99_999)));
    const sum = contents.reduce((all, { length }) => all + length, 0);
    assert.deepEqual(await leftIn(store), { blobs: 3, chunks: 17 + 1 + 8, loose: 0, bytes: sum });
    for (const [at, key] of written.entries()) {
      assert.deepEqual(await readAll(await blobs.open(key)), contents[at]);
    }
    for (const key of written) await blobs.delete(key);
    assert.deepEqual(await leftIn(store), nothing);
  }
});

Deno.test("StoreBlobStore replaces a blob as a whole, and keeps none of the one before", async () => {
  const store = memoryStore();
  const blobs = blobsOn(store);
  const key = newBlobKey();
  await blobs.put(key, chunksOf(randomBytes(SIZE), 100_000));
  const bytes = randomBytes(SIZE - 500_000);
  await blobs.put(key, chunksOf(bytes, 100_000));
  assert.deepEqual(await readAll(await blobs.open(key)), bytes);
  assert.deepEqual(await leftIn(store), { blobs: 1, chunks: 9, loose: 0, bytes: bytes.length });
});

Deno.test("StoreBlobStore keeps no more bytes than it may, unfinished ones too", async () => {
  const store = memoryStore();
  const blobs = blobsOn(store, 600_000);
  const isFull = (error: unknown) => error instanceof ApiError && error.kind === "too_large";
  const put = (size: number) => blobs.put(newBlobKey(), chunksOf(randomBytes(size), 100_000));
  await assert.rejects(put(SIZE), isFull);
  assert.deepEqual(await leftIn(store), nothing);
  const first = await put(600_000);
  await assert.rejects(put(1), isFull);
  await blobs.delete(first);
  const during = async function* () {
    yield* chunksOf(randomBytes(500_000), 100_000);
    await assert.rejects(put(200_000), isFull);
    yield await Promise.resolve(randomBytes(1));
  };
  await blobs.put(newBlobKey(), during());
  assert.equal((await leftIn(store)).bytes, 500_001);
});

Deno.test("StoreBlobStore counts what many write at once", async () => {
  const store = memoryStore();
  const instances = [blobsOn(store), blobsOn(store)];
  const sizes = Array.from({ length: 8 }, (_, at) => 1 + at * 80_000);
  const puts = sizes.map((size, at) =>
    instances[at % 2]?.put(newBlobKey(), chunksOf(randomBytes(size), 50_000)) ?? assert.fail()
  );
  const blobs = await Promise.all(puts);
  assert.equal((await leftIn(store)).bytes, sizes.reduce((all, size) => all + size));
  await Promise.all(blobs.map((blob, at) => instances[at % 2]?.delete(blob)));
  assert.deepEqual(await leftIn(store), nothing);
});

Deno.test("StoreBlobStore reads eight chunks at a time, and none before it is asked", async () => {
  const inner = memoryStore();
  const reads: number[] = [];
  const store: Store = {
    ...bindStore(inner),
    getMany: (keys) => {
      reads.push(keys.length);
      return inner.getMany(keys);
    },
  };
  const blobs = blobsOn(store);
  const blob = await blobs.put(newBlobKey(), chunksOf(randomBytes(SIZE), 100_000));
  const stream = await blobs.open(blob);
  assert.deepEqual(reads, []);
  await readAll(stream);
  assert.deepEqual(reads, [8, 8, 1]);
  await readAll(await blobs.open(blob, { offset: 59_999, length: 2 }));
  await readAll(await blobs.open(blob, { offset: 479_999, length: 480_001 }));
  assert.deepEqual(reads.slice(3), [2, 8, 1]);
});

Deno.test("StoreBlobStore breaks a stream whose blob is deleted meanwhile", async () => {
  const blobs = blobsOn(memoryStore());
  const blob = await blobs.put(newBlobKey(), chunksOf(randomBytes(SIZE), 100_000));
  const reader = (await blobs.open(blob))?.getReader();
  assert(reader && !(await reader.read()).done);
  await blobs.delete(blob);
  await assert.rejects(async () => {
    for (let done = false; !done;) done = (await reader.read()).done;
  }, BlobError);
});

Deno.test("StoreBlobStore tells of a store that fails as of any place for bytes", async () => {
  const blobs = blobsOn(endingAfter(memoryStore(), -1));
  const key = newBlobKey();
  await assert.rejects(blobs.open(key), /^BlobError: Cannot read file: The process has ended$/);
  await assert.rejects(
    blobs.put(key, chunksOf(randomBytes(1), 1)),
    /^BlobError: Cannot write file: The process/,
  );
  await assert.rejects(blobs.delete(key), /^BlobError: Cannot delete file: The process has ended$/);
});
