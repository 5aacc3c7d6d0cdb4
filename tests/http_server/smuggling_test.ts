/** Tests that a request which a proxy in front may read in another way never becomes a second request. */

import assert from "node:assert/strict";
import { type ApiRig, inputOf, question, questionParts, withApi } from "../support/api_rig.ts";

const HIDDEN = "smuggled";

interface Parts {
  /** With the empty line. */
  readonly head: string;
  readonly body: string;
  /** A whole request, which stands where some would look for the next one. */
  readonly hidden: string;
}

const length = (head: string, ...lines: readonly string[]) =>
  head.replace(/Content-Length: \d+/, lines.join("\r\n"));

/** Row → bytes of which one reading ends before the hidden request and another one behind it. */
const rows: Readonly<Record<string, (parts: Parts) => string>> = {
  "a length, then chunks": ({ head, hidden }) =>
    `${length(head, `Content-Length: ${5 + hidden.length}`, "Transfer-Encoding: chunked")}0\r\n\r\n${hidden}`,
  "chunks, then a length": ({ head, hidden }) =>
    `${length(head, "Transfer-Encoding: chunked", `Content-Length: ${5 + hidden.length}`)}0\r\n\r\n${hidden}`,
  "chunks within a short length": ({ head, body, hidden }) =>
    `${length(head, `Content-Length: ${body.length}`, "Transfer-Encoding: chunked")}${body}${hidden}`,
  "a coding that is folded": ({ head, body, hidden }) =>
    `${length(head, `Content-Length: ${body.length}`, "Transfer-Encoding:\r\n chunked")}${body}${hidden}`,
  "a coding behind a blank": ({ head, body, hidden }) =>
    `${length(head, `Content-Length: ${body.length}`, "Transfer-Encoding : chunked")}${body}${hidden}`,
  "a coding behind a vertical tab": ({ head, body, hidden }) =>
    `${length(head, `Content-Length: ${body.length}`, "Transfer-Encoding: \x0bchunked")}${body}${hidden}`,
  "a coding with a letter before it": ({ head, body, hidden }) =>
    `${length(head, `Content-Length: ${body.length}`, "Transfer-Encoding: xchunked")}${body}${hidden}`,
  "a coding behind a carriage return": ({ head, body, hidden }) =>
    `${length(head, `Content-Length: ${body.length}\rTransfer-Encoding: chunked`)}${body}${hidden}`,
  "a coding behind a line feed": ({ head, body, hidden }) =>
    `${length(head, `Content-Length: ${body.length}\nTransfer-Encoding: chunked`)}${body}${hidden}`,
  "a coding behind a blank at a line's start": ({ head, body, hidden }) =>
    `${length(head, `Content-Length: ${body.length}`, " Transfer-Encoding: chunked")}${body}${hidden}`,
  "chunks and identity": ({ head, hidden }) =>
    `${length(head, "Transfer-Encoding: chunked", "Transfer-Encoding: identity")}0\r\n\r\n${hidden}`,
  "chunks in HTTP/1.0": ({ head, hidden }) =>
    `${length(head, "Transfer-Encoding: chunked").replace("HTTP/1.1", "HTTP/1.0")}0\r\n\r\n${hidden}`,
  "chunks in HTTP/1.0 that is kept alive": ({ head, hidden }) =>
    `${
      length(head, "Transfer-Encoding: chunked\r\nConnection: keep-alive").replace("HTTP/1.1", "HTTP/1.0")
    }` +
    `0\r\n\r\n${hidden}`,
  "two lengths, the shorter last": ({ head, hidden }) =>
    `${length(head, `Content-Length: ${2 + hidden.length}`, "Content-Length: 2")}{}${hidden}`,
  "two lengths, the shorter first": ({ head, hidden }) =>
    `${length(head, "Content-Length: 2", `Content-Length: ${2 + hidden.length}`)}{}${hidden}`,
  "a list of lengths": ({ head, hidden }) =>
    `${length(head, `Content-Length: 2, ${2 + hidden.length}`)}{}${hidden}`,
  "a length with a plus": ({ head, hidden }) => `${length(head, "Content-Length: +2")}{}${hidden}`,
  "a length below zero": ({ head, hidden }) => `${length(head, "Content-Length: -2")}{}${hidden}`,
  "a length in hexadecimal": ({ head, hidden }) => `${length(head, "Content-Length: 0x2")}{}${hidden}`,
  "a length that overflows": ({ head, hidden }) =>
    `${length(head, "Content-Length: 18446744073709551618")}{}${hidden}`,
  "a length in the name of another field": ({ head, hidden }) =>
    `${length(head, "X-A: b\rContent-Length: 2", `Content-Length: ${2 + hidden.length}`)}{}${hidden}`,
  "a length behind a NUL": ({ head, hidden }) => `${length(head, "Content-Length: 2\x005")}{}${hidden}`,
  "a chunk's size that overflows": ({ head, hidden }) =>
    `${length(head, "Transfer-Encoding: chunked")}10000000000000000\r\n\r\n${hidden}`,
  "a chunk's size with 0x": ({ head, hidden }) =>
    `${length(head, "Transfer-Encoding: chunked")}0x0\r\n\r\n${hidden}`,
  "a chunk's size below zero": ({ head, hidden }) =>
    `${length(head, "Transfer-Encoding: chunked")}-0\r\n\r\n${hidden}`,
  "a chunk that ends in a line feed": ({ head, hidden }) =>
    `${length(head, "Transfer-Encoding: chunked")}2\r\n{}\n0\r\n\r\n${hidden}`,
  "a chunk's extension with a line feed": ({ head, hidden }) =>
    `${length(head, "Transfer-Encoding: chunked")}2;\n{}\r\n0\r\n\r\n${hidden}`,
  "a chunk's extension that hides a size": ({ head, hidden }) =>
    `${length(head, "Transfer-Encoding: chunked")}0;a\n\r\n\r\n${hidden}`,
  "a trailer that is folded": ({ head, hidden }) =>
    `${length(head, "Transfer-Encoding: chunked")}0\r\nX-A: b\r\n \r\n\r\n${hidden}`,
  "a line feed for an end of the head": ({ head, hidden }) => `${head.replace(/\r\n\r\n$/, "\n\n")}${hidden}`,
  "a head without an end": ({ head, hidden }) => `${head.replace(/\r\n$/, "")}${hidden}`,
  "an old version behind the target": ({ head, body, hidden }) =>
    `${head.replace("HTTP/1.1", "HTTP/1.1 HTTP/0.9")}${body}${hidden}`,
  "the version 0.9": ({ head, body, hidden }) => `${head.replace(" HTTP/1.1", "")}${body}${hidden}`,
  "the preface of HTTP/2": ({ hidden }) => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${hidden}`,
  "a tunnel": ({ head, hidden }) =>
    `${length(head, "X-A: b").replace(/^POST \S+/, "CONNECT 127.0.0.1:80")}${hidden}`,
};

function partsOf({ gateway }: ApiRig): Parts {
  return { ...questionParts(gateway, { input: "first" }), hidden: question(gateway, { input: HIDDEN }) };
}

for (const split of [false, true]) {
  const how = split ? "in a packet of its own" : "in the same packet";
  Deno.test(`the door lets nothing be smuggled, ${how}`, async (t) => {
    await withApi(async (rig) => {
      for (const [which, bytes] of Object.entries(rows)) {
        await t.step(which, async () => {
          const parts = partsOf(rig);
          const text = bytes(parts);
          const at = text.length - parts.hidden.length;
          await using client = await rig.open();
          await client.send(...(split ? [text.slice(0, at), text.slice(at)] : [text]));
          await client.halfClose();
          const received = await client.rest();
          assert(
            (received.match(/HTTP\/1\.1 \d/g) ?? []).length <= 1,
            `one answer: ${received.slice(0, 2_000)}`,
          );
          assert.match(received, /^HTTP\/1\.1 (?:4|50[15])|^$/);
          const heard = rig.upstream.requested.map(({ body }) => inputOf(body));
          assert(!heard.includes(HIDDEN) && !heard.includes("first"), `nobody was asked: ${heard}`);
        });
      }
    });
  });
}

Deno.test("the door takes the bytes of a body for nothing else", async (t) => {
  await withApi(async (rig) => {
    const hidden = question(rig.gateway, { input: HIDDEN });
    const refused: Readonly<Record<string, string>> = {
      "without a key": question(rig.gateway, { input: hidden, key: "nobody" }),
      "at a path that is not there": question(rig.gateway, { input: hidden, path: "/v1/nothing" }),
      "of another type": question(rig.gateway, { input: hidden }).replace("application/json", "text/plain"),
      "that is compressed": question(rig.gateway, { input: hidden, fields: "Content-Encoding: gzip\r\n" }),
      "that is a whole request":
        questionParts(rig.gateway).head.replace(/\d+(?=\r\n\r\n$)/, `${hidden.length}`) + hidden,
      "that is a whole request without a key": questionParts(rig.gateway, { key: "nobody" }).head
        .replace(/\d+(?=\r\n\r\n$)/, `${hidden.length}`) + hidden,
      "of a lookup":
        `GET /v1/models HTTP/1.1\r\nHost: a\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
      "of a check": `GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
      "of a preflight":
        `OPTIONS /v1/responses HTTP/1.1\r\nHost: a\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
      "of a look at a head":
        `HEAD /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    };
    for (const [which, text] of Object.entries(refused)) {
      await t.step(which, async () => {
        for (const at of [text.length, text.indexOf("\r\n\r\n") + 4, text.indexOf("\r\n\r\n") + 9]) {
          await using client = await rig.open();
          await client.send(text.slice(0, at), text.slice(at));
          await client.reply({ to: text.slice(0, text.indexOf(" ")) });
          await client.halfClose();
          assert.equal(await client.rest(), "", "nothing more is answered");
        }
        assert(!rig.upstream.requested.some(({ body }) => inputOf(body) === HIDDEN), "nobody was asked");
      });
    }
  });
});
