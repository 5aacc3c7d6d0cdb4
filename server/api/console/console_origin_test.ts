import assert from "node:assert/strict";
import { ApiError } from "../../../shared/errors.ts";
import type { HttpExchange } from "../http_exchange.ts";
import { requireSafeTransport, requireSameOrigin } from "./console_origin.ts";

interface Row {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Over the browser's connection, as far as a trusted proxy says. */
  readonly isTls: boolean;
  readonly method?: string;
  /** Undefined: it passes. */
  readonly message: RegExp | undefined;
}

const page = "https://llm.example.com";
const own = { origin: page, host: "llm.example.com", "sec-fetch-site": "same-origin" };
const trust = /has TLS, and the gateway does not trust it: set TOLLGATE_TRUST_PROXY/;
const proto = /does not say that the browser's connection has TLS: let it send X-Forwarded-Proto/;
const host = /must pass Host on as the browser sent it: the page is at https:\/\/llm\.example\.com, and/;
const needsTls = /^The console needs TLS/;
const foreign = /the request comes from another origin\.$/;
const https = { "x-forwarded-proto": "https" };

const rows: readonly Row[] = [
  { name: "a proxy that does all", headers: { ...own, ...https }, isTls: true, message: undefined },
  { name: "a proxy that is not trusted", headers: { ...own, ...https }, isTls: false, message: trust },
  {
    name: "a proxy that is not trusted, behind another",
    headers: { ...own, "x-forwarded-proto": "HTTPS, http" },
    isTls: false,
    message: trust,
  },
  { name: "a proxy without X-Forwarded-Proto", headers: own, isTls: false, message: proto },
  {
    name: "a proxy that says http",
    headers: { ...own, "x-forwarded-proto": "http" },
    isTls: false,
    message: proto,
  },
  {
    name: "a reading request through a proxy that is not trusted",
    headers: { host: own.host, "sec-fetch-site": "same-origin", ...https },
    isTls: false,
    method: "GET",
    message: trust,
  },
  ...["tollgate", "127.0.0.1:8787", "llm.example.com:8443", ""].map((name) => ({
    name: `a proxy that sends the host "${name}"`,
    headers: { ...own, ...https, host: name },
    isTls: true,
    message: host,
  })),
  {
    name: "a proxy on this machine that is not trusted",
    headers: { ...own, ...https, host: "localhost:8443", origin: "https://localhost:8443" },
    isTls: false,
    message: trust,
  },
  ...["cross-site", "same-site"].flatMap((site) =>
    [true, false].map((isTls) => ({
      name: `a page of another origin (${site}, TLS ${isTls})`,
      headers: { ...https, origin: "https://other.example", host: "localhost:8787", "sec-fetch-site": site },
      isTls,
      message: foreign,
    }))
  ),
  {
    name: "an old browser on another page",
    headers: { origin: "https://other.example", host: own.host },
    isTls: true,
    message: foreign,
  },
  {
    name: "an old browser on the own page, through a proxy that is not trusted",
    headers: { origin: page, host: own.host, ...https },
    isTls: false,
    message: trust,
  },
  { name: "a program without an origin", headers: { host: "localhost" }, isTls: false, message: foreign },
  {
    name: "plain HTTP from another machine",
    headers: { host: "gateway.lan:8787", origin: "http://gateway.lan:8787" },
    isTls: false,
    message: needsTls,
  },
  {
    name: "plain HTTP on this machine",
    headers: { host: "localhost:8787", origin: "http://localhost:8787", "sec-fetch-site": "same-origin" },
    isTls: false,
    message: undefined,
  },
];

function check({ headers, isTls, method = "POST" }: Row): string | undefined {
  const request = { method, url: "/console/session", headers: new Headers(headers) };
  const exchange = toExchange({ request });
  try {
    requireSafeTransport({ isTls: () => isTls }, exchange);
    requireSameOrigin({ isTls: () => isTls }, exchange);
    return undefined;
  } catch (error) {
    assert(error instanceof ApiError && error.status === 403);
    return error.message;
  }
}

const toExchange = (exchange: object) => exchange as HttpExchange;

for (const row of rows) {
  Deno.test(`the console ${row.message === undefined ? "takes" : "refuses"} a request: ${row.name}`, () => {
    const message = check(row);
    if (row.message === undefined) assert.equal(message, undefined);
    else assert.match(message ?? "", row.message);
  });
}

Deno.test("a refusal shows the beginning of a long host only", () => {
  const message = check({
    name: "",
    headers: { ...own, host: "x".repeat(5_000) },
    isTls: true,
    message: host,
  });
  assert((message ?? "").length < 400);
});
