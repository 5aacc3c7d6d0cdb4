import assert from "node:assert/strict";
import { bytesFromReader, type SseFrame, SseLimitError, type SseOptions, sseSource } from "./sse.ts";

const encoder = new TextEncoder();

/** Serves the bytes in chunks of the given sizes, over and over. */
function chunks(bytes: Uint8Array, sizes: readonly number[]) {
  let at = 0;
  let turn = 0;
  return () => {
    if (at >= bytes.length) return Promise.resolve(undefined);
    const size = sizes[turn++ % sizes.length] ?? 1;
    const chunk = bytes.subarray(at, at + size);
    at += size;
    return Promise.resolve(chunk);
  };
}

async function readAll(bytes: Uint8Array, { sizes = [bytes.length], ...rest }: Partial<Sized> = {}) {
  const source = sseSource(chunks(bytes, sizes), { maxEventBytes: 1024 * 1024, ...rest });
  const frames: SseFrame[] = [];
  for (let batch = await source.pull(); batch !== undefined; batch = await source.pull()) {
    frames.push(...batch);
  }
  return frames;
}

interface Sized extends SseOptions {
  readonly sizes: readonly number[];
}

const cases: readonly (readonly [string, string, readonly Partial<SseFrame>[]])[] = [
  ["LF", 'data: {"a":1}\n\ndata: [DONE]\n\n', [{ data: '{"a":1}' }, { data: "[DONE]" }]],
  ["CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", [{ data: "a" }, { data: "b" }]],
  ["bare CR", "data: a\r\rdata: b\r\r", [{ data: "a" }, { data: "b" }]],
  ["a byte order mark", "\uFEFFdata: a\n\n", [{ data: "a" }]],
  ["data without a space", "data:a\n\n", [{ data: "a" }]],
  ["two spaces", "data:  a\n\n", [{ data: " a" }]],
  ["comments", ": ping\n\ndata: a\n: in between\n\n", [{ data: "a" }]],
  ["multi-line data", 'data: {\ndata: "a":1}\n\n', [{ data: '{\n"a":1}' }]],
  ["event names", "event: error\ndata: a\n\ndata: b\n\n", [{ event: "error", data: "a" }, { data: "b" }]],
  ["an event without data", "event: ping\n\ndata: a\n\n", [{ data: "a" }]],
  ["empty data", "data:\n\n", [{ data: "" }]],
  ["id, retry and unknown fields", "id: 1\nretry: x\nfoo: bar\ndata: a\n\n", [{ data: "a" }]],
  ["many blank lines", "\n\n\ndata: a\n\n\n\n", [{ data: "a" }]],
  ["wide characters", "data: Größe 🚀 漢字\n\n", [{ data: "Größe 🚀 漢字" }]],
  ["a last event without its blank line", "data: a\n\ndata: [DONE]\n", [{ data: "a" }, { data: "[DONE]" }]],
  ["a last line that broke off", 'data: a\n\ndata: {"b', [{ data: "a" }]],
  ["nothing", "", []],
];

Deno.test("sseSource reads every way of writing an event stream", async (t) => {
  for (const [name, text, expected] of cases) {
    await t.step(name, async () => {
      const bytes = encoder.encode(text);
      const wanted = expected.map((frame) => ({ event: undefined, ...frame }));
      assert.deepEqual(await readAll(bytes), wanted);
      assert.deepEqual(await readAll(bytes, { sizes: [1] }), wanted, "byte by byte");
      assert.deepEqual(await readAll(bytes, { sizes: [1, 7, 64, 3, 512] }), wanted, "in uneven pieces");
    });
  }
});

Deno.test("sseSource gives the same frames for a cut at every byte", async () => {
  const bytes = encoder.encode(": hi\r\n\r\ndata: ä🚀\r\n\r\nevent: x\ndata: 1\ndata: 2\n\ndata: [DONE]\r\r");
  const whole = await readAll(bytes);
  assert.equal(whole.length, 3);
  for (let cut = 1; cut < bytes.length; cut++) {
    assert.deepEqual(await readAll(bytes, { sizes: [cut, bytes.length] }), whole, `cut at ${cut}`);
  }
});

