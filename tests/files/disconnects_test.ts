/** Clients that leave within an upload or a download, and clients that read slowly. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { BlobDigest } from "../../server/storage/blobs/blob_digest.ts";
import type { BlobKey, BlobStore, ByteRange, StoredBlob } from "../../server/storage/blobs/blob_store.ts";
import { fileUsage, publicFileId } from "../../server/storage/files/file_rows.ts";
import { type Random, seeded } from "../fuzz/random.ts";
import { handles } from "../support/disconnecting_clients.ts";
import { fileCall, fileRows, upload } from "../support/files.ts";
import { type FolderGateway, makeToolFile, startFolderGateway } from "../support/folder_gateway.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { MemoryBlobStore } from "../support/memory_blob_store.ts";
import { randomBytes } from "../support/random_bytes.ts";
import { Line, openResetting } from "../support/raw_client.ts";
import { FORM_EXTRA, partHeaders, rawUpload, uploadHead } from "../support/raw_upload.ts";
import { pause, until } from "../support/until.ts";
import { seed } from "../support/seed.ts";
import { runs } from "../support/property.ts";

const MIB = 1024 * 1024;
const ways = ["hangs up", "resets", "half-closes"] as const;
const text = (length: number) =>
  new TextEncoder().encode("a line of text\n".repeat(length / 15 + 1)).subarray(0, length);

const errorsOf = ({ logged }: Gateway) => logged.filter((line) => line.includes('"level":"error"'));

/** Nothing is left of an upload: no record, no blob, no unfinished blob, no deadline, and nothing is counted. */
async function assertNothingLeft({ gateway, unfinished }: FolderGateway): Promise<void> {
  const blobsLeft = async () => [...await Array.fromAsync(gateway.blobs.list()), ...await unfinished()];
  const ended = async () => gateway.clock.open === 0 && (await blobsLeft()).length === 0;
  await until(ended, { what: "the end of every upload" });
  assert.deepEqual(await fileRows(gateway), []);
  const counted = (await fileUsage(gateway.store).list()).filter(({ record }) =>
    record.files + record.bytes > 0
  );
  assert.deepEqual(counted, []);
}

/** A part of the request is chosen before the place in it, so that the short parts have their share. */
function randomCut(random: Random, { bytes, offsets }: ReturnType<typeof rawUpload>): number {
  const part = random.below(offsets.length);
  const [from = 0, to = bytes.length] = [offsets[part], offsets[part + 1]];
  return from + random.below(to - from);
}

async function leaveUpload({ gateway }: FolderGateway, random: Random): Promise<void> {
  const content = text(1 + random.below(random.pick([100, 100_000, MIB])));
  const chunkSize = random.below(2) === 0 ? undefined : 1 + random.below(100_000);
  const form = rawUpload(gateway, {
    content,
    chunkSize: chunkSize && Math.max(chunkSize, content.length >> 6),
  });
  const cut = randomCut(random, form);
  const middle = random.below(cut + 1);
  const packets = [form.bytes.subarray(0, middle), form.bytes.subarray(middle, cut)];
  const way = random.pick(ways);
  if (way === "resets") {
    const client = await openResetting(gateway.port);
    for (const packet of packets) await client.send(packet);
    await pause(random.below(5));
    return await client.reset();
  }
  await using line = await Line.open(gateway.port);
  await line.send(...packets);
  await pause(random.below(5));
  if (way === "hangs up") return;
  await line.halfClose();
  // Who listens is told that the body broke off, unless the head had not come.
  if (cut >= (form.offsets[1] ?? 0)) assert.match(await line.rest(), /^HTTP\/1\.1 400 /);
}

