/** Tests the store for blobs in S3 with a server that misbehaves. */

import assert from "node:assert/strict";
import { BlobError } from "../../server/storage/blobs/blob_store.ts";
import { S3BlobStore } from "../../server/storage/blobs/s3_blob_store.ts";
import type { BlobsAddress } from "../../server/config/blobs_address.ts";
import { chunksOf, newBlobKey, randomBytes, readAll, workspaceId } from "../support/blob_store_contract.ts";
import { s3Clock } from "../support/s3_clock.ts";
import { until } from "../support/until.ts";

const keys = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "hidden", sessionToken: "token" };
const MIB = 1024 * 1024;
const key = { workspaceId, id: "ab".repeat(16) };

type Answer = (url: URL, request: Request) => Response | Promise<Response>;

interface StoreOptions {
  readonly address?: Partial<BlobsAddress>;
  readonly fetch?: typeof fetch;
}

function storeOver(endpoint: string | undefined, { address, fetch: fetchFn = fetch }: StoreOptions = {}) {
  const clock = s3Clock();
  const blobs = new S3BlobStore({
    address: { bucket: "files", prefix: "gate", region: "eu-west-1", endpoint, ...address },
    keys,
    runtime: { fetch: fetchFn, clock, random: () => 0 },
  });
  return { blobs, clock };
}

/** A store over a server that answers as the test says. */
function serve(answer: Answer) {
  const requests: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const url = new URL(request.url);
    requests.push(`${request.method} ${[...url.searchParams.keys()].join(" ")}`.trim());
    const response = await answer(url, request);
    // A body that nobody reads would be cut off.
    if (!request.bodyUsed) await request.body?.cancel();
    return response;
  });
  const { blobs, clock } = storeOver(`http://127.0.0.1:${server.addr.port}`);
  return {
    blobs,
    clock,
    requests,
    [Symbol.asyncDispose]: async () => {
      await server.shutdown();
      assert.equal(clock.open, 0, "every time limit has ended");
    },
  };
}

const errorXml = (code: string, message: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;

const slowDown = () => new Response(errorXml("SlowDown", "Please reduce your request rate"), { status: 503 });

const put = (blobs: S3BlobStore, size: number) => blobs.put(newBlobKey(), chunksOf(randomBytes(size), MIB));

const blobError = (expected: RegExp) => (error: unknown) => {
  assert(error instanceof BlobError);
  assert.match(error.message, expected);
  assert.doesNotMatch(error.message, /AKIA|hidden|token|abab/);
  return true;
};

Deno.test("S3BlobStore repeats a request that may succeed a moment later", async () => {
  for (const status of [429, 500, 503]) {
    const bodies: number[] = [];
    await using served = serve(async (_url, request) => {
      bodies.push((await request.bytes()).length);
      return bodies.length < 3 ? new Response("busy", { status }) : new Response();
    });
    const blob = await put(served.blobs, 300_000);
    assert.equal(blob.size, 300_000);
    assert.deepEqual(bodies, [300_000, 300_000, 300_000]);
    assert.deepEqual(served.clock.pauses, [125, 500]);
  }
});

Deno.test("S3BlobStore gives up after three attempts and says why", async () => {
  await using served = serve(slowDown);
  const expected =
    /^Cannot write file: S3 responded with an error \(status 503, SlowDown: Please reduce .* rate\)$/;
  await assert.rejects(put(served.blobs, 1), blobError(expected));
  assert.deepEqual(served.requests, ["PUT", "PUT", "PUT"]);
});

Deno.test("S3BlobStore repeats a request whose connection breaks", async () => {
  let calls = 0;
  const fetchFn: typeof fetch = () =>
    ++calls < 3 ? Promise.reject(new TypeError("fetch failed")) : Promise.resolve(new Response());
  const { blobs, clock } = storeOver("http://127.0.0.1", { fetch: fetchFn });
  await blobs.delete(key);
  assert.deepEqual([calls, clock.pauses.length], [3, 2]);
});

Deno.test("S3BlobStore does not repeat what is wrong for good, and hides keys in S3's words", async () => {
  const message = `Key AKIAEXAMPLE\n is not one of us ${"x".repeat(400)}`;
  await using served = serve(() => new Response(errorXml("AccessDenied", message), { status: 403 }));
  const expected =
    /^Cannot read file: the access key lacks a permission \(status 403, AccessDenied: Key … is not one of us x{277}…\)$/;
  await assert.rejects(served.blobs.open(key), blobError(expected));
  assert.deepEqual(served.requests, ["GET"]);
});

Deno.test("S3BlobStore takes a missing bucket for no missing file", async () => {
  await using served = serve(() => new Response(errorXml("NoSuchBucket", "None"), { status: 404 }));
  await assert.rejects(served.blobs.open(key), blobError(/^Cannot read file: there is no such bucket/));
  await assert.rejects(served.blobs.delete(key), blobError(/^Cannot delete file: there is no such bucket/));
});

Deno.test("S3BlobStore follows no redirect", async () => {
  const headers = { location: "http://127.0.0.1:1/" };
  const moved = errorXml("PermanentRedirect", "Use the endpoint of the region");
  await using served = serve(() => new Response(moved, { status: 301, headers }));
  const expected = /the region or the endpoint is wrong \(status 301, PermanentRedirect: /;
  await assert.rejects(served.blobs.check(), blobError(expected));
});

Deno.test("S3BlobStore check refuses a server that is not S3", async () => {
  const page = () => new Response("<!doctype html><title>Welcome</title>");
  const entity =
    '<!DOCTYPE a [<!ENTITY b "c">]><ListBucketResult><IsTruncated>&b;</IsTruncated></ListBucketResult>';
  for (const answer of [page, () => new Response("{}"), () => new Response(entity)]) {
    await using served = serve(answer);
    await assert.rejects(served.blobs.check(), blobError(/: the response is not one of S3$/));
  }
});

Deno.test("S3BlobStore takes no response for a time limit and repeats the request", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  await using served = serve(() => promise);
  const opened = assert.rejects(
    served.blobs.open(key),
    blobError(/^Cannot read file: S3 did not respond within 30 s$/),
  );
  for (let attempt = 1; attempt <= 3; attempt++) {
    await until(() => served.requests.length === attempt && served.clock.open === 1);
    served.clock.exceedLimits();
  }
  await opened;
  resolve(new Response());
});

/** The first bytes of an object, and then nothing or what `pull` does. */
const begun = (pull?: () => void) =>
  new Response(
    new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(10)), pull }),
  );

