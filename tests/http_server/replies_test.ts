/** Tests replies: whole answers, streams, and what breaks. */

import assert from "node:assert/strict";
import { StreamedReply, WholeReply } from "../../server/http/http_server/reply.ts";
import { type Answer, withFront } from "../support/http_server_rig.ts";
import { pause, until } from "../support/until.ts";

const ask = (method = "GET", version = "1.1") => `${method} / HTTP/${version}\r\nHost: x\r\n\r\n`;
const encoder = new TextEncoder();

async function heard(answer: Answer, request = ask()): Promise<string> {
  let text = "";
  await withFront({ answer }, async ({ connect }) => {
    const client = await connect();
    await client.send(request);
    await client.hears("\r\n\r\n");
    await pause(5);
    text = client.heard;
  });
  return text;
}

Deno.test("a whole answer has its length in bytes, its date and each cookie on a line", async () => {
  const headers = new Headers([["set-cookie", "a=1"], ["set-cookie", "b=2"], ["x-a", "\xe9\xff"]]);
  const text = await heard(() => new Response("é€", { headers }));
  assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(text, /\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n/);
  assert.match(text, /\r\nx-a: \xe9\xff\r\n/, "beyond ASCII byte by byte");
  assert.match(text, /\r\ncontent-length: 5\r\n/);
  assert.match(text, /\r\ndate: Wed, 14 Jan 2026 12:00:00 GMT\r\n/);
  assert(text.endsWith("\r\n\r\n\xc3\xa9\xe2\x82\xac"));
});

Deno.test("a whole answer of bytes goes out as it is", async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
  const text = await heard(() => new Response(bytes, { headers: { "content-type": "audio/mpeg" } }));
  assert.match(text, /\r\ncontent-length: 256\r\n/);
  assert.equal(text.slice(-256), String.fromCharCode(...bytes));
});

Deno.test("an answer to HEAD, 204 and 304 have no body", async () => {
  const head = await heard(() => new Response("abc"), ask("HEAD"));
  assert.match(head, /\r\ncontent-length: 3\r\n/);
  assert(head.endsWith("\r\n\r\n"));
  for (const status of [204, 304]) {
    const text = await heard(() => new Response(null, { status }));
    assert(text.endsWith("\r\n\r\n") && !/content-length|transfer-encoding/.test(text), text);
  }
});

Deno.test("an answer as plain data goes out as a Response of it would", async () => {
  const body = JSON.stringify({ text: "é€\u{1f600}" });
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  const plain = await heard(() => new WholeReply(body));
  assert.equal(plain, await heard(() => new Response(body, { headers })));
  const bare = await heard(() => new WholeReply(body), ask("HEAD"));
  assert.equal(bare, await heard(() => new Response(body, { headers }), ask("HEAD")));
});

/** An answer that comes when the test says so. */
function pending() {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  return { answer: () => promise, release: resolve, fail: reject };
}

Deno.test("an answer that fails late is a failure of ours", () => {
  const { answer, fail } = pending();
  return withFront({ answer }, async ({ connect, failures }) => {
    const client = await connect();
    await client.send(ask());
    await pause(5);
    fail(new TypeError("broken"));
    await client.hears("The gateway failed.");
    assert.match(client.heard, /^HTTP\/1\.1 500 /);
    assert.match(String(failures), /broken/);
  });
});

Deno.test("who leaves while an answer is awaited breaks nothing", () => {
  const { answer, release } = pending();
  return withFront({ answer }, async ({ connect, failures }) => {
    const client = await connect();
    await client.send(ask());
    await pause(5);
    client.close();
    await pause(5);
    release(new Response("late"));
    await pause(5);
    assert.deepEqual(failures, []);
  });
});

/** Chunks as they come; a function is called, and may throw. */
function streamed(chunks: readonly (string | (() => void | Promise<void>))[]): StreamedReply {
  const left = [...chunks];
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const chunk = left.shift();
      if (chunk === undefined) return controller.close();
      if (typeof chunk === "function") await chunk();
      controller.enqueue(encoder.encode(typeof chunk === "string" ? chunk : ""));
    },
  }, { highWaterMark: 0 });
  return new StreamedReply(stream, { status: 200, headers: { "content-type": "text/event-stream" } });
}

