/** The place for the bytes of files that the settings name. */

import { type Config, ConfigError } from "../../config/config.ts";
import type { BlobsAddress } from "../../config/blobs_address.ts";
import type { Runtime } from "../../runtime.ts";
import { BlobError, type BlobStore } from "./blob_store.ts";
import { FolderBlobStore } from "./folder_blob_store.ts";
import { S3BlobStore } from "./s3_blob_store.ts";
import { StoreBlobStore } from "./store_blob_store.ts";
import type { Store } from "../stores/store.ts";

interface OpenBlobsOptions {
  readonly config: Pick<Config, "blobs" | "dataFolder" | "limits" | "providerEnv">;
  readonly runtime: Pick<Runtime, "clock" | "fetch" | "id" | "random">;
  readonly store: Store;
}

/** Undefined where no files are taken. Throws a ConfigError for a wrong bucket or key. */
export async function openBlobs(
  { config, runtime, store }: OpenBlobsOptions,
): Promise<BlobStore | undefined> {
  const { blobs, dataFolder, limits, providerEnv } = config;
  if (blobs === "off") return undefined;
  if (blobs === "store") return new StoreBlobStore({ store, runtime, mostBytes: limits.storeFileBytes });
  if (blobs === undefined) return new FolderBlobStore(`${dataFolder}/blobs`);
  return await openBucket(blobs, { runtime, providerEnv });
}

interface OpenBucketOptions extends Pick<OpenBlobsOptions, "runtime"> {
  readonly providerEnv: Config["providerEnv"];
}

async function openBucket(
  address: BlobsAddress,
  { runtime, providerEnv }: OpenBucketOptions,
): Promise<S3BlobStore> {
  const [accessKeyId, secretAccessKey] = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"].map((name) =>
    requireKey(providerEnv, name)
  );
  const sessionToken = providerEnv.get("AWS_SESSION_TOKEN");
  const keys = { accessKeyId: accessKeyId ?? "", secretAccessKey: secretAccessKey ?? "", sessionToken };
  const bucket = new S3BlobStore({ address, keys, runtime });
  try {
    await bucket.check();
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
    throw new ConfigError(`TOLLGATE_BLOBS cannot be used: ${error.message}`, { cause: error });
  }
  return bucket;
}

function requireKey(env: ReadonlyMap<string, string>, name: string): string {
  const key = env.get(name);
  if (key !== undefined) return key;
  throw new ConfigError(`${name} is not set, and TOLLGATE_BLOBS needs it: set it to a key of the bucket`);
}
