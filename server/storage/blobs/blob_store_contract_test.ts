import assert from "node:assert/strict";
import { testBlobStore } from "../../../tests/support/blob_store_contract.ts";
import { MemoryBlobStore } from "../../../tests/support/memory_blob_store.ts";
import { FolderBlobStore } from "./folder_blob_store.ts";

testBlobStore({
  name: "memory",
  open: () =>
    Promise.resolve({
      blobs: new MemoryBlobStore(),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
});

testBlobStore({
  name: "folder",
  open: async () => {
    const folder = await Deno.makeTempDir();
    return {
      blobs: new FolderBlobStore(`${folder}/blobs`),
      [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
    };
  },
});

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
