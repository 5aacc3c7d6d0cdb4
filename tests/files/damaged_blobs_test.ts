/** Files whose bytes are damaged or gone, and a place for bytes that fails. */

import assert from "node:assert/strict";
import { BlobError, type BlobKey, type StoredBlob } from "../../server/storage/blobs/blob_store.ts";
import { type FileRow, publicFileId } from "../../server/storage/files/file_rows.ts";
import { readError, type Reported } from "../support/call.ts";
import { asObject } from "../support/event_stream.ts";
import { fileCall, fileRows, upload } from "../support/files.ts";
import { makeToolFile, startFolderGateway } from "../support/folder_gateway.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { MemoryBlobStore } from "../support/memory_blob_store.ts";
import { Line } from "../support/raw_client.ts";
import { latin1 } from "../support/reply.ts";
import { randomBytes } from "../support/random_bytes.ts";
import { until } from "../support/until.ts";

const SIZE = 1_000_000;

interface Received {
  readonly status: number;
  readonly length: number;
  readonly body: Uint8Array;
}

/** Reads a download until its connection ends. */
async function download(gateway: Gateway, { row, range = "" }: {
  readonly row: FileRow;
  readonly range?: string;
}): Promise<Received> {
  await using line = await Line.open(gateway.port);
  await line.send(
    `GET /v1/files/${publicFileId(row)}/content HTTP/1.1\r\nHost: localhost\r\n${range}` +
      `Authorization: Bearer ${gateway.managementKey}\r\nConnection: close\r\n\r\n`,
  );
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let bytes = await line.more(); bytes !== undefined; bytes = await line.more()) {
    chunks.push(bytes.slice());
  }
  const all = await new Blob(chunks).bytes();
  const text = latin1(all);
  const bodyOffset = text.indexOf("\r\n\r\n") + 4;
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0),
    length: Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, bodyOffset))?.[1] ?? 0),
    body: all.subarray(bodyOffset),
  };
}

const errorsOf = ({ logged }: Pick<Gateway, "logged">) =>
  logged.map((line) => asObject(JSON.parse(line))).filter(({ level }) => level === "error");

/** Flips a bit of one byte. */
async function flipBit(path: string, offset: number): Promise<void> {
  using file = await Deno.open(path, { read: true, write: true });
  const byte = new Uint8Array(1);
  await file.seek(offset, Deno.SeekMode.Start);
  await file.read(byte);
  await file.seek(offset, Deno.SeekMode.Start);
  await file.write(byte.map((bits) => bits ^ 16));
}

const damages: Readonly<Record<string, (path: string, size: number) => Promise<void>>> = {
  "its first byte changed": (path) => flipBit(path, 0),
  "a byte in the middle changed": (path, size) => flipBit(path, size >> 1),
  "its last byte changed": (path, size) => flipBit(path, size - 1),
  "its last byte gone": (path, size) => Deno.truncate(path, size - 1),
  "half of it gone": (path, size) => Deno.truncate(path, size >> 1),
  "no byte left": (path) => Deno.truncate(path, 0),
  "a byte added": (path) => Deno.writeFile(path, Uint8Array.of(0), { append: true }),
};

for (const size of [100, SIZE]) {
  Deno.test(`a damaged file of ${size} bytes is never downloaded as a whole, and the log names it`, async (t) => {
    await using rig = await startFolderGateway();
    const { gateway, pathOf } = rig;
    for (const [damage, apply] of Object.entries(damages)) {
      await t.step(damage, async () => {
        const bytes = randomBytes(size);
        const row = await makeToolFile(gateway, bytes);
        assert.deepEqual((await download(gateway, { row })).body, bytes);
        await apply(pathOf(row), size);
        const logged = errorsOf(gateway).length;
        const { length, body } = await download(gateway, { row });
        assert(length === size || length === 0, "the head tells the whole length, or never came");
        assert(body.length < size, "the body is not complete");
        await until(() => errorsOf(gateway).length > logged, { what: "the error in the log" });
        if (damage === "a byte added") return;
        const found = errorsOf(gateway).find(({ message, file }) =>
          message === "File content is damaged" && file === row.id
        );
        assert.equal(found?.workspace, row.workspace_id);
      });
    }
  });
}

Deno.test("a part of a file that was cut behind it is downloaded, and one that reaches beyond the cut breaks off", async () => {
  await using rig = await startFolderGateway();
  const { gateway, pathOf } = rig;
  const bytes = randomBytes(SIZE);
  const row = await makeToolFile(gateway, bytes);
  await Deno.truncate(pathOf(row), SIZE - 10);
  const before = await download(gateway, { row, range: "Range: bytes=10-19\r\n" });
  assert.deepEqual([before.status, before.body], [206, bytes.subarray(10, 20)]);
  assert.deepEqual(errorsOf(gateway), []);
  const beyond = await download(gateway, { row, range: "Range: bytes=-20\r\n" });
  assert.deepEqual([beyond.status, beyond.length], [206, 20]);
  assert(beyond.body.length < 20, "the body is not complete");
  await until(() => errorsOf(gateway).length === 1, { what: "the error in the log" });
});

