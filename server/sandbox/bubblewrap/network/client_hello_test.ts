import assert from "node:assert/strict";
import {
  bytesOf,
  clientHello,
  extension,
  helloMessage,
  record,
  serverName,
  sized,
} from "../../../../tests/support/client_hello.ts";
import { HelloError, MAX_HELLO_BYTES, readClientHello } from "./client_hello.ts";

const read = (bytes: readonly number[]) => readClientHello(Uint8Array.from(bytes));

Deno.test("readClientHello finds the name, in small letters", () => {
  const bytes = clientHello(extension(43, [2, 3, 4]), serverName("Example.COM"), extension(51, [0, 0]));
  assert.deepEqual(read(bytes), { serverName: "example.com" });
  assert.deepEqual(read([...bytes, 23, 3, 3, 0, 1, 0]), { serverName: "example.com" });
});

Deno.test("readClientHello finds that there is no name", () => {
  assert.deepEqual(read(clientHello(extension(43, [2, 3, 4]))), { serverName: undefined });
  assert.deepEqual(read(record([1, ...sized(3, [...Array(34).fill(0), 0, 0, 2, 0, 1, 1, 0])])), {
    serverName: undefined,
  });
});

Deno.test("readClientHello waits for the end, wherever the message is cut", () => {
  const whole = clientHello(serverName("example.com"));
  for (let size = 0; size < whole.length; size++) {
    assert.equal(read(whole.slice(0, size)), undefined, `${size}`);
  }
});

Deno.test("readClientHello reads a message in two records", () => {
  const bytes = helloMessage(serverName("example.com"));
  assert.deepEqual(read([...record(bytes.slice(0, 50)), ...record(bytes.slice(50))]), {
    serverName: "example.com",
  });
});

const refused: Readonly<Record<string, readonly number[]>> = {
  "plain HTTP": bytesOf("GET / HTTP/1.1\r\n\r\n"),
  "SSH": bytesOf("SSH-2.0-x\r\n"),
  "another record": [23, 3, 3, 0, 1, 0],
  "another message": record([2, 0, 0, 1, 0]),
  "another version": [22, 2, 0],
  "two names": clientHello(serverName("a.example", "b.example")),
  "two lists of names": clientHello(serverName("a.example"), serverName("b.example")),
  "a hidden name": clientHello(serverName("a.example"), extension(0xfe0d, [0])),
  "an extension that is longer than the message": record(helloMessage([0, 0, 9, 9, 1])),
  "a session that is longer than the message": record([1, ...sized(3, [...Array(34).fill(0), 200])]),
  "a name that is longer than its list": clientHello(extension(0, [0, 4, 0, 0, 9, 97])),
  "many empty records": Array(9).fill([22, 3, 1, 0, 0]).flat(),
  "a message without an end": record([1, 0, 255, 255, ...Array(MAX_HELLO_BYTES).fill(0)]),
};

for (const [what, bytes] of Object.entries(refused)) {
  Deno.test(`readClientHello refuses ${what}`, () => {
    assert.throws(() => read(bytes), HelloError);
  });
}
