import assert from "node:assert/strict";
import { parseNoProxy, parseProxy } from "./proxies.ts";

const basic = (credentials: string) => `Basic ${btoa(credentials)}`;

const good: readonly (readonly [input: string, value: object])[] = [
  ["http://proxy.example:3128", {
    hostname: "proxy.example",
    port: 3128,
    display: "http://proxy.example:3128",
  }],
  ["http://proxy.example/", { hostname: "proxy.example", port: 80, display: "http://proxy.example" }],
  ["proxy.example:3128", { hostname: "proxy.example", port: 3128, display: "http://proxy.example:3128" }],
  ["HTTP://10.0.0.1:8080", { hostname: "10.0.0.1", port: 8080, display: "http://10.0.0.1:8080" }],
  ["http://[::1]:8080", { hostname: "::1", port: 8080, display: "http://[::1]:8080" }],
  ["http://user:pa%3Ass%40@p:1", {
    hostname: "p",
    port: 1,
    display: "http://p:1",
    authorization: basic("user:pa:ss@"),
  }],
  ["http://user@p:1", { hostname: "p", port: 1, display: "http://p:1", authorization: basic("user:") }],
];

for (const [input, value] of good) {
  Deno.test(`parseProxy reads ${input}`, () => {
    assert.deepEqual(parseProxy(input), { value: { authorization: undefined, ...value } });
  });
}

for (
  const input of [
    "https://proxy.example",
    "socks5://proxy.example:1080",
    "http://",
    "http://proxy.example/path",
    "http://proxy.example?x=1",
    "http://proxy.example#x",
    "http://us%er@proxy.example",
    "proxy example",
  ]
) {
  Deno.test(`parseProxy refuses ${input}`, () => {
    const result = parseProxy(input);
    assert("allowed" in result);
    assert.match(result.allowed, /http:\/\//);
  });
}

Deno.test("parseNoProxy takes entries by commas and blanks", () => {
  assert.deepEqual(parseNoProxy(" a.example, .B.example,,10.0.0.0/8  * "), {
    value: ["a.example", ".b.example", "10.0.0.0/8", "*"],
  });
});