Deno.test("a file whose bytes are gone is answered 404 with a sentence, and can be deleted", async () => {
  await using rig = await startFolderGateway();
  const { gateway, pathOf } = rig;
  const row = await makeToolFile(gateway, randomBytes(10));
  await Deno.remove(pathOf(row));
  const token = gateway.managementKey;
  const path = `/${publicFileId(row)}`;
  // A range that is malformed asks for the whole.
  for (const range of ["", "bytes=0-3"]) {
    const { status, message } = await readError(
      await fileCall(gateway, { path: `${path}/content`, token, headers: { range } }),
    );
    assert.deepEqual(
      [status, message],
      [404, "The content of this file is gone: only its record is left."],
    );
  }
  const deleted = await fileCall(gateway, { path, token, method: "DELETE" });
  assert.equal(deleted.status, 200, await deleted.text());
  assert.deepEqual(await fileRows(gateway), []);
});

const REASON = "Cannot write file: No space left on device (os error 28), /srv/private-folder/blobs";

/** Fails where the test says. */
class FailingBlobStore extends MemoryBlobStore {
  fails: "nowhere" | "put at once" | "put behind the content" | "open" | "read" | "delete" = "nowhere";

  override async put(key: BlobKey, content: AsyncIterable<Uint8Array>): Promise<StoredBlob> {
    if (this.fails === "put at once") throw new BlobError(REASON);
    const stored = await super.put(key, content);
    if (this.fails !== "put behind the content") return stored;
    await super.delete(key);
    throw new BlobError(REASON);
  }

  override async open(...input: Parameters<MemoryBlobStore["open"]>) {
    if (this.fails === "open") throw new BlobError(REASON);
    const content = await super.open(...input);
    if (this.fails !== "read" || content === undefined) return content;
    await content.cancel();
    return new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new BlobError(REASON)),
    });
  }

  override delete(key: BlobKey): Promise<void> {
    return this.fails === "delete" ? Promise.reject(new BlobError(REASON)) : super.delete(key);
  }
}

function assertUnavailable({ status, message, body }: Reported): void {
  assert.equal(status, 503);
  assert.equal(message, "The store is unavailable. Try again in a moment.");
  assert(!/space|device|private|Blob/.test(JSON.stringify(body)), "the reason stays here");
}

const namesReason = ({ logged }: Gateway) => logged.some((line) => line.includes("No space left on device"));

for (const fails of ["put at once", "put behind the content"] as const) {
  for (const size of [100, 3 * SIZE]) {
    Deno.test(`an upload of ${size} bytes to a disk that fails (${fails}) is answered 503`, async () => {
      const blobs = new FailingBlobStore();
      await using gateway = await startGateway({ blobs });
      blobs.fails = fails;
      const form = new FormData();
      form.set("file", new File(["x".repeat(size)], "notes.txt"));
      const headers = { authorization: `Bearer ${gateway.apiKey}` };
      const response = await fetch(`${gateway.url}/v1/files`, { method: "POST", headers, body: form });
      assertUnavailable(await readError(response));
      assert.equal(response.headers.get("retry-after"), "2");
      assert(errorsOf(gateway).some(({ message }) => message === "File storage failed"));
      assert(namesReason(gateway));
      assert.deepEqual(await fileRows(gateway), []);
      blobs.fails = "nowhere";
      assert.equal((await upload(gateway)).status, 200);
    });
  }
}

Deno.test("a download from a disk that fails is answered 503, or breaks off where it had begun", async () => {
  const blobs = new FailingBlobStore();
  await using gateway = await startGateway({ blobs });
  const row = await makeToolFile(gateway, randomBytes(SIZE));
  const path = `/${publicFileId(row)}/content`;
  blobs.fails = "open";
  const token = gateway.managementKey;
  for (const range of ["", "bytes=5-"]) {
    assertUnavailable(await readError(await fileCall(gateway, { path, token, headers: { range } })));
  }
  assert(errorsOf(gateway).some(({ message }) => message === "File storage failed"));
  assert(namesReason(gateway));
  blobs.fails = "read";
  for (const range of ["", "Range: bytes=5-\r\n"]) {
    const logged = errorsOf(gateway).length;
    const { body } = await download(gateway, { row, range });
    assert(body.length < SIZE - 5);
    assert(!latin1(body).includes("private-folder"));
    await until(() => errorsOf(gateway).length > logged, { what: "the error in the log" });
  }
  blobs.fails = "nowhere";
  assert.equal((await download(gateway, { row })).body.length, SIZE);
});

Deno.test("a file whose bytes cannot be deleted yet is deleted, and the log names it", async () => {
  const blobs = new FailingBlobStore();
  await using gateway = await startGateway({ blobs });
  const { body } = await upload(gateway);
  blobs.fails = "delete";
  const response = await fileCall(gateway, { path: `/${body.id}`, token: gateway.apiKey, method: "DELETE" });
  assert.equal(response.status, 200, await response.text());
  assert.deepEqual(await fileRows(gateway), []);
  assert(namesReason(gateway));
});
