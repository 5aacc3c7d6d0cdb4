/** The proxy of a command: all that a program may ask and that is refused, in a sentence. */

import assert from "node:assert/strict";
import type { CommandProxy } from "../../server/sandbox/bubblewrap/network/command_proxy.ts";
import { connectTo, Program, proxyRig } from "../support/proxy_program.ts";
import { until } from "../support/until.ts";

/** Sends all of it, and reads the answer to its end. */
async function ask(proxy: CommandProxy, request: string): Promise<string> {
  const program = new Program(proxy);
  await program.send(request);
  await until(() => program.hasEnded || program.isClosed, { what: "an answer" });
  program.end();
  await program.done;
  return program.heard;
}

const get = (url: string, more = "") => `GET ${url} HTTP/1.1\r\nHost: example.com\r\n${more}\r\n`;

/** A request, and the line of the answer. */
const refused: Readonly<Record<string, readonly [request: string, line: RegExp]>> = {
  "another domain": [connectTo("example.org:443"), /403 The request does not allow example\.org\./],
  "a domain that ends in the same letters": [
    connectTo("notexample.com:443"),
    /403 The request does not allow/,
  ],
  "a domain that begins with the same letters": [connectTo("example.com.evil.org:443"), /403 The request/],
  "another port": [connectTo("example.com:22"), /403 Only port 443/],
  "the port of http": [connectTo("example.com:80"), /403 Only port 443/],
  "a port that is none": [connectTo("example.com:99999"), /403 This is no URL/],
  "no port": [connectTo("example.com"), /400 /],
  "a user": [connectTo("user@example.com:443"), /400 /],
  "a user that looks like the host": [connectTo("example.com:443@evil.org:443"), /400 /],
  "a path": [connectTo("example.com:443/x"), /400 /],
  "a backslash": [connectTo("evil.org\\.example.com:443"), /400 /],
  "a zero byte": [connectTo("example.com\0.evil.org:443"), /400 /],
  "a character beyond ASCII": [connectTo("ex\u00e4mple.com:443"), /400 /],
  "an escape": [connectTo("example%2ecom:443"), /400 /],
  "loopback": [connectTo("127.0.0.1:443"), /403 127\.0\.0\.1 is not on the public Internet/],
  "loopback as a number": [connectTo("2130706433:443"), /403 127\.0\.0\.1 is not on the public/],
  "loopback in octal": [connectTo("0177.0.0.1:443"), /403 127\.0\.0\.1 is not on the public/],
  "loopback in hexadecimal": [connectTo("0x7f.1:443"), /403 127\.0\.0\.1 is not on the public/],
  "loopback of IPv6": [connectTo("[::1]:443"), /403 ::1 is not on the public/],
  "loopback of IPv4 in IPv6": [connectTo("[::ffff:127.0.0.1]:443"), /403 ::ffff:7f00:1 is not on the public/],
  "no address of IPv6": [connectTo("[::1::2]:443"), /403 This is no URL/],
  "metadata of a cloud": [connectTo("169.254.169.254:443"), /403 169\.254\.169\.254 is not on the public/],
  "metadata of a cloud by name": [connectTo("metadata.google.internal:443"), /403 .*not on the public/],
  "localhost": [connectTo("LOCALHOST.:443"), /403 localhost is not on the public/],
  "a name below localhost": [connectTo("example.com.localhost:443"), /403 .*not on the public/],
  "plain http": [get("http://example.com/"), /403 Only https URLs can be fetched/],
  "a page of another domain": [get("https://example.org/"), /403 The request does not allow example\.org/],
  "a page of the machine": [get("http://127.0.0.1:8787/v1/models"), /403 Only https/],
  "a page with a user": [get("https://example.com@evil.org/"), /403 URLs with a user/],
  "a page of another scheme": [get("file:///etc/passwd"), /400 /],
  "a page by ftp": [get("ftp://example.com/"), /400 /],
  "the proxy itself": ["GET / HTTP/1.1\r\nHost: 127.0.0.1:3128\r\n\r\n", /403 Only https/],
  "another method": [
    "POST https://example.com/ HTTP/1.1\r\nHost: x\r\n\r\n",
    /403 Only GET and HEAD are allowed/,
  ],
  "a method of WebDAV": [
    "PROPFIND https://example.com/ HTTP/1.1\r\nHost: x\r\n\r\n",
    /403 Only GET and HEAD/,
  ],
  "a body": [get("https://example.com/", "Content-Length: 3\r\n") + "abc", /403 A GET with a body/],
  "chunks": [
    get("https://example.com/", "Transfer-Encoding: chunked\r\n") + "0\r\n\r\n",
    /403 A GET with a body/,
  ],
  "a length and chunks": [
    get("https://example.com/", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"),
    /400 .*both a length and chunks/,
  ],
  "two hosts": [get("https://example.com/", "Host: evil.org\r\n"), /400 .*two fields host/],
  "a folded line": [get("https://example.com/", "X: a\r\n b\r\n"), /400 /],
  "a bare line feed": ["GET https://example.com/ HTTP/1.1\nHost: x\n\n", /400 /],
  "a bare carriage return": [get("https://example.com/", "X: a\rb\r\n"), /400 /],
  "a space in the address": [get("https://example.com/ x"), /400 /],
  "an endless line": [`GET https://example.com/${"a".repeat(70_000)}`, /414 /],
  "an endless head": [get("https://example.com/", `X: ${"a".repeat(70_000)}\r\n`), /431 /],
  "many lines": [get("https://example.com/", "X: a\r\n".repeat(300)), /431 /],
  "another version": ["GET https://example.com/ HTTP/2.0\r\nHost: x\r\n\r\n", /505 /],
  "TLS to the proxy": ["\x16\x03\x01\x02\x00\x01", /400 /],
  "SOCKS": ["\x05\x01\x00", /400 /],
};

for (const [what, [request, line]] of Object.entries(refused)) {
  Deno.test(`the proxy of a command refuses ${what}, in a sentence`, async () => {
    const { proxy, connected } = proxyRig();
    const heard = await ask(proxy, request);
    const [first = "", ...rest] = heard.split("\r\n");
    assert.match(first, /^HTTP\/1\.1 \d{3} [\x20-\x7e]+\.$/);
    assert.match(first, line);
    assert.equal(rest.at(-1), `${first.slice("HTTP/1.1 403 ".length)}\n`);
    assert.equal(proxy.notes.length, 1);
    assert.deepEqual(connected, []);
  });
}

for (const addresses of [["127.0.0.1"], ["93.184.215.14", "10.0.0.1"], ["::1"], ["169.254.169.254"]]) {
  Deno.test(`the proxy of a command refuses a domain that resolves to ${addresses.join(" and ")}`, async () => {
    const { proxy, connected } = proxyRig({ names: { "example.com": [addresses] } });
    assert.match(
      await ask(proxy, connectTo("example.com:443")),
      /^HTTP\/1\.1 403 .*not on the public Internet/,
    );
    assert.deepEqual(connected, []);
  });
}
