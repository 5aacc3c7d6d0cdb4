/** Uploads that are too slow: what counts against a client is only what it is waited for. */

import assert from "node:assert/strict";
import { readMultipart } from "../../server/api/body/read_multipart.ts";
import { ApiError } from "../../shared/errors.ts";
import { type FakeClock, fakeClock, settle, turns } from "../support/clock.ts";
import { fileRows } from "../support/files.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { MemoryBlobStore } from "../support/memory_blob_store.ts";
import { Line } from "../support/raw_client.ts";
import { closingBoundary, FORM_EXTRA, formType, partHeaders, uploadHead } from "../support/raw_upload.ts";
import { startFolderGateway } from "../support/folder_gateway.ts";
import { until } from "../support/until.ts";

const SECOND = 1_000;
const KIB = 1_024;
const limits = { maxFileBytes: 1_024 * KIB, uploadMs: 60 * SECOND };

/** A body whose chunks come when the test sends them. */
class ScriptedBody implements AsyncIterableIterator<Uint8Array> {
  #waiting: ((result: IteratorResult<Uint8Array>) => void) | undefined;

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    return new Promise((resolve) => this.#waiting = resolve);
  }

  get awaited(): boolean {
    return this.#waiting !== undefined;
  }

  async send(chunk?: Uint8Array | string): Promise<void> {
    await until(() => this.awaited, { what: "that the body is read" });
    const waiting = this.#waiting;
    this.#waiting = undefined;
    const value = typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
    waiting?.(value === undefined ? { done: true, value } : { done: false, value });
    await settle();
  }
}

interface Reading {
  readonly body: ScriptedBody;
  readonly clock: FakeClock;
  /** `read`, or the error's message. */
  readonly outcome: () => string;
  /** Time passes once what was sent is read, and more is waited for. */
  readonly pass: (ms: number) => Promise<void>;
  /** Holds the file back. */
  readonly hold: () => () => void;
}

function startReading(): Reading {
  const clock = fakeClock();
  const body = new ScriptedBody();
  const request = { method: "POST", url: "/", headers: new Headers({ "content-type": formType }), body };
  let gate = Promise.resolve();
  let outcome = "reading";
  readMultipart(toRequest(request), { clock, limits }).receive(async ({ content }) => {
    for await (const _ of content) await gate;
  }).then(
    () => outcome = "read",
    (error: unknown) => {
      assert(error instanceof ApiError && error.kind === "slow_request", String(error));
      outcome = error.message;
    },
  );
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return resolve;
  };
  const pass = (ms: number) => clock.advanceOnce(() => body.awaited, ms);
  return { body, clock, outcome: () => outcome, pass, hold };
}

/** Casts the parts of a request that are read: its headers and its body. */
function toRequest(request: { readonly headers: Headers; readonly body: AsyncIterable<Uint8Array> }) {
  return request as unknown as Request;
}

const chunk = (size: number) => "x".repeat(size);
const tooSlow = /^The upload is too slow: less than 1 KiB a second came for 10 s\.$/;

Deno.test("readMultipart takes an upload of 10 KiB in every 10 s, and none of a byte less", async () => {
  const { body, clock, outcome, pass } = startReading();
  await body.send(partHeaders + chunk(10 * KIB - partHeaders.length));
  await pass(10 * SECOND);
  for (let window = 0; window < 3; window++) {
    await pass(4 * SECOND);
    await body.send(chunk(10 * KIB));
    await pass(6 * SECOND);
    assert.equal(outcome(), "reading");
  }
  await body.send(chunk(10 * KIB - 1));
  await pass(10 * SECOND - 1);
  assert.equal(outcome(), "reading");
  await pass(1);
  assert.match(outcome(), tooSlow);
  assert.equal(clock.open, 0);
});

Deno.test("readMultipart notices a client that stops after a quick beginning within two windows", async () => {
  const { body, clock, outcome, pass } = startReading();
  await body.send(partHeaders + chunk(100 * KIB));
  await pass(10 * SECOND);
  assert.equal(outcome(), "reading");
  await pass(10 * SECOND);
  assert.match(outcome(), tooSlow);
  assert.equal(clock.open, 0);
});

Deno.test("readMultipart begins a new window behind one that was fast enough, within one wait as well", async () => {
  const { body, clock, outcome, pass } = startReading();
  await body.send(partHeaders + chunk(100 * KIB));
  await pass(11 * SECOND);
  await body.send(chunk(1));
  await pass(8 * SECOND);
  assert.equal(outcome(), "reading");
  await body.send(chunk(10 * KIB));
  await pass(1 * SECOND);
  assert.equal(outcome(), "reading");
  await body.send(closingBoundary);
  await body.send();
  await until(() => outcome() !== "reading");
  assert.equal(outcome(), "read");
  assert.equal(clock.open, 0);
});

