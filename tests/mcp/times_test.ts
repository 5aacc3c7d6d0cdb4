/** Times of MCP servers by a clock of the test's: how long one may take to list, and how long what it said is kept. */

import assert from "node:assert/strict";
import type { GuardedRequest } from "../../server/web/fetch/guarded_request.ts";
import { createMcpAccess } from "../../server/web/mcp/mcp_access.ts";
import { McpError } from "../../server/web/mcp/mcp_error.ts";
import type { Json } from "../mocks/published.ts";
import { fakeClock } from "../support/clock.ts";
import { asObject } from "../support/event_stream.ts";
import { named } from "./rig.ts";

const server = { url: "https://mcp.example.com/mcp", headers: {} };
const policy = { allowHttp: false, allowedHosts: [] };
const never = new AbortController().signal;
const MINUTE = 60_000;

/** Answers each method as told, and remembers what was asked. */
function network(answers: Readonly<Record<string, Json | undefined>>) {
  const asked: string[] = [];
  const request: GuardedRequest = ({ body, signal }) => {
    const { id, method } = asObject(JSON.parse(body));
    asked.push(String(method));
    const result = answers[String(method)];
    if (result === undefined) {
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    }
    const chunks = [new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", id, result }))];
    return Promise.resolve({
      status: 200,
      header: (name) => name === "content-type" ? "application/json" : null,
      read: () => Promise.resolve(chunks.shift()),
      close: () => {},
    });
  };
  return { request, asked };
}

const discover = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  serverInfo: { name: "hand", version: "1" },
  ttlMs: 0,
  cacheScope: "private",
};
const listOf = (ttlMs: number): Json => ({
  resultType: "complete",
  tools: [named("one")],
  ttlMs,
  cacheScope: "private",
});

for (const held of ["server/discover", "tools/list"]) {
  Deno.test(`a server that does not answer is given up after 20 s: ${held}`, async () => {
    const clock = fakeClock();
    const answers = { "server/discover": discover, "tools/list": listOf(0), [held]: undefined };
    const { request, asked } = network(answers);
    const session = createMcpAccess({ clock, request, policy }).open();
    const listing = session.list(server, never);
    const failed = assert.rejects(listing, (error: unknown) => {
      assert.ok(error instanceof McpError);
      assert.match(error.message, /within 20 s/);
      return true;
    });
    await clock.advanceOnce(() => asked.at(-1) === held, 20_000);
    await failed;
    await session.close();
  });
}

Deno.test("a listing is kept for its time, and how to speak for ten minutes", async () => {
  const clock = fakeClock();
  const { request, asked } = network({ "server/discover": discover, "tools/list": listOf(15 * MINUTE) });
  const access = createMcpAccess({ clock, request, policy });
  const list = async () => {
    const session = access.open();
    const tools = await session.list(server, never);
    assert.deepEqual(tools.map(({ name }) => name), ["one"]);
    await session.close();
  };
  await list();
  assert.deepEqual(asked, ["server/discover", "tools/list"]);
  clock.leap(14 * MINUTE);
  await list();
  assert.equal(asked.length, 2, "kept");
  clock.leap(2 * MINUTE);
  await list();
  assert.deepEqual(asked.slice(2), ["server/discover", "tools/list"], "both have run out");
});
