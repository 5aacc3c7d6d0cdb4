import assert from "node:assert/strict";
import fc from "fast-check";
import { chunk } from "../support/upstream_server.ts";
import type { BodyFraming } from "../../server/http/http1/body_framing.ts";
import { isReusable, responseFraming } from "../../server/providers/upstream/response_framing.ts";
import {
  headerValues,
  headLength,
  MAX_HEAD_BYTES,
  parseResponseHead,
  renderRequestHead,
} from "../../server/providers/upstream/message_head.ts";
import { assertProperty } from "../support/property.ts";

const encoder = new TextEncoder();
const bytes = (text: string) => encoder.encode(text);
const head = (...lines: string[]) =>
  parseResponseHead(bytes(["HTTP/1.1 200 OK", ...lines, "", ""].join("\r\n")));
const badHttp = { name: "TransportError", kind: "bad_http" };

/** Feeds a body in the given chunks to a framing; what it does not take comes again. */
function fed(framing: BodyFraming, chunks: readonly Uint8Array[]): { body: string; rest: string } {
  let held = new Uint8Array();
  const found: Uint8Array[] = [];
  for (const piece of chunks) {
    held = Buffer.concat([held, piece]);
    for (;;) {
      const { used, body } = framing.find(held);
      held = held.slice(used);
      if (body !== undefined) found.push(body);
      if (used === 0 || held.length === 0) break;
    }
  }
  return { body: Buffer.concat(found).toString(), rest: Buffer.from(held).toString() };
}

/** `whole` cut at the given places, which may be anything. */
function chunks(whole: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [0, ...cuts.map((cut) => cut % (whole.length + 1)), whole.length].sort((a, b) => a - b);
  return at.slice(1).map((end, i) => whole.slice(at[i], end));
}

const cuts = fc.array(fc.nat(10_000), { maxLength: 20 });

Deno.test("responseFraming finds a chunked body in any pieces, and what follows it", () => {
  const ends = fc.constantFrom("0\r\n\r\n", "0;last\r\nx: y\r\nz: a\r\n\r\n", "000\r\n\r\n");
  const body = fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 }), { maxLength: 20 });
  assertProperty(fc.property(body, ends, cuts, (texts, end, places) => {
    const framing = responseFraming(head("Transfer-Encoding: Chunked"));
    const { body, rest } = fed(framing, chunks(bytes(`${texts.map(chunk).join("")}${end}next`), places));
    assert.equal(body, texts.join(""));
    assert.equal(rest, "next");
    assert.equal(framing.done, true);
  }));
});

Deno.test("responseFraming finds a body with a length in any pieces, and what follows it", () => {
  assertProperty(fc.property(fc.string({ unit: "grapheme", maxLength: 500 }), cuts, (text, places) => {
    const framing = responseFraming(head(`content-length: ${bytes(text).length}`));
    const { body, rest } = fed(framing, chunks(bytes(`${text}next`), places));
    assert.deepEqual({ body, rest, done: framing.done }, { body: text, rest: "next", done: true });
  }));
});

Deno.test("responseFraming never takes garbage between chunks for a body, and never hangs on it", () => {
  assertProperty(fc.property(fc.uint8Array({ maxLength: 300 }), cuts, (garbage, places) => {
    const framing = responseFraming(head("transfer-encoding: chunked"));
    try {
      fed(framing, chunks(garbage, places));
      if (!framing.done) assert.throws(() => framing.end(), { kind: "cut" });
    } catch (error) {
      assert.ok(error instanceof Error && "kind" in error && error.kind === "bad_http", String(error));
    }
  }));
});

Deno.test("responseFraming reads to the end of the connection without a length", () => {
  const framing = responseFraming(head());
  assert.deepEqual(fed(framing, [bytes("a"), bytes("b")]), { body: "ab", rest: "" });
  assert.equal(framing.done, false);
  framing.end();
  assert.equal(framing.done, true);
});

Deno.test("responseFraming sees no body behind 204, 304 and a length of 0", () => {
  for (const [status, line] of [[204, "x: y"], [304, "content-length: 5"], [200, "content-length: 0"]]) {
    const one = parseResponseHead(bytes(`HTTP/1.1 ${status} x\r\n${line}\r\n\r\n`));
    assert.equal(responseFraming(one).done, true);
  }
});

Deno.test("responseFraming refuses headers that contradict each other", () => {
  const odd = [
    ["content-length: 3", "transfer-encoding: chunked"],
    ["content-length: 3", "content-length: 4"],
    ["content-length: 3, 3"],
    ["content-length: -3"],
    ["content-length: 0x3"],
    ["content-length: "],
    ["content-length: 9999999999999999999"],
    ["transfer-encoding: gzip, chunked"],
    ["transfer-encoding: chunked", "transfer-encoding: chunked"],
    ["transfer-encoding: identity"],
  ];
  for (const lines of odd) assert.throws(() => responseFraming(head(...lines)), badHttp, lines.join());
  assert.equal(responseFraming(head("content-length: 3", "content-length: 3")).done, false);
});