Deno.test("readMultipart does not count the time in which the file is held back, and ends after the whole time", async () => {
  const { body, clock, outcome, pass, hold } = startReading();
  await body.send(partHeaders);
  const release = hold();
  // The first is taken, the second waits.
  await body.send(chunk(100 * KIB));
  await body.send(chunk(100 * KIB));
  await clock.advanceOnce(() => !body.awaited, 40 * SECOND);
  assert.equal(outcome(), "reading");
  release();
  await clock.advanceOnce(() => body.awaited, 9 * SECOND);
  assert.equal(outcome(), "reading");
  await body.send(chunk(20 * KIB));
  await pass(9 * SECOND);
  await body.send(chunk(20 * KIB));
  assert.equal(outcome(), "reading");
  await pass(2 * SECOND);
  assert.match(outcome(), /^The upload was not complete after 60 s\.$/);
  assert.equal(clock.open, 0);
});

/** An upload is answered 400 for its slowness, and nothing of it is left. */
async function assertCutOff(gateway: Gateway, { line, message }: {
  readonly line: Line;
  readonly message: RegExp;
}): Promise<void> {
  const reply = await line.reply();
  assert.equal(reply.status, 400, reply.text);
  const { error } = JSON.parse(reply.text);
  assert.match(error.message, message);
  assert.equal(reply.keepsAlive, false);
  assert.deepEqual(await fileRows(gateway), []);
  assert.deepEqual(await Array.fromAsync(gateway.blobs.list()), []);
}

for (const size of [0, 5 * KIB, 200 * KIB]) {
  Deno.test(`an upload that stops behind ${size / KIB} KiB is answered 400 and leaves nothing`, async () => {
    const clock = fakeClock();
    await using rig = await startFolderGateway({ clock });
    const { gateway } = rig;
    await using line = await Line.open(gateway.port);
    const before = clock.open;
    await line.send(uploadHead(gateway, 500 * KIB), partHeaders + chunk(size));
    // The deadline of the whole upload and that of the window.
    await until(() => clock.open === before + 2, { what: "that the client is waited for" });
    if (size > 64 * KIB) await until(async () => (await rig.unfinished()).length === 1);
    const reply = assertCutOff(gateway, { line, message: tooSlow });
    // Bytes that come late count in the next window.
    for (let window = 0; window < 3; window++) {
      await clock.advanceOnce(turns, 10 * SECOND);
    }
    await reply;
    assert.deepEqual(await rig.unfinished(), [], "it was let go before the reply");
  });
}

/** Blob store in which what arrives can be seen and held back. */
class HeldBlobStore extends MemoryBlobStore {
  received = 0;
  /** Awaited behind every chunk. */
  gate: Promise<void> = Promise.resolve();

  override put(key: Parameters<MemoryBlobStore["put"]>[0], content: AsyncIterable<Uint8Array>) {
    return super.put(key, this.#counted(content));
  }

  async *#counted(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const bytes of content) {
      this.received += bytes.length;
      yield bytes;
      await this.gate;
    }
  }
}

Deno.test("an upload that takes longer than limits.upload_seconds is answered 400, however steady it is", async () => {
  const clock = fakeClock();
  const blobs = new HeldBlobStore();
  await using gateway = await startGateway({ clock, blobs, limits: { upload_seconds: 45 } });
  await using line = await Line.open(gateway.port);
  await line.send(uploadHead(gateway, 1_000 * KIB), partHeaders);
  for (let sent = 100 * KIB; sent <= 500 * KIB; sent += 100 * KIB) {
    await line.send(chunk(100 * KIB));
    // The end of what has come may be the beginning of a boundary, which the parser holds back.
    await clock.advanceOnce(() => blobs.received > sent - KIB, 9 * SECOND);
  }
  await assertCutOff(gateway, { line, message: /^The upload was not complete after 45 s\.$/ });
});

Deno.test("a blob store that is slow does not make an upload slow", async () => {
  const clock = fakeClock();
  const blobs = new HeldBlobStore();
  await using gateway = await startGateway({ clock, blobs });
  await using line = await Line.open(gateway.port);
  const before = clock.open;
  const size = 2_000 * KIB;
  const { promise, resolve: release } = Promise.withResolvers<void>();
  blobs.gate = promise;
  const sending = line.send(
    uploadHead(gateway, size + FORM_EXTRA),
    partHeaders + chunk(size) + closingBoundary,
  );
  await until(() => blobs.received > 0, { what: "that the content arrives" });
  // Only the deadline of the whole upload runs: nobody waits for the client.
  let calm = 0;
  await until(() => (calm = clock.open === before + 1 ? calm + 1 : 0) > 10, {
    what: "that the store is full",
  });
  const held = blobs.received;
  await clock.advanceOnce(turns, 300 * SECOND);
  assert(blobs.received === held && held < size / 2, "the store takes nothing further");
  release();
  const reply = await line.reply();
  assert.equal(reply.status, 200, reply.text);
  assert.equal(await sending, true);
  assert.deepEqual((await fileRows(gateway)).map((row) => row.size), [size]);
});