Deno.test("S3BlobStore ends a body that stalls or breaks with a BlobError", async () => {
  await using stalling = serve(() => begun());
  const stalled = (await stalling.blobs.open(key))?.getReader();
  assert.equal((await stalled?.read())?.value?.length, 10);
  const next = assert.rejects(async () => await stalled?.read(), blobError(/S3 sent nothing for 30 s$/));
  await until(() => stalling.clock.open === 1);
  stalling.clock.exceedLimits();
  await next;
  const breaks = () => {
    throw new Error("broken");
  };
  const { blobs } = storeOver("http://127.0.0.1", { fetch: () => Promise.resolve(begun(breaks)) });
  const body = await blobs.open(key);
  await assert.rejects(readAll(body), blobError(/^Cannot read file: S3 cannot be reached: broken$/));
});

Deno.test("S3BlobStore takes a whole object for no part of it", async () => {
  await using served = serve(() => new Response("whole"));
  const range = { offset: 1, length: 2 };
  await assert.rejects(served.blobs.open(key, range), blobError(/S3 responded with another range$/));
});

interface UploadServer {
  readonly completed: () => Response;
  /** Status that HEAD of the object returns. */
  readonly status?: number;
}

/** A server that takes the parts of an upload, whose end the test answers. */
function serveUpload({ completed, status = 404 }: UploadServer) {
  const created = "<InitiateMultipartUploadResult><UploadId>0010</UploadId></InitiateMultipartUploadResult>";
  return serve((url, { method }) => {
    if (url.searchParams.has("uploads")) return new Response(created);
    assert.equal(url.searchParams.get("uploadId") ?? "0010", "0010");
    if (method === "PUT") return new Response(null, { headers: { etag: '"a&b"' } });
    if (method === "HEAD") return new Response(null, { status });
    return method === "POST" ? completed() : new Response(null, { status: 204 });
  });
}

const parts = ["POST uploads", "PUT partNumber uploadId", "PUT partNumber uploadId"];
const complete = "POST uploadId";

Deno.test("S3BlobStore takes an error behind a status 200 for what it is", async () => {
  const failures = {
    InternalError: [complete, complete, complete],
    InvalidPart: [complete],
  };
  for (const [code, attempts] of Object.entries(failures)) {
    // S3 keeps the connection alive with spaces while it works.
    const completed = () => new Response(`<?xml version="1.0"?>  \n ${errorXml(code, "No").slice(38)}`);
    await using served = serveUpload({ completed });
    const expected = new RegExp(`^Cannot write file: .* \\(status 200, ${code}: No\\)$`);
    await assert.rejects(put(served.blobs, 9 * MIB), blobError(expected));
    assert.deepEqual(served.requests, [...parts, ...attempts, "DELETE uploadId"]);
  }
});

Deno.test("S3BlobStore takes an upload as complete whose response was lost", async () => {
  for (const [status, isThere] of [[200, true], [404, false]] as const) {
    let attempts = 0;
    const unknown = () => new Response(errorXml("NoSuchUpload", "None"), { status: 404 });
    await using served = serveUpload({ completed: () => attempts++ === 0 ? slowDown() : unknown(), status });
    const done = put(served.blobs, 9 * MIB);
    if (isThere) assert.equal((await done).size, 9 * MIB);
    else await assert.rejects(done, blobError(/NoSuchUpload/));
    const ending = isThere ? [] : ["DELETE uploadId"];
    assert.deepEqual(served.requests, [...parts, complete, complete, "HEAD", ...ending]);
  }
});

