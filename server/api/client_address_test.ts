import assert from "node:assert/strict";
import type { ProxyTrust } from "../config/config.ts";
import { clientAddressReader, parseAddress } from "./client_address.ts";
import type { HttpExchange } from "./http_exchange.ts";

const hops = (count: number): ProxyTrust => ({ type: "hops", hops: count });
const ranges = (...list: string[]): ProxyTrust => ({ type: "ranges", ranges: list });

interface From {
  readonly trust: ProxyTrust;
  readonly remote?: string;
  readonly forwarded?: string;
}

const asExchange = (part: unknown) => part as HttpExchange;

function addressOf({ trust, remote = "10.0.0.1", forwarded }: From) {
  const headers = new Headers(forwarded === undefined ? {} : { "x-forwarded-for": forwarded });
  return clientAddressReader(trust)(asExchange({ peer: () => remote, request: { headers } }));
}

const direct = (address: string) => ({ address, isForwarded: false });
const claimed = (address: string) => ({ address, isForwarded: true });

Deno.test("parseAddress reads addresses with and without ports, and nothing else", () => {
  const same = ["192.0.2.1", "192.0.2.1:4711", " 192.0.2.1 ", "::ffff:192.0.2.1", "[::ffff:c000:201]:1"];
  for (const text of same) assert.equal(parseAddress(text), "192.0.2.1", text);
  const v6 = ["2001:db8::1", "[2001:db8::1]", "[2001:DB8:0:0::1]:443", "2001:db8::1%eth0"];
  for (const text of v6) assert.equal(parseAddress(text), "2001:db8::1", text);
  const odd = [
    "",
    "unknown",
    "_hidden",
    "192.0.2",
    "192.0.2.256",
    "192.0.2.1:",
    "[192.0.2.1]",
    "1:2",
    "[::1",
    "a,b",
  ];
  for (const text of odd) assert.equal(parseAddress(text), undefined, text);
});

Deno.test("clientAddressReader gives all ports of a forwarded address as one", () => {
  for (const port of [1, 2, 65_535]) {
    const forwarded = `203.0.113.9:${port}`;
    assert.deepEqual(addressOf({ trust: hops(1), forwarded }), claimed("203.0.113.9"));
    assert.deepEqual(addressOf({ trust: ranges("10.0.0.0/8"), forwarded }), claimed("203.0.113.9"));
    const v6 = `[2001:db8::9]:${port}`;
    assert.deepEqual(addressOf({ trust: hops(1), forwarded: v6 }), claimed("2001:db8::9"));
  }
});

Deno.test("clientAddressReader says what was forwarded, loopback included", () => {
  for (const forwarded of ["127.0.0.1", "::1", "[::1]:80", "::ffff:127.0.0.1"]) {
    assert.equal(addressOf({ trust: hops(1), forwarded })?.isForwarded, true);
    assert.equal(addressOf({ trust: ranges("10.0.0.1"), forwarded })?.isForwarded, true);
    assert.deepEqual(addressOf({ trust: hops(0), forwarded }), direct("10.0.0.1"));
  }
  assert.deepEqual(addressOf({ trust: hops(1), remote: "127.0.0.1" }), direct("127.0.0.1"));
});

Deno.test("clientAddressReader walks from hop to hop as far as they are trusted", () => {
  const forwarded = "198.51.100.1, 203.0.113.9, 10.0.0.2";
  assert.deepEqual(addressOf({ trust: hops(1), forwarded }), claimed("10.0.0.2"));
  assert.deepEqual(addressOf({ trust: hops(2), forwarded }), claimed("203.0.113.9"));
  assert.deepEqual(addressOf({ trust: hops(9), forwarded }), claimed("198.51.100.1"));
  assert.deepEqual(addressOf({ trust: ranges("10.0.0.0/8"), forwarded }), claimed("203.0.113.9"));
  assert.deepEqual(addressOf({ trust: ranges("192.0.2.0/24"), forwarded }), direct("10.0.0.1"));
  const mapped = addressOf({ trust: ranges("10.0.0.0/8"), remote: "::ffff:10.0.0.1", forwarded });
  assert.deepEqual(mapped, claimed("203.0.113.9"), "a listener on :: sees its proxy as IPv6");
});

Deno.test("clientAddressReader takes what is no address for the proxy that has written it", () => {
  for (const odd of ["unknown", "1.2.3.4.5", "x".repeat(10_000), ""]) {
    assert.deepEqual(addressOf({ trust: hops(1), forwarded: odd }), claimed("10.0.0.1"));
    assert.deepEqual(addressOf({ trust: hops(2), forwarded: `${odd}, 203.0.113.9` }), claimed("203.0.113.9"));
    assert.deepEqual(
      addressOf({ trust: ranges("10.0.0.0/8"), forwarded: `${odd}, 10.0.0.7` }),
      claimed("10.0.0.7"),
    );
  }
});