Deno.test("sseSource batches the frames that came together and swallows pieces without one", async () => {
  const parts = ["data: a\n\ndata: b\n\nda", "ta: c", "\n\n"].map((text) => encoder.encode(text));
  const source = sseSource(() => Promise.resolve(parts.shift()), { maxEventBytes: 100 });
  assert.equal((await source.pull())?.length, 2);
  assert.equal((await source.pull())?.length, 1);
  assert.equal(await source.pull(), undefined);
  assert.equal(await source.pull(), undefined);
});

/** An endless sender of one text; counts what was asked for. */
function endless(text: string, first = "") {
  const sender = { sent: 0, cancelled: "" };
  const chunk = encoder.encode(text);
  const read = () => {
    sender.sent += chunk.length;
    const head = sender.sent === chunk.length ? encoder.encode(first) : new Uint8Array();
    return Promise.resolve(new Uint8Array([...head, ...chunk]));
  };
  return { sender, read, cancel: (reason: string) => void (sender.cancelled = reason) };
}

Deno.test("sseSource cuts off what never ends", async (t) => {
  const floods = {
    "a line": "a".repeat(4096),
    "a data line": `data: ${"a".repeat(4096)}`,
    "an event": `data: ${"a".repeat(4096)}\n`,
    "comments": `: ${"a".repeat(60)}\n\n`,
  };
  for (const [name, text] of Object.entries(floods)) {
    await t.step(name, async () => {
      const { sender, read, cancel } = endless(text, "data: before\n\n");
      const source = sseSource(read, { maxEventBytes: 100_000, cancel });
      assert.deepEqual(await source.pull(), [{ event: undefined, data: "before" }]);
      await assert.rejects(
        async () => await source.pull(),
        (error) => error instanceof SseLimitError && error.what === "event",
      );
      assert.ok(sender.sent <= 110_000, `${sender.sent} bytes were read`);
      assert.match(sender.cancelled, /longer than 100000 bytes/);
      assert.equal(await source.pull(), undefined);
    });
  }
});

Deno.test("sseSource refuses one event that is too long, even in one piece, after what came before", async () => {
  const text = `data: ok\n\ndata: ${"x".repeat(2000)}\n\ndata: after\n\n`;
  const parts = [encoder.encode(text)];
  const source = sseSource(() => Promise.resolve(parts.shift()), { maxEventBytes: 1000 });
  assert.deepEqual(await source.pull(), [{ event: undefined, data: "ok" }]);
  await assert.rejects(async () => await source.pull(), SseLimitError);
});

Deno.test("sseSource lets a long stream of short events pass, up to maxBytes", async () => {
  const bytes = encoder.encode("data: 0123456789\n\n".repeat(1000));
  assert.equal((await readAll(bytes, { sizes: [100], maxEventBytes: 200 })).length, 1000);
  const limited = readAll(bytes, { sizes: [100], maxEventBytes: 200, maxBytes: 5000 });
  await assert.rejects(limited, (error) => error instanceof SseLimitError && error.what === "stream");
});

Deno.test("sseSource passes a read error on and ends when cancelled", async () => {
  const broken = sseSource(() => Promise.reject(new TypeError("cut")), { maxEventBytes: 10 });
  await assert.rejects(async () => await broken.pull(), TypeError);
  const { sender, read, cancel } = endless("data: a\n\n");
  const source = sseSource(read, { maxEventBytes: 100, cancel });
  await source.pull();
  source.cancel("the client left");
  assert.equal(await source.pull(), undefined);
  assert.equal(sender.cancelled, "the client left");
});

Deno.test("bytesFromReader reads and cancels a stream", async () => {
  let reason: unknown;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(encoder.encode("data: a\n\n")),
    cancel: (why) => void (reason = why),
  });
  const { read, cancel } = bytesFromReader(stream.getReader());
  const source = sseSource(read, { maxEventBytes: 100, cancel });
  assert.equal((await source.pull())?.[0]?.data, "a");
  source.cancel("enough");
  await Promise.resolve();
  assert.equal(reason, "enough");
});

Deno.test("sseSource replaces invalid UTF-8 instead of failing", async () => {
  const bytes = new Uint8Array([...encoder.encode("data: a"), 0xff, 0xfe, ...encoder.encode("b\n\n")]);
  assert.equal((await readAll(bytes))[0]?.data, "a\uFFFD\uFFFDb");
});