const path = (number: number) => {
  const id = number.toString(16).padStart(32, "0");
  return `gate/${workspaceId}/${id.slice(-2)}/${id}`;
};

Deno.test("S3BlobStore lists page after page", async () => {
  const total = 2_500;
  await using served = serve((url) => {
    assert.equal(url.searchParams.get("prefix"), `gate/${workspaceId}/`);
    const from = Number(url.searchParams.get("continuation-token")?.slice(2) ?? 0);
    const until = Math.min(from + 1_000, total);
    const rows = Array.from(
      { length: until - from },
      (_, index) =>
        `<Contents><Key>${path(from + index)}</Key><LastModified>2026-01-14T12:00:00.000Z</LastModified>` +
        "<ETag>&quot;a&quot;</ETag><Size>1</Size></Contents>",
    );
    const next = until < total ? `<NextContinuationToken>+/${until}</NextContinuationToken>` : "";
    const foreign = `<Contents><Key>gate/a &amp; b</Key><LastModified>2026-01-14</LastModified></Contents>`;
    return new Response(
      `<ListBucketResult><Name>files</Name><IsTruncated>${until < total}</IsTruncated>${rows.join("")}` +
        `${foreign}${next}</ListBucketResult>`,
    );
  });
  const listed = await Array.fromAsync(served.blobs.list(workspaceId));
  assert.equal(new Set(listed.map(({ id }) => id)).size, total);
  assert(listed.every(({ modifiedAt }) => modifiedAt === Date.UTC(2026, 0, 14, 12)));
  assert.equal(served.requests.length, 3);
});

Deno.test("S3BlobStore ends a list that does not say where it goes on", async () => {
  await using served = serve(() =>
    new Response("<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>")
  );
  await assert.rejects(
    Array.fromAsync(served.blobs.list()),
    blobError(/without a word on where it goes on$/),
  );
});

Deno.test("S3BlobStore removes old uploads page after page", async () => {
  const upload = (objectKey: string, uploadId: string, { day = 10 } = {}) =>
    `<Upload><Key>${objectKey}</Key><UploadId>${uploadId}</UploadId>` +
    `<Initiated>2026-01-${day}T00:00:00.000Z</Initiated></Upload>`;
  const first = upload(path(1), "0001") + upload(path(1), "0002", { day: 20 }) + upload("gate/else", "0003");
  const markers = `<NextKeyMarker>${path(1)}</NextKeyMarker><NextUploadIdMarker>0002</NextUploadIdMarker>`;
  const aborted: unknown[] = [];
  await using served = serve((url, { method }) => {
    const params = url.searchParams;
    if (method === "DELETE") aborted.push(params.get("uploadId"));
    // Its writer has completed it in the meantime.
    if (params.get("uploadId") === "0005") return new Response(errorXml("NoSuchUpload", ""), { status: 404 });
    if (method === "DELETE") return new Response(null, { status: 204 });
    const page = params.has("key-marker")
      ? upload(path(2), "0004") + upload(path(2), "0005")
      : `${first}<IsTruncated>true</IsTruncated>${markers}`;
    const position = [params.get("key-marker"), params.get("upload-id-marker")];
    assert(params.has("key-marker") ? position.join() === `${path(1)},0002` : true);
    return new Response(`<ListMultipartUploadsResult>${page}</ListMultipartUploadsResult>`);
  });
  assert.equal(await served.blobs.removeUnfinished(Date.UTC(2026, 0, 15)), 2);
  assert.deepEqual(aborted, ["0001", "0004", "0005"]);
});

Deno.test("S3BlobStore addresses a bucket of AWS by its host, and by its path for dots", async () => {
  const sent: [string, Headers][] = [];
  const fetchFn: typeof fetch = (input, init) => {
    sent.push([String(input), new Headers(init?.headers)]);
    return Promise.resolve(new Response());
  };
  const object = `/gate/${workspaceId}/ab/${key.id}`;
  for (
    const [bucket, origin] of [
      ["files", "https://files.s3.eu-west-1.amazonaws.com"],
      ["my.files", "https://s3.eu-west-1.amazonaws.com/my.files"],
    ] as const
  ) {
    const { blobs } = storeOver(undefined, { address: { bucket }, fetch: fetchFn });
    assert.equal(blobs.location, `s3://${bucket}/gate`);
    await blobs.delete(key);
    const [url, headers] = sent.pop() ?? [];
    assert.equal(url, `${origin}${object}`);
    assert.equal(headers?.get("x-amz-security-token"), "token");
    assert.match(
      headers?.get("authorization") ?? "",
      /\/eu-west-1\/s3\/aws4_request, SignedHeaders=host;x-amz-/,
    );
  }
});