Deno.test("a stream goes out in chunks, and the connection goes on behind it", () =>
  withFront({ answer: () => streamed(["abc", "", "é", "x".repeat(20_000)]) }, async ({ connect }) => {
    const client = await connect();
    for (let turn = 0; turn < 2; turn++) {
      client.heard = "";
      await client.send(ask());
      await client.hears("\r\n0\r\n\r\n");
      assert.match(client.heard, /\r\ntransfer-encoding: chunked\r\n/);
      const [, body = ""] = client.heard.split("\r\n\r\n3\r\n");
      assert.equal(body, `abc\r\n2\r\n\xc3\xa9\r\n4e20\r\n${"x".repeat(20_000)}\r\n0\r\n\r\n`);
    }
  }));

Deno.test("a stream's head goes out before its first piece is there", () => {
  let go = () => {};
  const answer = () => streamed([() => new Promise((resolve) => go = resolve), "abc"]);
  return withFront({ answer }, async ({ connect }) => {
    const client = await connect();
    await client.send(ask());
    await client.hears("\r\n\r\n");
    go();
    await client.hears("abc");
  });
});

Deno.test("a stream to HTTP/1.0 ends with the connection", async () => {
  await withFront({ answer: () => streamed(["abc", "def"]) }, async ({ connect }) => {
    const client = await connect();
    await client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    assert.match(await client.rest(), /\r\nconnection: close\r\n[^]*\r\n\r\nabcdef$/);
    assert(!client.heard.includes("chunked"));
  });
});

Deno.test("a stream that breaks breaks its connection, without a last chunk (S1)", () => {
  const broken = () => {
    throw new Error("broken");
  };
  return withFront({ answer: () => streamed(["abc", broken]) }, async ({ connect, failures }) => {
    const client = await connect();
    await client.send(ask());
    assert.match(await client.rest(), /3\r\nabc\r\n$/);
    assert.deepEqual(failures, []);
  });
});

Deno.test("a stream that breaks while its client reads nothing breaks its connection at once (S1)", () => {
  let fail = () => {};
  const answer = () =>
    new StreamedReply(
      new ReadableStream<Uint8Array>({
        start: (controller) => void (fail = () => controller.error(new Error("broken"))),
        pull: (controller) => controller.enqueue(new Uint8Array(1_000_000)),
      }, { highWaterMark: 0 }),
      { status: 200 },
    );
  return withFront({ answer }, async ({ connect, front, clock, failures }) => {
    const client = await connect();
    client.pause();
    await client.send(ask());
    await pause(100);
    fail();
    await until(() => clock.open === 0, { what: "that the connection is given back" });
    client.resume();
    assert(!(await client.rest()).endsWith("0\r\n\r\n"));
    assert.deepEqual(failures, []);
    await front.shutdown();
  });
});

for (const state of ["is awaited", "is not read"]) {
  Deno.test(`a stream whose client leaves is let go of at once, while its next piece ${state}`, () => {
    let cancelled = 0;
    const answer = () =>
      new StreamedReply(
        new ReadableStream<Uint8Array>({
          pull: (controller) =>
            state === "is not read"
              ? controller.enqueue(new Uint8Array(1_000_000))
              : new Promise<void>(() => {}),
          cancel: () => void cancelled++,
        }, { highWaterMark: 0 }),
        { status: 200 },
      );
    return withFront({ answer }, async ({ connect, failures }) => {
      for (const [at, leave] of ["close", "halfClose"].entries()) {
        const client = await connect();
        client.pause();
        await client.send(ask());
        await pause(50);
        if (leave === "close") client.close();
        else await client.halfClose();
        await until(() => cancelled === at + 1, { what: `the end after ${leave}` });
        client.resume();
        await client.ended();
      }
      assert.deepEqual(failures, []);
    });
  });
}
