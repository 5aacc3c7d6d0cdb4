/** Heads that are none by RFC 9112: each is refused in words that can be read, and its connection is closed. */

import assert from "node:assert/strict";
import {
  assertHeard,
  assertRefused,
  assertTurnedDown,
  inputOf,
  lookup,
  question,
  withApi,
} from "../support/api_rig.ts";

type Change = (good: string) => string;

interface Row {
  readonly statuses?: readonly number[];
  /** Where the body ends is beyond doubt: the connection may go on. */
  readonly framed?: true;
  readonly change: Change;
}

const behindLine = (field: string): Change => (good) => good.replace("\r\nHost", `\r\n${field}Host`);
const before = (field: string): Change => (good) =>
  good.replace("\r\nContent-Length", `\r\n${field}\r\nContent-Length`);
const length = (value: string): Change => (good) =>
  good.replace(/Content-Length: \d+/, `Content-Length:${value}`);
const coding = (...values: readonly string[]): Change => (good) =>
  good.replace(/Content-Length: \d+/, values.map((value) => `Transfer-Encoding:${value}`).join("\r\n"));
const target = (value: string): Change => (good) => good.replace(" /v1/responses ", ` ${value} `);
const line = (value: string): Change => (good) => good.replace(/^[^\r]*/, value);
const version = (value: string): Change => (good) => good.replace("HTTP/1.1", value);
const host = (lines: string): Change => (good) => good.replace(/Host: [^\r]*\r\n/, lines);
const field = (text: string): Row => ({ change: before(text) });
const framed = (change: Change): Row => ({ statuses: [400, 404], framed: true, change });
const of = (statuses: readonly number[], change: Change): Row => ({ statuses, change });

const LINE = [400, 414, 501, 505];
const CODING = [400, 501];
const LARGE = [400, 413, 431];
const VERSION = [400, 505];

