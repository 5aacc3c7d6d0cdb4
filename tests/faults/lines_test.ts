import assert from "node:assert/strict";
import { ask, readError } from "../support/call.ts";
import { providerAt, startGateway } from "../support/gateway.ts";
import { CHUNKED, upstreamServer } from "../support/upstream_server.ts";
import { patiently } from "../support/until.ts";

const long = "x".repeat(3_000);

/** Bytes that a provider sends before it falls silent, with its connection open. */
const answers: readonly (readonly [what: string, text: string])[] = [
  ["ends the lines of its head with LF", "HTTP/1.1 200 OK\ncontent-length: 2\n\n{}"],
  ["ends one line of its head with LF", "HTTP/1.1 200 OK\r\ncontent-length: 2\nx: y\r\n"],
  ["ends its head with LF", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\n{}"],
  ["ends the lines of its head with CR", "HTTP/1.1 200 OK\rcontent-length: 2\r\r{}"],
  ["has a CR in its head", "HTTP/1.1 200 OK\r\nx: y\rz\r\n"],
  ["ends a chunk's size with LF", `${CHUNKED}2\n{}`],
  ["ends a chunk with LF", `${CHUNKED}2\r\n{}\n`],
  ["sends a chunk extension without end", `${CHUNKED}2;${long}${long}`],
  ["sends chunk extensions without end", CHUNKED + `1;${long}\r\n \r\n`.repeat(7)],
  ["fills a chunk's size up without end", `${CHUNKED}2${" ".repeat(100)}\r\n{}\r\n`],
];

for (const [what, text] of answers) {
  for (const stream of [false, true]) {
    Deno.test(`U5 a provider that ${what} is a 502 at once, stream ${stream}`, async () => {
      await using server = upstreamServer(async (connection) => {
        await connection.request();
        await connection.write(text);
        await connection.gone();
      });
      await using gateway = await startGateway({ providers: [providerAt(server.url)] });
      const reply = ask(gateway, { model: "mock/model", input: "Hi", stream });
      const error = await patiently(reply.then(readError));
      assert.equal(error.status, 502);
      assert.match(error.message, /does not speak HTTP/);
    });
  }
}

Deno.test("U5 a size that is filled up with blanks is read", async () => {
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    const body = `{"error":{"message":"no"}}`;
    const size = body.length.toString(16).padEnd(8);
    await connection.write(CHUNKED.replace("200 OK", "400 Bad") + `${size}\r\n${body}\r\n`);
    await connection.write(`0${" ".repeat(7)}\r\n\r\n`);
    await connection.gone();
  });
  await using gateway = await startGateway({ providers: [providerAt(server.url)] });
  const error = await patiently(ask(gateway, { model: "mock/model", input: "Hi" }).then(readError));
  assert.equal(error.status, 400);
});