Deno.test(`a client that leaves at a random byte of an upload leaves nothing behind (SEED=${seed})`, async () => {
  const random = seeded(seed);
  await using rig = await startFolderGateway();
  const { gateway } = rig;
  const before = handles();
  for (let round = 0; round < runs(15); round++) {
    await Promise.all(Array.from({ length: 10 }, () => leaveUpload(rig, random)));
    await assertNothingLeft(rig);
  }
  await until(() => handles() <= before + 4, { what: "that every socket and file is given back" });
  assert.deepEqual(errorsOf(gateway), []);
  assert.equal((await upload(gateway)).status, 200);
});

for (const part of ["before the file", "behind the file"]) {
  Deno.test(`a client that leaves ${part}, at every byte of the form there, leaves nothing behind`, async () => {
    await using rig = await startFolderGateway();
    const { gateway } = rig;
    const { bytes, offsets } = rawUpload(gateway, { content: text(20) });
    const [from, to] = part === "before the file" ? [offsets[1], offsets[2]] : [offsets[3], bytes.length];
    for (let cut = from ?? 0; cut < (to ?? 0); cut++) {
      await using line = await Line.open(gateway.port);
      await line.send(bytes.subarray(0, cut));
      await line.halfClose();
      assert.match(await line.rest(), /^HTTP\/1\.1 400 /);
    }
    await assertNothingLeft(rig);
    assert.deepEqual(errorsOf(gateway), []);
  });
}

/** The head of a request for a file's bytes. */
const downloadHead = ({ managementKey }: Gateway, id: string) =>
  `GET /v1/files/${id}/content HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${managementKey}\r\n\r\n`;

Deno.test("a client that leaves within a download frees the file and the connection", async () => {
  const random = seeded(seed);
  await using rig = await startFolderGateway();
  const { gateway } = rig;
  // More than the system holds for a connection.
  const row = await makeToolFile(gateway, randomBytes(40 * MIB));
  const head = downloadHead(gateway, publicFileId(row));
  const before = handles();
  for (let round = 0; round < 10; round++) {
    const bytes = random.below(4) === 0 ? 0 : random.below(10 * MIB);
    if (round % 2 === 0) {
      await using line = await Line.open(gateway.port);
      await line.send(head);
      for (let read = 0; read < bytes;) read += (await line.more())?.length ?? bytes;
      continue;
    }
    const client = await openResetting(gateway.port);
    await client.send(head);
    await until(() => client.received() >= bytes, { what: "bytes of the file" });
    await client.reset();
  }
  await until(() => handles() <= before + 2, { what: "that every socket and file is given back" });
  assert.deepEqual(errorsOf(gateway), []);
});

Deno.test("a download that is interrupted again and again is resumed to the same bytes", async () => {
  const random = seeded(seed);
  await using rig = await startFolderGateway();
  const { gateway } = rig;
  const bytes = randomBytes(5 * MIB + 1);
  const row = await makeToolFile(gateway, bytes);
  const path = `/${publicFileId(row)}/content`;
  const token = gateway.managementKey;
  const received: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  let etag = "";
  let requests = 0;
  for (; size < bytes.length; requests++) {
    const headers = { range: `bytes=${size}-`, "if-range": etag };
    const response = await fileCall(gateway, size === 0 ? { path, token } : { path, token, headers });
    assert.equal(response.status, size === 0 ? 200 : 206);
    etag = response.headers.get("etag") ?? "";
    const reader = response.body?.getReader();
    for (const end = size + random.below(MIB); size <= end;) {
      const { done, value } = await reader?.read() ?? { done: true, value: undefined };
      if (done) break;
      received.push(value);
      size += value.length;
    }
    await reader?.cancel();
  }
  assert(requests > 3, "it was interrupted");
  assert.deepEqual(await new Blob(received).bytes(), bytes);
  const headers = { range: `bytes=${size - 5}-`, "if-range": '"of another file"' };
  const whole = await fileCall(gateway, { path, token, headers });
  assert.equal(whole.status, 200, "other bytes are not taken for these");
  assert.deepEqual(await whole.bytes(), bytes);
  assert.deepEqual(errorsOf(gateway), []);
});

const CHUNK = new Uint8Array(64 * 1024).fill(120);

