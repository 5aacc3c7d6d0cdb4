/** Streamed replies whose length is known before: downloads. */

import assert from "node:assert/strict";
import { StreamedReply } from "../../server/http/http_server/reply.ts";
import { withFront } from "../support/http_server_rig.ts";
import { until } from "../support/until.ts";

const ask = (method = "GET", version = "1.1") => `${method} / HTTP/${version}\r\nHost: x\r\n\r\n`;
const encoder = new TextEncoder();

interface Sent {
  readonly chunks: readonly string[];
  readonly length?: number;
  readonly onCancel?: () => void;
}

function reply({ chunks, length, onCancel }: Sent): StreamedReply {
  const left = [...chunks];
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const chunk = left.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(encoder.encode(chunk));
    },
    cancel: onCancel,
  }, { highWaterMark: 0 });
  return new StreamedReply(stream, { status: 206, length });
}

Deno.test("a stream of known length goes out without chunks, and the connection goes on behind it", () =>
  withFront(
    { answer: () => reply({ chunks: ["abc", "", "defg"], length: 7 }) },
    async ({ connect, failures }) => {
      const client = await connect();
      for (const version of ["1.1", "1.1"]) {
        client.heard = "";
        await client.send(ask("GET", version));
        await client.hears("defg");
        assert.match(
          client.heard,
          /^HTTP\/1\.1 206 Partial Content\r\n[^]*content-length: 7\r\n[^]*\r\n\r\nabcdefg$/,
        );
        assert(!client.heard.includes("transfer-encoding"));
      }
      assert.deepEqual(failures, []);
    },
  ));

Deno.test("a stream of known length leaves an HTTP/1.0 connection open that is to be kept", () =>
  withFront({ answer: () => reply({ chunks: ["abc"], length: 3 }) }, async ({ connect }) => {
    const client = await connect();
    for (let turn = 0; turn < 2; turn++) {
      client.heard = "";
      await client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
      await client.hears("\r\n\r\nabc");
      assert.match(client.heard, /\r\nconnection: keep-alive\r\n/);
    }
  }));

for (const [what, chunks] of [["shorter", ["abc"]], ["longer", ["abc", "defgh"]]] as const) {
  Deno.test(`a body that is ${what} than its head says breaks the connection, and is told of`, () =>
    withFront({ answer: () => reply({ chunks, length: 6 }) }, async ({ connect, failures }) => {
      const client = await connect();
      await client.send(ask());
      assert.match(await client.rest(), /\r\n\r\nabc$/);
      assert.match(String(failures[0]), new RegExp(`its body is ${what} than the 6 bytes of its head`));
    }));
}

for (const length of [7, undefined]) {
  Deno.test(`HEAD closes a body of ${length ?? "unknown"} bytes unread, and the connection goes on`, async () => {
    let cancelled = 0;
    const answer = () => reply({ chunks: ["abcdefg"], length, onCancel: () => void cancelled++ });
    await withFront({ answer }, async ({ connect, failures }) => {
      const client = await connect();
      for (let turn = 1; turn <= 2; turn++) {
        client.heard = "";
        await client.send(ask("HEAD"));
        await client.hears("\r\n\r\n");
        assert.equal(/content-length: (\d+)/.exec(client.heard)?.[1], length?.toString());
        assert(client.heard.endsWith("\r\n\r\n") && !client.heard.includes("chunked"));
        await until(() => cancelled === turn, { what: "that the body is closed" });
      }
      assert.deepEqual(failures, []);
    });
  });
}