const tables: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  "line ends": {
    "bare line feeds": { change: (good) => good.replaceAll("\r\n", "\n") },
    "a bare line feed behind the request line": { change: (good) => good.replace("\r\n", "\n") },
    "a bare line feed behind a field": { change: (good) => good.replace(/(Host: [^\r]*)\r/, "$1") },
    "a bare line feed at the end of the head": { change: (good) => good.replace("\r\n\r\n", "\r\n\n") },
    "a bare carriage return behind the request line": { change: (good) => good.replace("\r\n", "\r") },
    "a bare carriage return in a value": field("X-A: b\rX-B: c"),
    "two carriage returns at a line's end": field("X-A: b\r"),
    "a carriage return in a name": field("X\r-A: b"),
    "a folded line": field("X-A: b\r\n c"),
    "a line folded with a tab": field("X-A: b\r\n\tc"),
    "a folded first field": { change: behindLine(" X-A: b\r\n") },
    "a line of blanks": field("  "),
  },
  "fields": {
    "a NUL in a value": field("X-A: b\0c"),
    "a NUL in a name": field("X\0A: b"),
    "a bell in a value": field("X-A: b\x07c"),
    "an escape in a value": field("X-A: \x1b[2J"),
    "a delete in a value": field("X-A: b\x7fc"),
    "a vertical tab before a value": field("X-A: \x0bb"),
    "a space before the colon": field("X-A : b"),
    "a tab before the colon": field("X-A\t: b"),
    "an empty name": field(": b"),
    "no colon": field("X-A b"),
    "a space in a name": field("X A: b"),
    "a bracket in a name": field("X(A): b"),
    "a quote in a name": field('X"A: b'),
    "a slash in a name": field("X/A: b"),
    "letters beyond ASCII in a name": field("X-\xe9: b"),
    "a space before the length's colon": {
      change: (good) => good.replace("Content-Length:", "Content-Length :"),
    },
  },
  "lengths": {
    "two that differ": field("Content-Length: 5"),
    "a list": of([400], length(" 5, 6")),
    "a list of the same": of([400], length(" 5,5")),
    "a plus": of([400], length(" +5")),
    "a minus": of([400], length(" -5")),
    "hexadecimal": of([400], length(" 0x5")),
    "blanks": of([400], length("   ")),
    "nothing": of([400], length("")),
    "a fraction": of([400], length(" 5.0")),
    "an exponent": of([400], length(" 1e1")),
    "a word behind it": of([400], length(" 5 bytes")),
    "underscores": of([400], length(" 5_0")),
    "digits that are not ASCII": of([400], length(" \xb2")),
    "20 digits": of(LARGE, length(` ${"9".repeat(20)}`)),
    "2 to the 64th and five": of(LARGE, length(" 18446744073709551621")),
    "2 to the 63rd": of(LARGE, length(" 9223372036854775808")),
    "400 digits": of(LARGE, length(` ${"1".repeat(400)}`)),
    "one and a coding": of([400], before("Transfer-Encoding: chunked")),
    "one and a coding that is unknown": of(CODING, before("Transfer-Encoding: gzip")),
    "one and an empty coding": of(CODING, before("Transfer-Encoding:")),
  },
  "codings": {
    "gzip": of(CODING, coding(" gzip")),
    "gzip before chunks": of(CODING, coding(" gzip, chunked")),
    "gzip before chunks in fields of their own": of(CODING, coding(" gzip", " chunked")),
    "gzip behind chunks": of(CODING, coding(" chunked, gzip")),
    "chunks twice": of(CODING, coding(" chunked, chunked")),
    "chunks twice in fields of their own": of(CODING, coding(" chunked", " chunked")),
    "identity": of(CODING, coding(" identity")),
    "identity before chunks": of(CODING, coding(" identity, chunked")),
    "a word that ends in chunked": of(CODING, coding(" xchunked")),
    "a word that begins with chunked": of(CODING, coding(" chunkedx")),
    "chunks with a parameter": of(CODING, coding(" chunked;a=b")),
    "chunks in quotes": of(CODING, coding(' "chunked"')),
    "chunks behind a vertical tab": of(CODING, coding(" \x0bchunked")),
    "nothing": of(CODING, coding("")),
    "chunks in HTTP/1.0": of(CODING, (good) => version("HTTP/1.0")(coding(" chunked")(good))),
  },
  "hosts": {
    "none": framed(host("")),
    "two": of([400], (good) => host(`${/Host: [^\r]*\r\n/.exec(good)?.[0]}Host: elsewhere\r\n`)(good)),
    "the same twice": of([400], (good) => host(/Host: [^\r]*\r\n/.exec(good)?.[0].repeat(2) ?? "")(good)),
    "a comma": framed(host("Host: a, b\r\n")),
    "an encoded letter": framed(host("Host: ex%41mple\r\n")),
    "a letter beyond ASCII": framed(host("Host: ex\xe4mple\r\n")),
    "a port that is none": framed(host("Host: a:b\r\n")),
  },
  "versions": {
    "HTTP/0.9 without a version": of(VERSION, line("GET /healthz")),
    "HTTP/0.9": of(VERSION, version("HTTP/0.9")),
    "HTTP/2.0": of(VERSION, version("HTTP/2.0")),
    "HTTP/3.0": of(VERSION, version("HTTP/3.0")),
    "lower case": of(VERSION, version("http/1.1")),
    "mixed case": of(VERSION, version("Http/1.1")),
    "two digits": of(VERSION, version("HTTP/1.10")),
    "no minor": of(VERSION, version("HTTP/1")),
    "no point": of(VERSION, version("HTTP/11")),
    "another protocol": of(VERSION, version("ICY/1.1")),
    "a blank behind it": of(VERSION, version("HTTP/1.1 ")),
    "nothing behind the target": of(VERSION, version("")),
    "the preface of HTTP/2": of(VERSION, () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"),
    "the hello of TLS": of(VERSION, () => "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\r\n\r\n"),
  },
  "request lines": {
    "a space in the target": of(LINE, target("/v1/res ponses")),
    "a tab in the target": of(LINE, target("/v1/res\tponses")),
    "a fragment": framed(target("/v1/responses#x")),
    "letters beyond ASCII": of(LINE, target("/v1/r\xe9sponses")),
    "letters beyond ASCII in the query": framed(target("/v1/responses?\xc3\xa9")),
    "a NUL": of(LINE, target("/v1/responses\0")),
    "a delete": of(LINE, target("/v1/responses\x7f")),
    "no slash": framed(target("v1/responses")),
    "a star": framed(target("*")),
    "an empty target": of(LINE, target("")),
    "a host alone": framed(target("127.0.0.1:80")),
    "two spaces": of(LINE, (good) => good.replace("POST ", "POST  ")),
    "a tab for a space": of(LINE, (good) => good.replace("POST ", "POST\t")),
    "a space before the method": of(LINE, (good) => ` ${good}`),
    "no method": of(LINE, (good) => good.replace("POST ", " ")),
    "a bracket in the method": of(LINE, (good) => good.replace("POST", "P(ST")),
    "a letter beyond ASCII in the method": of(LINE, (good) => good.replace("POST", "P\xd6ST")),
    "an endless method": of([...LINE, 431], (good) => good.replace("POST", "P".repeat(70_000))),
    "a target of 70 KiB": of([400, 414, 431], target(`/v1/responses?${"a".repeat(70_000)}`)),
    "only blanks": of(LINE, () => "   \r\n\r\n"),
  },
  "sizes": {
    "a field of 70 KiB": of([400, 431], before(`X-A: ${"a".repeat(70_000)}`)),
    "a name of 70 KiB": of([400, 431], before(`X-${"a".repeat(70_000)}: b`)),
    "fields of 70 KiB in all": of([400, 431], before(lines(70, "a".repeat(1_000)))),
    "300 fields": of([400, 431], before(lines(300, "a"))),
    "a megabyte of fields": of([400, 431], before(lines(100, "a".repeat(10_000)))),
  },
};

