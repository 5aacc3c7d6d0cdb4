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

type Verdicts = readonly (readonly [address: string, isNamed: "named" | "outside" | "unsure"])[];

/** One path may be read in several ways: what only some servers read as named is neither allowed nor let through. */
const paths: readonly (readonly [rule: string, verdicts: Verdicts])[] = [
  ["example.com/docs", [
    ["https://example.com/docs", "named"],
    ["https://example.com/docs/", "named"],
    ["https://example.com/docs?a=/private", "named"],
    ["https://example.com/%64ocs/a", "named"],
    ["https://example.com/%64%6F%63%73/a", "named"],
    ["https://example.com/%64%6f%63%73/a", "named"],
    ["https://example.com//docs//a", "named"],
    ["https://example.com/./docs/./a", "named"],
    ["https://example.com/a/../docs", "named"],
    ["https://example.com/a/%2e%2E/docs", "named"],
    ["https://example.com/docs/100%25", "named"],
    ["https://example.com:8443/docs", "named"],
    ["https://user@example.com/docs", "named"],
    ["https://example.com./docs", "named"],
    ["https://EXAMPLE.com/docs", "named"],
    ["https://example.com/docs/%FF", "named"],
    ["https://example.com/Docs", "outside"],
    ["https://example.com/docs/../private", "outside"],
    ["https://example.com/docs/%2e%2e/private", "outside"],
    ["https://example.com/docs/.%2E/private", "outside"],
    ["https://example.com/docs\\..\\private", "outside"],
    ["https://example.com/docsy", "outside"],
    ["https://example.com/?/docs", "outside"],
    ["https://example.com/#/docs", "outside"],
    ["https://example.com@evil.example/docs", "outside"],
    ["https://example.com.evil.example/docs", "outside"],
    ["https://example.com/docs%2Fa", "unsure"],
    ["https://example.com/docs%5Ca", "unsure"],
    ["https://example.com/docs%2F%FF", "unsure"],
    ["https://example.com/docs/..%2Fprivate", "unsure"],
    ["https://example.com/docs/..%5cprivate", "unsure"],
    ["https://example.com/docs/%252e%252e/private", "unsure"],
    ["https://example.com/docs/%252e%252e%252fprivate", "unsure"],
    ["https://example.com/%2564ocs/a", "unsure"],
    [`https://example.com/docs/%${"25".repeat(20)}2e`, "unsure"],
  ]],
  ["example.com/a b/é", [
    ["https://example.com/a%20b/%C3%A9", "named"],
    ["https://example.com/a%20b/%c3%a9/x", "named"],
    ["https://example.com/a b/e\u0301", "named"],
    ["https://example.com/a+b/é", "outside"],
    ["https://example.com/a%20b/%E9", "outside"],
  ]],
  ["example.com/%64ocs//x/", [["https://example.com/docs/x/y", "named"], [
    "https://example.com/docs",
    "outside",
  ]]],
  ["example.com/docs/*", [["https://example.com/docs/x", "named"], ["https://example.com/doc", "outside"]]],
  ["BÜCHER.example./x", [
    ["https://xn--bcher-kva.example/x", "named"],
    ["https://bücher.example/x/", "named"],
    ["https://www.bücher.example./x", "named"],
    ["https://bucher.example/x", "outside"],
  ]],
  ["192.168.1.10/x", [["https://0xc0a8010a/x", "named"], ["https://192.168.1.100/x", "outside"]]],
];

for (const [text, verdicts] of paths) {
  for (const [address, verdict] of verdicts) {
    Deno.test(`the domain ${text} takes ${address} for ${verdict}`, () => {
      const url = URL.parse(address) ?? assert.fail(address);
      for (const form of [address, url]) {
        assert.equal(isAllowedUrl(form, { allowed: [rule(text)], excluded: [] }), verdict === "named");
        assert.equal(isAllowedUrl(form, { allowed: [], excluded: [rule(text)] }), verdict === "outside");
      }
    });
  }
}

Deno.test("a rule for a whole host holds for what has no readable path", () => {
  const address = `https://example.com/%${"25".repeat(20)}2e`;
  assert(isAllowedUrl(address, { allowed: [rule("example.com"), rule("example.com/x")], excluded: [] }));
  assert(!isAllowedUrl(address, { allowed: [], excluded: [rule("example.com"), rule("example.com/x")] }));
  assert(isAllowedUrl(address, { allowed: [], excluded: [rule("example.org")] }));
});

Deno.test("parseDomainRule refuses what is no domain", () => {
  const bad = [
    "",
    "*",
    "*.",
    "a.*.example",
    "user@example.com",
    "example.com:8080",
    "example.com?x",
    "example.com/*/x",
    "example.com/x*",
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