/** Bytes that are made while they are read, and counted. */
class MadeUpBlobStore extends MemoryBlobStore implements BlobStore {
  read = 0;
  cancelled = 0;
  #size = 0;

  override async put(key: BlobKey, content: AsyncIterable<Uint8Array>): Promise<StoredBlob> {
    const digest = new BlobDigest();
    for await (const bytes of content) digest.add(bytes);
    this.#size = digest.size;
    return digest.describe(key);
  }

  override open(_: BlobKey, { offset, length }: ByteRange = { offset: 0, length: this.#size }) {
    const end = offset + length;
    let next = offset;
    return Promise.resolve(
      new ReadableStream<Uint8Array<ArrayBuffer>>({
        pull: (controller) => {
          if (next >= end) return controller.close();
          const chunk = CHUNK.slice(0, Math.min(CHUNK.length, end - next));
          next += chunk.length;
          this.read += chunk.length;
          controller.enqueue(chunk);
        },
        cancel: () => {
          this.cancelled++;
        },
      }, { highWaterMark: 0 }),
    );
  }
}

const SIZE = 96 * MIB;
/** Most bytes that the system may hold of a connection, on both sides. */
const HELD = 48 * MIB;

async function* madeUp(size: number): AsyncGenerator<Uint8Array> {
  for (let made = 0; made < size; made += CHUNK.length) yield await Promise.resolve(CHUNK);
}

Deno.test("a client that reads slowly gets no more read than the system holds for it", async () => {
  const blobs = new MadeUpBlobStore();
  await using gateway = await startGateway({ blobs });
  const row = await makeToolFile(gateway, madeUp(SIZE));
  await using line = await Line.open(gateway.port);
  await line.send(downloadHead(gateway, publicFileId(row)));
  const hash = createHash("sha256");
  let received = 0;
  let headBytes: number | undefined;
  for (let reads = 0; headBytes === undefined || received < SIZE + headBytes; reads++) {
    // Slow at first, and then as fast as it can.
    if (reads < 100) await pause(2);
    const bytes = await line.more();
    assert(bytes !== undefined, "the download is complete");
    headBytes ??= new TextDecoder().decode(bytes).indexOf("\r\n\r\n") + 4;
    hash.update(received === 0 ? bytes.subarray(headBytes) : bytes);
    received += bytes.length;
    assert(blobs.read - received <= HELD, `${blobs.read} bytes were read, and ${received} received`);
  }
  assert.equal(hash.digest("hex"), row.sha256);
  assert.equal(blobs.cancelled, 0);
  line.hangUp();
});

Deno.test("a blob store that takes nothing holds a quick upload back", async () => {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  let taken = 0;
  const blobs = new MadeUpBlobStore();
  const put = blobs.put.bind(blobs);
  blobs.put = (key, content) =>
    put(
      key,
      (async function* () {
        for await (const bytes of content) {
          taken += bytes.length;
          yield bytes;
          await promise;
        }
      })(),
    );
  await using gateway = await startGateway({ blobs });
  await using line = await Line.open(gateway.port);
  await line.send(uploadHead(gateway, SIZE + FORM_EXTRA), partHeaders);
  let sent = 0;
  let over = false;
  const sending = (async () => {
    for (; sent < SIZE && !over; sent += CHUNK.length) over = !await line.send(CHUNK);
  })();
  await until(() => taken > 0, { what: "that the content arrives" });
  let [turns, last] = [0, -1];
  await until(() => {
    [turns, last] = [sent === last ? turns + 1 : 0, sent];
    return turns > 30 || sent >= SIZE;
  }, { what: "that the client is held back" });
  assert(sent < HELD && taken < MIB, `${sent} bytes were sent, and ${taken} taken`);
  // It leaves while nothing of it is read.
  line.hangUp();
  release();
  await sending;
  await until(() => gateway.clock.open === 0, { what: "the end of the upload" });
  assert.deepEqual(await fileRows(gateway), []);
});