function lines(count: number, value: string): string {
  return Array.from({ length: count }, (_, at) => `X-${at}: ${value}`).join("\r\n");
}

const secret = "must not be heard";

for (const [what, rows] of Object.entries(tables)) {
  Deno.test(`the door refuses heads that are none: ${what}`, async (t) => {
    await withApi(async ({ gateway, upstream, open }) => {
      for (const [which, { statuses = [400], framed = false, change }] of Object.entries(rows)) {
        await t.step(which, async () => {
          const before = upstream.requested.length;
          const good = question(gateway, { input: secret });
          const bad = change(good);
          assert.notEqual(bad, good);
          await using client = await open();
          await client.send(bad);
          if (framed) await assertTurnedDown(client, { statuses, gateway });
          else await assertRefused(client, { statuses });
          assert(
            !upstream.requested.slice(before).some(({ body }) => inputOf(body) === secret),
            "nobody was asked",
          );
        });
      }
    });
  });
}

Deno.test("the door's refusal can be read by who is still sending", async (t) => {
  await withApi(async ({ gateway, upstream, open }) => {
    const more = "x".repeat(64 * 1024);
    for (const which of ["a NUL in a value", "a space before the colon"]) {
      await t.step(which, async () => {
        const bad = tables.fields?.[which]?.change(question(gateway)) ?? "";
        await using client = await open();
        await client.send(bad);
        for (let sent = 0; sent < 20; sent++) await client.send(more, more);
        await assertRefused(client, { statuses: [400] });
        assert.equal(upstream.requested.length, 0);
      });
    }
  });
});

Deno.test("the door's refusal says what is wrong, in the words of the API", async () => {
  await withApi(async ({ gateway, open }) => {
    await using client = await open();
    await client.send(lookup(gateway, "/healthz", { fields: "X-A : b\r\n" }));
    const { status, text, headers } = await assertRefused(client, { statuses: [400] });
    assert.equal(headers.get("content-type"), "application/json");
    const { error } = JSON.parse(text);
    assert.equal(error.code, status);
    assert(typeof error.message === "string" && error.message.length > 10, text);
  });
});

