/** Contract of every store for blobs. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { BlobKey, BlobStore } from "../../server/storage/blobs/blob_store.ts";

export const workspaceId = "0b0c7d3e-5d0e-4f3a-9a61-9d3a1c2b4e5f";
const other = "1b0c7d3e-5d0e-4f3a-9a61-9d3a1c2b4e5f";

/** The key of a blob that is not there yet. */
export const newBlobKey = (workspace = workspaceId): BlobKey => ({
  workspaceId: workspace,
  id: crypto.getRandomValues(new Uint8Array(16)).toHex(),
});

export interface OpenedBlobStore extends AsyncDisposable {
  readonly blobs: BlobStore;
}

export interface BlobStoreContract {
  /** Name of the store, for the tests' names. */
  readonly name: string;
  /** Opens an empty store. */
  readonly open: () => Promise<OpenedBlobStore>;
  readonly ignore?: boolean;
  /** Its server lives longer than the test that asks for it first. */
  readonly outlives?: boolean;
}

export async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

/** So many random bytes. */
export const randomBytes = (length: number) => {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  return bytes;
};

/** Everything that is left of a stream. */
export const readAll = async (stream: ReadableStream<Uint8Array> | undefined) => {
  assert(stream);
  return await new Response(stream).bytes();
};

const tests: Readonly<Record<string, (blobs: BlobStore) => Promise<void>>> = {
  "what was put is read back, whole and in part": async (blobs) => {
    for (const size of [1, 262_143, 262_144, 9_000_001]) {
      const bytes = randomBytes(size);
      const blob = await blobs.put(newBlobKey(), chunksOf(bytes, 70_001));
      assert.deepEqual([blob.size, blob.sha256], [size, createHash("sha256").update(bytes).digest("hex")]);
      assert.deepEqual(await readAll(await blobs.open(blob)), bytes);
      for (const [offset, length] of [[0, 1], [size - 1, 1], [size >> 1, size - (size >> 1)]] as const) {
        const part = await readAll(await blobs.open(blob, { offset, length }));
        assert.deepEqual(part, bytes.subarray(offset, offset + length));
      }
    }
  },

  "an empty file is one too": async (blobs) => {
    const blob = await blobs.put(newBlobKey(), chunksOf(new Uint8Array(), 1));
    assert.equal(blob.size, 0);
    assert.deepEqual(await readAll(await blobs.open(blob)), new Uint8Array());
    assert.deepEqual(await readAll(await blobs.open(blob, { offset: 0, length: 0 })), new Uint8Array());
  },

  "a source that breaks leaves nothing": async (blobs) => {
    for (const before of [1, 20_000_000]) {
      const broken = async function* () {
        yield* chunksOf(randomBytes(before), 1_000_000);
        throw new Error("cut");
      };
      await assert.rejects(blobs.put(newBlobKey(), broken()), /^Error: cut$/);
    }
    assert.deepEqual(await Array.fromAsync(blobs.list()), []);
    assert.equal(await blobs.removeUnfinished(Infinity), 0);
  },

  "lists and deletes by workspace": async (blobs) => {
    const from = Date.now() - 2_000;
    const [one, two] = [
      await blobs.put(newBlobKey(), chunksOf(randomBytes(10), 3)),
      await blobs.put(newBlobKey(other), chunksOf(randomBytes(10), 3)),
    ];
    const listed = async (id?: string) => {
      const all = await Array.fromAsync(blobs.list(id));
      assert(all.every(({ modifiedAt }) => modifiedAt >= from && modifiedAt <= Date.now() + 2_000));
      return all.map((blob) => blob.id).sort();
    };
    assert.deepEqual(await listed(), [one.id, two.id].sort());
    assert.deepEqual(await listed(workspaceId), [one.id]);
    await blobs.delete(one);
    await blobs.delete(one);
    assert.deepEqual(await listed(), [two.id]);
    assert.equal(await blobs.open(one), undefined);
    // The id alone names nothing: a blob belongs to its workspace.
    assert.equal(await blobs.open({ workspaceId, id: two.id }), undefined);
  },

  "a reader that leaves frees what it holds": async (blobs) => {
    const blob = await blobs.put(newBlobKey(), chunksOf(randomBytes(3_000_000), 100_000));
    const reader = (await blobs.open(blob))?.getReader();
    assert(reader && !(await reader.read()).done);
    await reader.cancel();
  },

  "no key leads out of the store": async (blobs) => {
    const id = "0".repeat(32);
    for (const key of [{ workspaceId: "..", id }, { workspaceId, id: "../../../../etc/passwd" }]) {
      await assert.rejects(async () => await blobs.open(key), /its key is malformed/);
      await assert.rejects(async () => await blobs.delete(key), /its key is malformed/);
    }
  },
};

/** Adds the tests of one store. */
export function testBlobStore({ name, open, ignore = false, outlives = false }: BlobStoreContract): void {
  for (const [what, run] of Object.entries(tests)) {
    Deno.test({
      name: `blob store ${name}: ${what}`,
      ignore,
      sanitizeOps: !outlives,
      sanitizeResources: !outlives,
      fn: async () => {
        await using opened = await open();
        await run(opened.blobs);
      },
    });
  }
}
