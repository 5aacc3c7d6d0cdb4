/** Blobs in stores of their own processes: the contract of every store for blobs. */

import { StoreBlobStore } from "../../server/storage/blobs/store_blob_store.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { createRuntime } from "../../server/runtime.ts";
import { testBlobStore } from "../support/blob_store_contract.ts";
import { postgresAt, remoteKvStore } from "../support/each_store.ts";
import { hasPostgres, sharedPostgres } from "../support/postgres.ts";
import { linesLogger } from "../support/reader.ts";

const opened = (store: Store) => ({
  blobs: new StoreBlobStore({ store, runtime: createRuntime(linesLogger([])), mostBytes: 100_000_000 }),
  [Symbol.asyncDispose]: () => store.close(),
});

testBlobStore({ name: "on Deno KV", open: async () => opened(await remoteKvStore()) });

testBlobStore({
  name: "on PostgreSQL",
  ignore: !hasPostgres(),
  outlives: true,
  open: async () => opened(await postgresAt(await (await sharedPostgres()).createDatabase())),
});