Deno.test("responseFraming refuses odd chunks", () => {
  const odd = [
    "\r\n",
    "g\r\n",
    "-1\r\n",
    "5\nabcde",
    "3\r\nabcd\r\n",
    "fffffffffffff\r\n",
    `1;${"x".repeat(5_000)}`,
  ];
  for (const text of [...odd, `0\r\n${"x: y\r\n".repeat(20_000)}`]) {
    const framing = responseFraming(head("transfer-encoding: chunked"));
    assert.throws(() => fed(framing, [bytes(text)]), badHttp, text.slice(0, 20));
  }
});

Deno.test("responseFraming tells a cut body", () => {
  for (
    const [line, text] of [["content-length: 3", "ab"], ["transfer-encoding: chunked", "5\r\nab"]] as const
  ) {
    const framing = responseFraming(head(line));
    fed(framing, [bytes(text)]);
    assert.throws(() => framing.end(), { kind: "cut" });
  }
});

Deno.test("isReusable goes by the version and the connection header", () => {
  assert.equal(isReusable(head()), true);
  assert.equal(isReusable(head("connection: keep-alive")), true);
  assert.equal(isReusable(head("Connection: Close")), false);
  assert.equal(isReusable(head("connection: x,close")), false);
  assert.equal(isReusable(head("connection: closed")), true);
  assert.equal(isReusable(parseResponseHead(bytes("HTTP/1.0 200 OK\r\n\r\n"))), false);
});

Deno.test("parseResponseHead reads status and headers", () => {
  const { status, minor, headers } = parseResponseHead(
    bytes("HTTP/1.0 429\r\nA:1\r\nx-b:\t two \r\na: \r\n\r\n"),
  );
  assert.deepEqual({ status, minor }, { status: 429, minor: 0 });
  assert.deepEqual(headers, [["a", "1"], ["x-b", "two"], ["a", ""]]);
  assert.deepEqual(headerValues({ status, minor, headers }, "a"), ["1", ""]);
});

Deno.test("parseResponseHead refuses what is no head", () => {
  const odd = [
    "HTTP/2.0 200 OK",
    "HTTP/1.1 20 OK",
    "HTTP/1.1 2000 OK",
    "HTTP/1.1  200 OK",
    "HTTP/1.1 099 OK",
    "HTTP/1.1 200OK",
    "HTTP/1.1 200 OK\r\nno colon",
    "HTTP/1.1 200 OK\r\n: no name",
    "HTTP/1.1 200 OK\r\nname : x",
    "HTTP/1.1 200 OK\r\na: b\r\n folded",
    "HTTP/1.1 200 OK\r\na: b\nc: d",
    "HTTP/1.1 200 OK\r\na: \0",
  ];
  for (const text of odd) assert.throws(() => parseResponseHead(bytes(`${text}\r\n\r\n`)), badHttp, text);
});

Deno.test("headLength finds the end of a head that comes in any pieces", () => {
  const text = "HTTP/1.1 200 OK\r\na: b\r\nc: d\r\n\r\n";
  for (let size = 1; size < text.length + 9; size++) {
    let found: number | undefined;
    let searched = 0;
    for (let end = size; found === undefined && end < text.length + 9 + size; end += size) {
      const so = bytes(`${text}\r\n\r\nbody`).slice(0, end);
      found = headLength(so, searched);
      searched = so.length;
    }
    assert.equal(found, text.length, String(size));
  }
});

Deno.test("headLength refuses the first byte that is not HTTP's", () => {
  assert.equal(headLength(bytes("HTT"), 0), undefined);
  assert.throws(() => headLength(bytes("HTTQ"), 3), badHttp);
  assert.throws(() => headLength(bytes("<"), 0), badHttp);
  assert.equal(headLength(new Uint8Array(), 0), undefined);
  assert.ok(MAX_HEAD_BYTES >= 16 * 1024);
});

Deno.test("renderRequestHead writes each header on a line of its own", () => {
  const text = renderRequestHead({
    method: "POST",
    path: "/a?b",
    host: "h:1",
    headers: { "x-a": "b c" },
    length: 7,
  });
  const lines = [
    "POST /a?b HTTP/1.1",
    "host: h:1",
    "content-length: 7",
    "accept-encoding: identity",
    "x-a: b c",
  ];
  assert.equal(text, `${lines.join("\r\n")}\r\n\r\n`);
});
