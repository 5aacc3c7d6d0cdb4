import assert from "node:assert/strict";
import { BufferedSocket, type OutgoingMessage } from "./buffered_socket.ts";

/** Over a socket that is never used. */
const asConn = (part: unknown) => part as Deno.Conn;
const connection = () => new BufferedSocket(asConn({ close: () => {} }));
const text = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes);

Deno.test("encoded puts head and body side by side", () => {
  assert.equal(
    text(connection().encoded({ head: "head\r\n\r\n", body: "body", length: 4 })),
    "head\r\n\r\nbody",
  );
  assert.equal(text(connection().encoded({ head: "é", body: new Uint8Array([65]), length: 1 })), "éA");
  assert.equal(connection().encoded({ head: "", body: "\ud800", length: 3 }).length, 3, "a lone surrogate");
});

const wrong: Readonly<Record<string, OutgoingMessage>> = {
  "a text that is shorter": { head: "h", body: "abc", length: 4 },
  "a text that is longer": { head: "h", body: "abcd", length: 3 },
  "a text that is longer in bytes": { head: "h", body: "é", length: 1 },
  "no text": { head: "h", body: "", length: 1 },
  "bytes that are fewer": { head: "h", body: new Uint8Array(3), length: 4 },
  "bytes that are more": { head: "h", body: new Uint8Array(5), length: 4 },
};

for (const [what, message] of Object.entries(wrong)) {
  Deno.test(`encoded sends no earlier message behind ${what} than was announced`, () => {
    const one = connection();
    one.encoded({ head: "h", body: "another's answer", length: 16 });
    assert.throws(() => one.encoded(message), /body is not \d bytes long/);
  });
}

Deno.test("encoded sends no head of which a character is no byte", () => {
  assert.throws(
    () => connection().encoded({ head: "x: \u010d\r\n", body: "", length: 0 }),
    /beyond one byte/,
  );
});
