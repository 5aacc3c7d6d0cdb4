import assert from "node:assert/strict";
import { proxyFinder } from "./proxy_rules.ts";

const https = { hostname: "secure.proxy", port: 1, display: "http://secure.proxy:1" };
const http = { hostname: "plain.proxy", port: 2, display: "http://plain.proxy:2" };

/** `host`, or `host port`. */
function isProxied(target: string, exempt: readonly string[]): boolean {
  const [hostname = "", port = "443"] = target.split(" ");
  return proxyFinder({ https, http, exempt })({ hostname, port: Number(port), secure: true }) !== undefined;
}

Deno.test("proxyFinder takes the proxy of the scheme", () => {
  const find = proxyFinder({ https, http, exempt: [] });
  assert.equal(find({ hostname: "a.example", port: 443, secure: true }), https);
  assert.equal(find({ hostname: "a.example", port: 80, secure: false }), http);
  const onlySecure = proxyFinder({ https, exempt: [] });
  assert.equal(onlySecure({ hostname: "a.example", port: 80, secure: false }), undefined);
  assert.equal(proxyFinder({ exempt: [] })({ hostname: "a.example", port: 443, secure: true }), undefined);
});

const rows: readonly (readonly [entry: string, direct: readonly string[], proxied: readonly string[]])[] = [
  ["*", ["a.example", "10.0.0.1", "2001:db8::1"], []],
  ["a.example", ["a.example", "b.a.example"], ["example", "ba.example", "a.example.org"]],
  [".a.example", ["b.a.example", "c.b.a.example"], ["a.example", "ba.example"]],
  ["*.a.example", ["b.a.example"], ["a.example"]],
  ["10.0.0.1", ["10.0.0.1"], ["10.0.0.2", "10.0.0.1.example"]],
  ["10.0.0.0/8", ["10.0.0.1", "10.255.0.1"], ["11.0.0.1", "a.example"]],
  ["2001:db8::/32", ["2001:db8::1"], ["2001:db9::1"]],
  ["2001:DB8:0::1", ["2001:db8::1"], ["2001:db8::2"]],
  ["10.0.0.0/99", [], ["10.0.0.1"]],
  ["/8", [], ["10.0.0.1"]],
];

for (const [entry, direct, proxied] of rows) {
  Deno.test(`NO_PROXY ${entry} exempts what it names`, () => {
    for (const hostname of direct) assert.equal(isProxied(hostname, [entry]), false, hostname);
    for (const hostname of proxied) assert.equal(isProxied(hostname, [entry]), true, hostname);
  });
}

Deno.test("NO_PROXY with a port exempts that port", () => {
  for (const entry of ["a.example:8443", ".example:8443", "10.0.0.1:8443", "[2001:db8::1]:8443"]) {
    const hostname = /^(?:a|\.)/.test(entry) ? "a.example" : entry.replace(/^\[|\]?:\d+$/g, "");
    assert.equal(isProxied(`${hostname} 8443`, [entry]), false, entry);
    assert.equal(isProxied(hostname, [entry]), true, entry);
  }
});

Deno.test("proxyFinder reaches this machine directly", () => {
  for (
    const hostname of ["localhost", "LOCALHOST", "localhost.", "a.localhost", "127.0.0.1", "127.1.2.3", "::1"]
  ) {
    assert.equal(isProxied(hostname, []), false, hostname);
  }
  assert.equal(isProxied("localhost.example", []), true);
});
