import assert from "node:assert/strict";
import { tickingClock } from "../../../tests/support/ticking_clock.ts";
import { always, upstreamServer } from "../../../tests/support/upstream_server.ts";
import { createWebFetch } from "./web.ts";
import { readConfig } from "../../config/config.ts";
import { providerSettings } from "../../providers/mod.ts";
import { createRuntime } from "../../runtime.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function webFetch(file: object) {
  const env = (name: string) => name === "TOLLGATE_CONFIG" ? "file" : undefined;
  const config = readConfig({ env, readFile: () => JSON.stringify(file), terminal: false }, providerSettings);
  const clock = tickingClock();
  const fetch = createWebFetch({ config, runtime: { ...createRuntime(silent), clock } });
  const { signal } = new AbortController();
  return { clock, get: (url: string) => fetch({ url, accepts: () => true, signal }) };
}

Deno.test("createWebFetch reaches this machine where the settings allow it, and nowhere else", async () => {
  await using server = upstreamServer(always("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"));
  const allowed = webFetch({ fetch: { allowed_hosts: [`127.0.0.1:${server.port}`] } });
  const { body } = await allowed.get(server.url);
  assert.equal(new TextDecoder().decode(body), "hello");
  assert.equal(allowed.clock.open, 0);
  const plain = webFetch({ fetch: { allow_http: true } });
  for (const host of ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "2130706433"]) {
    await assert.rejects(plain.get(`http://${host}/`), { name: "FetchError", kind: "forbidden_host" });
  }
  await assert.rejects(webFetch({}).get("http://example.com/"), { kind: "invalid_url" });
  assert.equal(server.requests, 1);
});
