import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { MemoryBlobStore } from "../../tests/support/memory_blob_store.ts";
import type { BlobStore } from "./blob_store.ts";
import { FolderBlobStore } from "./folder_blob_store.ts";

const workspaceId = "0b0c7d3e-5d0e-4f3a-9a61-9d3a1c2b4e5f";
const other = "1b0c7d3e-5d0e-4f3a-9a61-9d3a1c2b4e5f";

interface OpenedStore extends AsyncDisposable {
  readonly blobs: BlobStore;
}

const stores: Readonly<Record<string, () => Promise<OpenedStore>>> = {
  memory: () =>
    Promise.resolve({
      blobs: new MemoryBlobStore(),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
  folder: async () => {
    const folder = await Deno.makeTempDir();
    return {
      blobs: new FolderBlobStore(`${folder}/blobs`),
      [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
    };
  },
};

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

const newKey = (workspace = workspaceId) => ({
  workspaceId: workspace,
  id: crypto.getRandomValues(new Uint8Array(16)).toHex(),
});

const random = (length: number) => {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  return bytes;
};

const read = async (stream: ReadableStream<Uint8Array> | undefined) => {
  assert(stream);
  return await new Response(stream).bytes();
};

for (const [name, open] of Object.entries(stores)) {
  Deno.test(`blob store ${name}: what was put is read back, whole and in part`, async () => {
    await using opened = await open();
    const { blobs } = opened;
    for (const size of [1, 262_143, 262_144, 9_000_001]) {
      const bytes = random(size);
      const blob = await blobs.put(newKey(), chunksOf(bytes, 70_001));
      assert.deepEqual([blob.size, blob.sha256], [size, createHash("sha256").update(bytes).digest("hex")]);
      assert.deepEqual(await read(await blobs.open(blob)), bytes);
      for (const [offset, length] of [[0, 1], [size - 1, 1], [size >> 1, size - (size >> 1)]] as const) {
        const part = await read(await blobs.open(blob, { offset, length }));
        assert.deepEqual(part, bytes.subarray(offset, offset + length));
      }
    }
  });

  Deno.test(`blob store ${name}: a source that breaks leaves nothing`, async () => {
    await using opened = await open();
    const { blobs } = opened;
    for (const before of [1, 20_000_000]) {
      const broken = async function* () {
        yield* chunksOf(random(before), 1_000_000);
        throw new Error("cut");
      };
      await assert.rejects(blobs.put(newKey(), broken()), /^Error: cut$/);
    }
    assert.deepEqual(await Array.fromAsync(blobs.list()), []);
    assert.equal(await blobs.removeUnfinished(Infinity), 0);
  });

  Deno.test(`blob store ${name}: lists and deletes by workspace`, async () => {
    await using opened = await open();
    const { blobs } = opened;
    const from = Date.now() - 2_000;
    const [one, two] = [
      await blobs.put(newKey(), chunksOf(random(10), 3)),
      await blobs.put(newKey(other), chunksOf(random(10), 3)),
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
  });

  Deno.test(`blob store ${name}: a reader that leaves frees what it holds`, async () => {
    await using opened = await open();
    const { blobs } = opened;
    const blob = await blobs.put(newKey(), chunksOf(random(3_000_000), 100_000));
    const reader = (await blobs.open(blob))?.getReader();
    assert(reader && !(await reader.read()).done);
    await reader.cancel();
  });

  Deno.test(`blob store ${name}: no key leads out of the store`, async () => {
    await using opened = await open();
    const { blobs } = opened;
    const id = "0".repeat(32);
    for (const key of [{ workspaceId: "..", id }, { workspaceId, id: "../../../../etc/passwd" }]) {
      await assert.rejects(async () => await blobs.open(key), /its key is malformed/);
      await assert.rejects(async () => await blobs.delete(key), /its key is malformed/);
    }
  });
}

Deno.test("blob store folder: what a crash has cut off goes when it is old enough", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const blobs = new FolderBlobStore(folder);
    await Deno.mkdir(`${folder}/tmp`);
    await Deno.writeTextFile(`${folder}/tmp/${"a".repeat(32)}`, "half");
    assert.equal(await blobs.removeUnfinished(Date.now() - 3_600_000), 0);
    assert.equal(await blobs.removeUnfinished(Date.now() + 3_600_000), 1);
    assert.deepEqual(await Array.fromAsync(Deno.readDir(`${folder}/tmp`)), []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
