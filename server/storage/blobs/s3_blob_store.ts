/** Blobs as objects of an S3 bucket, `<prefix>/<path of the blob>`. */

import type * as z from "zod";
import type { BlobsAddress } from "../../config/blobs_address.ts";
import { BlobDigest } from "./blob_digest.ts";
import {
  type BlobKey,
  blobPath,
  type BlobStore,
  type ByteRange,
  type ListedBlob,
  parseBlobPath,
  type StoredBlob,
} from "./blob_store.ts";
import { readText, readXml, type S3Response, streamBody } from "./s3_body.ts";
import { S3Client, type S3Request, type S3Runtime } from "./s3_client.ts";
import { S3Error } from "./s3_error.ts";
import type { S3Keys } from "./s3_signature.ts";
import { S3Upload } from "./s3_upload.ts";
import { objectListSchema, uploadListSchema } from "./s3_xml.ts";

interface S3BlobStoreOptions {
  readonly address: BlobsAddress;
  readonly keys: S3Keys;
  readonly runtime: S3Runtime;
}

/** Position from which a list is continued; empty at its beginning. */
type Position = readonly (readonly [name: string, value: string])[];

interface UnfinishedUpload {
  readonly objectKey: string;
  readonly uploadId: string;
}

export class S3BlobStore implements BlobStore {
  readonly location: string;
  readonly unfinishedMs = 24 * 3_600_000;
  readonly #client: S3Client;
  readonly #clock: S3Runtime["clock"];
  /** With a slash behind it, or empty. */
  readonly #prefix: string;

  constructor({ address, keys, runtime }: S3BlobStoreOptions) {
    const { bucket, prefix, endpoint } = address;
    this.location = `s3://${bucket}${prefix && `/${prefix}`}${endpoint ? ` at ${endpoint}` : ""}`;
    this.#client = new S3Client(address, keys, { runtime });
    this.#clock = runtime.clock;
    this.#prefix = prefix && `${prefix}/`;
  }

  /** Throws a BlobError that says what is wrong with the address or the keys. */
  async check(): Promise<void> {
    const params = [["list-type", "2"], ["max-keys", "1"], ["prefix", this.#prefix]] as const;
    await this.#list({ action: `use ${this.location}`, params }, objectListSchema);
  }

  async put(key: BlobKey, content: AsyncIterable<Uint8Array>): Promise<StoredBlob> {
    const digest = new BlobDigest();
    const upload = new S3Upload(this.#client, this.#objectKey(key));
    try {
      for await (const bytes of content) {
        digest.add(bytes);
        await upload.add(bytes);
      }
      await upload.finish();
    } catch (error) {
      await upload.abort().catch(() => {
        // Parts that cannot be removed now are removed with what other writers have left.
      });
      throw error;
    }
    return digest.describe(key);
  }

  async open(key: BlobKey, range?: ByteRange): Promise<ReadableStream<Uint8Array> | undefined> {
    const objectKey = this.#objectKey(key);
    const request = { action: "read file", objectKey } as const;
    // HTTP has no empty range.
    if (range?.length === 0) return await this.#unlessMissing({ ...request, method: "HEAD" }, emptyBody);
    return await this.#unlessMissing({ ...request, method: "GET", range: rangeHeader(range) }, (received) => {
      const isPart = received.response.status === 206;
      if (isPart === (range !== undefined)) return Promise.resolve(streamBody(received, this.#clock));
      const error = new S3Error({ action: "read file", why: "S3 responded with another range" });
      received.abort(error);
      throw error;
    });
  }

  async delete(key: BlobKey): Promise<void> {
    const objectKey = this.#objectKey(key);
    await this.#unlessMissing({ method: "DELETE", action: "delete file", objectKey }, readText);
  }

  async *list(workspaceId?: string): AsyncGenerator<ListedBlob> {
    const prefix = `${this.#prefix}${workspaceId === undefined ? "" : `${workspaceId}/`}`;
    for (let position: Position | undefined = []; position !== undefined;) {
      const params = [["list-type", "2"], ["prefix", prefix], ...position] as const;
      const { ListBucketResult: page } = await this.#list({ action: "list files", params }, objectListSchema);
      for (const { Key, LastModified: modifiedAt } of page.Contents) {
        const key = this.#parseObjectKey(Key);
        if (key) yield { ...key, modifiedAt };
      }
      position = nextPosition(page.IsTruncated, [["continuation-token", page.NextContinuationToken]]);
    }
  }

  /** MinIO lists no uploads below a prefix, and removes old ones by itself. */
  async removeUnfinished(before: number): Promise<number> {
    let removed = 0;
    for await (const upload of this.#listUnfinished(before)) {
      if (await this.#abort(upload)) removed++;
    }
    return removed;
  }

  async *#listUnfinished(before: number): AsyncGenerator<UnfinishedUpload> {
    const action = "list unfinished uploads";
    for (let position: Position | undefined = []; position !== undefined;) {
      const params = [["uploads", ""], ["prefix", this.#prefix], ...position] as const;
      const { ListMultipartUploadsResult: page } = await this.#list({ action, params }, uploadListSchema);
      for (const { Key: objectKey, UploadId: uploadId, Initiated } of page.Upload) {
        // Others may write to the same bucket.
        if (Initiated < before && this.#parseObjectKey(objectKey)) yield { objectKey, uploadId };
      }
      const { NextKeyMarker, NextUploadIdMarker } = page;
      const markers = [["key-marker", NextKeyMarker], ["upload-id-marker", NextUploadIdMarker]] as const;
      position = nextPosition(page.IsTruncated, markers);
    }
  }

  /** False where it has been completed or aborted in the meantime. */
  async #abort({ objectKey, uploadId }: UnfinishedUpload): Promise<boolean> {
    const request = { method: "DELETE", action: "remove unfinished upload", objectKey } as const;
    const text = await this.#unlessMissing({ ...request, params: [["uploadId", uploadId]] }, readText);
    return text !== undefined;
  }

  #objectKey(key: BlobKey): string {
    return `${this.#prefix}${blobPath(key)}`;
  }

  #parseObjectKey(objectKey: string): BlobKey | undefined {
    return objectKey.startsWith(this.#prefix)
      ? parseBlobPath(objectKey.slice(this.#prefix.length))
      : undefined;
  }

  #list<T>(request: Pick<S3Request, "action" | "params">, schema: z.ZodType<T>): Promise<T> {
    return this.#client.send({ method: "GET", ...request }, (received) => readXml(received, schema));
  }

  /** Undefined where there is no such object or upload. */
  async #unlessMissing<T>(
    request: S3Request,
    read: (response: S3Response) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await this.#client.send(request, read);
    } catch (error) {
      if (error instanceof S3Error && error.isMissing) return undefined;
      throw error;
    }
  }
}

function rangeHeader(range: ByteRange | undefined): string | undefined {
  return range && `bytes=${range.offset}-${range.offset + range.length - 1}`;
}

async function emptyBody(received: S3Response): Promise<ReadableStream<Uint8Array>> {
  await readText(received);
  return new Blob([]).stream();
}

/** Where a list that was cut off goes on; undefined at its end. */
function nextPosition(
  isTruncated: boolean,
  markers: readonly (readonly [name: string, value: string | undefined])[],
): Position | undefined {
  if (!isTruncated) return undefined;
  const position = markers.flatMap(([name, value]) => value ? [[name, value] as const] : []);
  if (position.length > 0) return position;
  throw new S3Error({ action: "list files", why: "S3 cut the list off without a word on where it goes on" });
}
