import assert from "node:assert/strict";
import { ApiError } from "../../shared/errors.ts";
import { checkRequest, rawPath } from "./request_checks.ts";

const requested = (host: string | null, { path = "/v1/models", address = "localhost" } = {}) =>
  new Request(`http://${address}${path}`, { headers: host === null ? {} : { host } });

for (
  const host of ["localhost", "127.0.0.1:8787", "Gateway.example.com:443", "[::1]:8787", "a_b-c.d", "h:80"]
) {
  Deno.test(`checkRequest takes the host ${host}`, () => checkRequest(requested(host, { address: host })));
}

Deno.test("checkRequest refuses an address with another host", () => {
  assert.throws(
    () => checkRequest(requested("localhost:1", { address: "elsewhere:1" })),
    /names a different host/,
  );
});

for (
  const host of [
    null,
    "",
    "x/console?",
    "a b",
    "user@host",
    "host:port",
    "[::1",
    "h:123456",
    "ex%41mple",
    "a,b",
  ]
) {
  Deno.test(`checkRequest refuses the host ${JSON.stringify(host)}`, () => {
    assert.throws(
      () => checkRequest(requested(host)),
      (error: unknown) => error instanceof ApiError && error.status === 400,
    );
  });
}

for (
  const path of [
    "//v1/models",
    "/v1//models",
    "/v1/%5cmodels",
    "/v1/files/%00",
    "/v1/a%252e%252e".replace("25", ""),
  ]
) {
  Deno.test(`checkRequest refuses the path ${path}`, () => {
    assert.throws(() => checkRequest(requested("localhost", { path })), ApiError);
  });
}

Deno.test("checkRequest takes an encoded slash inside an id", () => {
  checkRequest(requested("localhost", { path: "/v1/files/file_a%2Fb/content" }));
});

Deno.test("rawPath leaves out origin and query", () => {
  assert.equal(rawPath("http://h:1/v1/x?y=//z"), "/v1/x");
  assert.equal(rawPath("http://h"), "/");
});