/** Odd, and right: refusing one of these would keep a client out. */
const taken: Readonly<Record<string, Change>> = {
  "empty lines before it": (good) => `\r\n${good}`,
  "blanks around a value": before("X-A: \t b \t "),
  "no blank before a value": before("X-A:b"),
  "an empty value": before("X-A:"),
  "letters beyond ASCII in a value": before("X-A: \xe9\xff"),
  "every sign that a name may have": before("!#$%&'*+-.^_`|~09azAZ: b"),
  "a comma and a colon in a value": before("X-A: b, c: d"),
  "lower-case names": (good) => good.replace("Content-Length", "content-length").replace("Host", "host"),
  "the same field many times": before("Accept: a\r\nAccept: b\r\naccept: c"),
  "a length with zeros before it": (good) => good.replace(/Content-Length: /, "Content-Length: 000"),
  "a length with blanks around it": (good) =>
    good.replace(/Content-Length: (\d+)/, "Content-Length: \t $1 \t"),
  "the whole address": (good) => good.replace(" /v1", ` http://${/Host: (\S+)/.exec(good)?.[1]}/v1`),
  "a query with every sign": target("/v1/responses?a=b&c='()*+,;=:@/?%20!$~-._"),
  "90 fields": before(lines(90, "a")),
  "a field of 8 KiB": before(`X-A: ${"a".repeat(8 * 1024)}`),
  "an upgrade to HTTP/2": before(
    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__",
  ),
  "an upgrade to a socket": before(
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  ),
};

Deno.test("the door takes what is odd and right", async (t) => {
  await withApi(async ({ gateway, open }) => {
    for (const [which, change] of Object.entries(taken)) {
      await t.step(which, async () => {
        await using client = await open();
        await client.send(
          change(question(gateway, { input: which })),
          question(gateway, { input: "and more" }),
        );
        assertHeard(await client.reply(), which);
        assertHeard(await client.reply(), "and more");
      });
    }
  });
});

/** Methods that nothing here has; the standard has more of them than a `Request` takes. */
const methods = [
  "CONNECT",
  "TRACE",
  "TRACK",
  "PROPFIND",
  "BREW",
  "get",
  "post",
  "Post",
  "patch",
  "delete",
  "M-SEARCH",
];

Deno.test("the door answers every method, and mends none", async (t) => {
  await withApi(async ({ gateway, open }) => {
    for (const method of methods) {
      await t.step(method, async () => {
        await using client = await open();
        await client.send(lookup(gateway, "/healthz", { method, fields: "Connection: close\r\n" }));
        const { status } = await client.reply({ to: method });
        assert([400, 404, 405, 501].includes(status), `status ${status}`);
        await client.ended();
      });
    }
  });
});

Deno.test("the door opens no tunnel", async (t) => {
  await withApi(async ({ gateway, open }) => {
    for (const where of ["example.com:443", `127.0.0.1:${gateway.port}`, "/healthz", "*"]) {
      await t.step(where, async () => {
        await using client = await open();
        await client.send(`CONNECT ${where} HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\n\r\n`);
        const { status } = await client.reply({ to: "CONNECT" });
        assert([400, 404, 405, 501].includes(status), `status ${status}`);
      });
    }
  });
});

/** Each passes for a name of a host, and is none to everyone who takes an address apart. */
const hosts = [
  ".1",
  "1.2.3.4.5",
  "256.256.256.256",
  "0x",
  "a.0x100000000",
  "xn--a",
  "-",
  "_",
  ".",
  "..",
  "a:0",
  "a:99999",
  "[::1]",
  "[::1",
  "[1]",
];

Deno.test("the door fails at no host", async (t) => {
  await withApi(async ({ gateway, open }) => {
    for (const name of hosts) {
      await t.step(name, async () => {
        await using client = await open();
        for (const path of ["/healthz", "/v1/models", "/v1/models?a=b", "/v1/key", "/v1/nothing"]) {
          await client.send(lookup(gateway, path).replace(/Host: [^\r]*/, `Host: ${name}`));
          const { status, text } = await client.reply();
          assert(status < 500, `${path}: ${status} ${text}`);
        }
        await client.send(question(gateway).replace(/Host: [^\r]*/, `Host: ${name}`));
        const { status, text } = await client.reply();
        assert(status < 500, `${status} ${text}`);
      });
    }
  });
});
