/** Blobs in an S3 server: the contract of every store, and what only S3 has. */

import assert from "node:assert/strict";
import { BlobError } from "../../server/storage/blobs/blob_store.ts";
import { S3BlobStore } from "../../server/storage/blobs/s3_blob_store.ts";
import type { S3Keys } from "../../server/storage/blobs/s3_signature.ts";
import type { BlobsAddress } from "../../server/config/blobs_address.ts";
import { chunksOf, newBlobKey, randomBytes, readAll, testBlobStore } from "../support/blob_store_contract.ts";
import { freePort } from "../support/free_port.ts";
import { hasS3, sharedS3 } from "../support/s3_server.ts";
import { s3Clock } from "../support/s3_clock.ts";

const ignore = !hasS3();

const MIB = 1024 * 1024;

interface Changes {
  readonly address?: Partial<BlobsAddress>;
  readonly keys?: Partial<S3Keys>;
  readonly fetch?: typeof fetch;
}

/** A store over a new bucket of the server. */
async function openStore({ address, keys, fetch: fetchFn = fetch }: Changes = {}) {
  const server = await sharedS3();
  const clock = s3Clock();
  const bucket = await server.createBucket();
  const blobs = new S3BlobStore({
    address: { ...bucket, prefix: "gate/files", ...address },
    keys: { ...server.keys, ...keys },
    runtime: { fetch: fetchFn, clock, random: () => 0.5 },
  });
  return {
    blobs,
    clock,
    [Symbol.asyncDispose]: () => {
      assert.equal(clock.open, 0, "every time limit has ended");
      return Promise.resolve();
    },
  };
}

testBlobStore({ name: "S3", ignore, open: openStore });
testBlobStore({ name: "S3 without a prefix", ignore, open: () => openStore({ address: { prefix: "" } }) });

/** The real network, and `METHOD ?options` of each request. */
function recordRequests() {
  const requests: string[] = [];
  const recording: typeof fetch = (input, init) => {
    const names = [...new URL(String(input)).searchParams.keys()].sort();
    requests.push([init?.method, ...names].join(" "));
    return fetch(input, init);
  };
  return { requests, fetch: recording };
}

Deno.test({
  name: "S3BlobStore sends up to 8 MiB at once and more in parts",
  ignore,
  fn: async () => {
    const part = "PUT partNumber uploadId";
    const cases = [
      [0, ["PUT"]],
      [8 * MIB, ["PUT"]],
      [8 * MIB + 1, ["POST uploads", part, part, "POST uploadId"]],
      [24 * MIB, ["POST uploads", part, part, part, "POST uploadId"]],
    ] as const;
    for (const [size, expected] of cases) {
      const { requests, fetch: recording } = recordRequests();
      await using opened = await openStore({ fetch: recording });
      const bytes = randomBytes(size);
      const blob = await opened.blobs.put(newBlobKey(), chunksOf(bytes, 3 * MIB + 1));
      assert.deepEqual(requests, expected);
      assert.deepEqual(await readAll(await opened.blobs.open(blob)), bytes);
    }
  },
});

Deno.test({
  name: "S3BlobStore aborts the upload of a source that breaks",
  ignore,
  fn: async () => {
    const { requests, fetch: recording } = recordRequests();
    await using opened = await openStore({ fetch: recording });
    const broken = async function* () {
      yield* chunksOf(randomBytes(9 * MIB), MIB);
      throw new Error("cut");
    };
    await assert.rejects(opened.blobs.put(newBlobKey(), broken()), /^Error: cut$/);
    assert.deepEqual(requests, ["POST uploads", "PUT partNumber uploadId", "DELETE uploadId"]);
    assert.equal(await opened.blobs.removeUnfinished(Infinity), 0);
  },
});

Deno.test({
  name: "S3BlobStore removes uploads that a crash has cut off, and no others",
  ignore,
  fn: async () => {
    // The process has gone: nothing is aborted.
    const crashing: typeof fetch = (input, init) =>
      init?.method === "DELETE" ? Promise.reject(new TypeError("gone")) : fetch(input, init);
    await using crashed = await openStore({ fetch: crashing });
    const broken = async function* () {
      yield* chunksOf(randomBytes(9 * MIB), MIB);
      throw new Error("cut");
    };
    await assert.rejects(crashed.blobs.put(newBlobKey(), broken()), /^Error: cut$/);
    const { bucket } = addressIn(crashed.blobs.location);
    for (const [prefix, removed] of [["gate", 0], ["gate/files", 1], ["gate/files", 0]] as const) {
      await using opened = await openStore({ address: { bucket, prefix } });
      // Moto says of every upload that it was begun in 2010.
      assert.equal(await opened.blobs.removeUnfinished(0), 0);
      assert.equal(await opened.blobs.removeUnfinished(Date.now()), removed, prefix);
    }
  },
});

function addressIn(location: string): { readonly bucket: string } {
  const bucket = /^s3:\/\/([^/]+)\/gate\/files at http:/.exec(location)?.[1];
  assert(bucket !== undefined, location);
  return { bucket };
}

Deno.test({
  name: "S3BlobStore lists what is a blob and nothing else",
  ignore,
  fn: async () => {
    await using opened = await openStore();
    const { bucket } = addressIn(opened.blobs.location);
    await using beside = await openStore({ address: { bucket, prefix: "gate" } });
    const mine = await opened.blobs.put(newBlobKey(), chunksOf(randomBytes(5), 5));
    const other = await beside.blobs.put(newBlobKey(), chunksOf(randomBytes(5), 5));
    const ids = async (blobs: S3BlobStore) => (await Array.fromAsync(blobs.list())).map(({ id }) => id);
    assert.deepEqual(await ids(opened.blobs), [mine.id]);
    assert.deepEqual(await ids(beside.blobs), [other.id]);
  },
});

Deno.test({
  name: "S3BlobStore check says what is wrong with the address or the keys",
  ignore,
  fn: async () => {
    await using right = await openStore();
    await right.blobs.check();
    const nobody = `http://127.0.0.1:${freePort()}`;
    const cases: readonly (readonly [Changes, RegExp])[] = [
      [{ address: { bucket: "absent" } }, /there is no such bucket \(status 404, NoSuchBucket: /],
      [
        { keys: { accessKeyId: "AKIAUNKNOWN" } },
        /the access key is unknown \(status 403, InvalidAccessKeyId: /,
      ],
      [
        { keys: { secretAccessKey: "wrong" } },
        /the secret access key is wrong \(status 403, SignatureDoesNotMatch: /,
      ],
      [{ address: { endpoint: nobody } }, /S3 cannot be reached: .*refused/i],
    ];
    for (const [changes, expected] of cases) {
      await using opened = await openStore(changes);
      const { blobs } = opened;
      await assert.rejects(blobs.check(), (error) => {
        assert(error instanceof BlobError);
        assert.match(error.message, expected);
        assert(error.message.startsWith(`Cannot use ${blobs.location}: `), error.message);
        assert.doesNotMatch(error.message, /AKIA|Signature=|list-type/);
        return true;
      });
    }
  },
});
