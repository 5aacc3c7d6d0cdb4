import assert from "node:assert/strict";
import { allowedHosts, excludedHosts, isAllowedUrl, parseDomainRule } from "./domain_rules.ts";

const rule = (text: string) => parseDomainRule(text) ?? assert.fail(text);

const rows: readonly (readonly [rule: string, inside: readonly string[], outside: readonly string[]])[] = [
  [
    "example.com",
    ["https://example.com/", "http://www.example.com/a", "https://EXAMPLE.com./x"],
    [
      "https://example.org/",
      "https://notexample.com/",
      "https://example.com.evil.org/",
      "https://evil.org/example.com",
    ],
  ],
  ["*.example.com", ["https://a.example.com/", "https://a.b.example.com/"], ["https://example.com/"]],
  [
    "example.com/docs",
    ["https://example.com/docs", "https://example.com/docs/a?b", "https://a.example.com/docs/"],
    ["https://example.com/", "https://example.com/docsy", "https://example.com/a/docs"],
  ],
  ["*.example.com/docs/", ["https://a.example.com/docs/x"], ["https://example.com/docs/x"]],
  ["https://Bücher.example/", ["https://xn--bcher-kva.example/a"], ["https://bucher.example/"]],
];

for (const [text, inside, outside] of rows) {
  Deno.test(`the domain ${text} names what it says`, () => {
    for (const url of inside) {
      assert(isAllowedUrl(url, { allowed: [rule(text)], excluded: [] }), url);
      assert(!isAllowedUrl(url, { allowed: [], excluded: [rule(text)] }), url);
    }
    for (const url of outside) {
      assert(!isAllowedUrl(url, { allowed: [rule(text)], excluded: [] }), url);
      assert(isAllowedUrl(url, { allowed: [], excluded: [rule(text)] }), url);
    }
  });
}

Deno.test("parseDomainRule refuses what is no domain", () => {
  const bad = [
    "",
    "*",
    "*.",
    "a.*.example",
    "user@example.com",
    "example.com:8080",
    "example.com?x",
    "a b",
    "https://",
  ];
  assert.deepEqual(bad.filter((text) => parseDomainRule(text) !== undefined), []);
});

Deno.test("isAllowedUrl takes addresses of the web only", () => {
  const every = { allowed: [], excluded: [] };
  for (const url of ["javascript:alert(1)", "ftp://example.com/", "file:///etc/passwd", "nothing", ""]) {
    assert.equal(isAllowedUrl(url, every), false, url);
  }
  assert.equal(isAllowedUrl("https://example.com/", every), true);
});

Deno.test("engines get whole hosts, and are not told to exclude more than the rules do", () => {
  const rules = ["a.example", "*.a.example", "b.example/docs"].map(rule);
  assert.deepEqual(allowedHosts({ allowed: rules, excluded: [] }), ["a.example", "b.example"]);
  assert.deepEqual(excludedHosts({ allowed: [], excluded: rules }), ["a.example"]);
});
