/** The place for the bytes of files that the settings name. */

import { type Config, ConfigError } from "../../config/config.ts";
import type { Runtime } from "../../runtime.ts";
import { BlobError, type BlobStore } from "./blob_store.ts";
import { FolderBlobStore } from "./folder_blob_store.ts";
import { S3BlobStore } from "./s3_blob_store.ts";

interface OpenBlobsOptions {
  readonly config: Pick<Config, "blobs" | "dataFolder" | "deploy" | "providerEnv">;
  readonly runtime: Pick<Runtime, "clock" | "fetch" | "random">;
}

/** Undefined on a platform that keeps no files, where no bucket is named. Throws a ConfigError for a wrong bucket or key. */
export async function openBlobs({ config, runtime }: OpenBlobsOptions): Promise<BlobStore | undefined> {
  const { blobs, dataFolder, deploy, providerEnv } = config;
  if (blobs === undefined) return deploy ? undefined : new FolderBlobStore(`${dataFolder}/blobs`);
  const [accessKeyId, secretAccessKey] = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"].map((name) =>
    requireKey(providerEnv, name)
  );
  const sessionToken = providerEnv.get("AWS_SESSION_TOKEN");
  const keys = { accessKeyId: accessKeyId ?? "", secretAccessKey: secretAccessKey ?? "", sessionToken };
  const store = new S3BlobStore({ address: blobs, keys, runtime });
  try {
    await store.check();
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
    throw new ConfigError(`TOLLGATE_BLOBS cannot be used: ${error.message}`, { cause: error });
  }
  return store;
}

function requireKey(env: ReadonlyMap<string, string>, name: string): string {
  const key = env.get(name);
  if (key !== undefined) return key;
  throw new ConfigError(`${name} is not set, and TOLLGATE_BLOBS needs it: set it to a key of the bucket`);
}
