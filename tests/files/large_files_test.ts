/** 100 MiB up and down, whole and resumed in the middle, on every place for bytes. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { BlobStore } from "../../server/storage/blobs/blob_store.ts";
import { FolderBlobStore } from "../../server/storage/blobs/folder_blob_store.ts";
import { S3BlobStore } from "../../server/storage/blobs/s3_blob_store.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { fileCall, fileRows, makeFile, upload } from "../support/files.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";
import { hasS3, sharedS3 } from "../support/s3_server.ts";
import { tickingClock } from "../support/ticking_clock.ts";

const SIZE = 100 * 1024 * 1024;
const line = "All these lines are alike, and yet there are many of them.\n";
const bytes = new TextEncoder().encode(line.repeat(Math.ceil(SIZE / line.length))).slice(0, SIZE);
const sha256 = createHash("sha256").update(bytes).digest("hex");

const places: Readonly<
  Record<string, { readonly ignore?: boolean; readonly open: () => Promise<BlobStore> }>
> = {
  folder: { open: async () => new FolderBlobStore(await Deno.makeTempDir()) },
  S3: {
    ignore: !hasS3(),
    open: async () => {
      const server = await sharedS3();
      const runtime = { fetch, clock: tickingClock(), random: Math.random };
      return new S3BlobStore({ address: await server.createBucket(), keys: server.keys, runtime });
    },
  },
};

async function download(gateway: Gateway, id: string, { from = 0, until = SIZE } = {}): Promise<Uint8Array> {
  const range = { range: `bytes=${from}-`, "if-range": `"${sha256}"` };
  const response = await fileCall(gateway, {
    path: `/tg_file_${id}/content`,
    token: gateway.managementKey,
    headers: from === 0 ? {} : range,
  });
  assert.deepEqual(
    [response.status, response.headers.get("content-length")],
    [from === 0 ? 200 : 206, `${SIZE - from}`],
  );
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = from;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= until && until < SIZE) break;
  }
  return await new Blob(chunks).bytes();
}

for (const [name, { ignore, open }] of Object.entries(places)) {
  // The S3 server outlives the test that asks for it first.
  const outlives = name === "S3" ? { sanitizeOps: false, sanitizeResources: false } : {};
  Deno.test(
    `100 MiB go up and come down, interrupted and resumed (${name})`,
    { ignore, ...outlives },
    async () => {
      const blobs = await open();
      await using gateway = await startGateway({ blobs });
      const { status, body } = await upload(gateway, { bytes, name: "lines.txt" });
      assert.deepEqual([status, body.size_bytes, body.mime_type], [200, SIZE, "text/plain"]);
      assert.equal((await fileRows(gateway))[0]?.sha256, sha256);
      const { body: workspaces } = await managed(gateway, { call: "GET /workspaces" });
      const workspaceId = String(asObject(asList(workspaces.data)[0]).id);
      const { id } = await makeFile(gateway, { workspaceId, bytes });
      assert.equal(Buffer.compare(await download(gateway, id), bytes), 0);
      const begun = await download(gateway, id, { until: 37_000_001 });
      const rest = await download(gateway, id, { from: begun.length });
      assert.equal(Buffer.compare(Buffer.concat([begun, rest]), bytes), 0);
      await (await fileCall(gateway, { path: `/${body.id}`, token: gateway.apiKey, method: "DELETE" })).body
        ?.cancel();
      assert.deepEqual((await Array.fromAsync(blobs.list())).map((blob) => blob.id), [id]);
      await blobs.delete({ workspaceId, id });
    },
  );
}
