import assert from "node:assert/strict";
import { SingleUseOrigins } from "./connections/single_use_origins.ts";
import { fetchTransport } from "./fetch_transport.ts";
import { httpTransport } from "./http_transport.ts";
import { Targets } from "./request_target.ts";
import { fakeClock } from "../../../tests/support/clock.ts";

const BASE = "https://host.example/v1";
const refused = { name: "TransportError", kind: "bad_address" };

/** Odd paths behind the base URL. */
const odd = [
  ...["/../x", "/..", "/.", "/models/../../x", "/./x", "/%2e%2e/x", "/%2E./x", "/models/.%2e"],
  ...["/a\\b", "/a\tb", "/a b", "/a\nb", "/ü", "/x#y", "#y", "x", ".evil.example/x", "@evil.example/x"],
];

Deno.test("Targets.of refuses what is not below the base URL once it is parsed", () => {
  const targets = new Targets();
  for (const rest of odd) {
    assert.throws(() => targets.of({ url: BASE + rest, baseUrl: BASE }), refused, rest);
  }
  for (const url of ["https://other.example/v1/x", "http://host.example/v1/x", "https://host.example/v2/x"]) {
    assert.throws(() => targets.of({ url, baseUrl: BASE }), refused, url);
  }
});

Deno.test("Targets.of remembers an address together with its base URL", () => {
  const targets = new Targets();
  const url = `${BASE}/models/a%2Fb:generate?alt=sse`;
  const target = targets.of({ url, baseUrl: BASE });
  assert.deepEqual(target, {
    origin: "https://host.example",
    secure: true,
    hostname: "host.example",
    port: 443,
    host: "host.example",
    path: "/v1/models/a%2Fb:generate?alt=sse",
  });
  assert.equal(targets.of({ url, baseUrl: BASE }), target);
  assert.throws(() => targets.of({ url, baseUrl: `${BASE}/other` }), refused);
});

Deno.test("Targets.of takes addresses with a port, in brackets, and without a path", () => {
  const targets = new Targets();
  const of = (url: string) => targets.of({ url, baseUrl: url });
  assert.equal(of("http://127.0.0.1:80").path, "/");
  assert.deepEqual([of("http://[::1]:81/x").hostname, of("http://[::1]:81/x").port], ["::1", 81]);
  assert.equal(of("https://HOST.example/Path").host, "host.example");
});

Deno.test("Both transports refuse an address before they send anything", async () => {
  const clock = fakeClock();
  const signal = new AbortController().signal;
  const reached = () => Promise.reject(new Error("It was called"));
  const singleUse = new SingleUseOrigins({ clock, log: { warn: () => {} } });
  for (const transport of [httpTransport({ clock, singleUse }), fetchTransport(reached)]) {
    for (const rest of odd) {
      const call = { url: BASE + rest, baseUrl: BASE, credentialHash: "", headers: {}, body: "{}", signal };
      await assert.rejects(transport(call), refused, rest);
    }
  }
  assert.equal(clock.open, 0);
});
