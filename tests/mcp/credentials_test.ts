/** Credentials of an MCP server: they reach it with each request, and stand nowhere else. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import type { StoreCommit } from "../../server/storage/stores/store.ts";
import type { Gateway } from "../support/gateway.ts";
import { receiptOf } from "../money/rig.ts";
import { calls, says, send, type Sent, upstreamWires } from "../server_tools/rig.ts";
import { mcpTool, named, type Serve, serverOf, withMcp } from "./rig.ts";

const TOKEN = "planted-token-4f9d2c71";
const HEADER = "planted-header-8a1be530";
const QUERY = "planted-query-c03f7791";
const planted = [TOKEN, HEADER, QUERY];

/** Tells the client and the model whatever it was sent. */
const echoing = (listed: boolean): Serve => {
  const good = serverOf([named("one")]);
  return (request, taken) => {
    const { body: { id, method }, headers } = taken;
    const told = `You sent ${headers.get("authorization")} and ${headers.get("x-key")}.`;
    if (method === "tools/call") {
      return Response.json({
        jsonrpc: "2.0",
        id,
        result: { resultType: "complete", content: [{ type: "text", text: told }] },
      });
    }
    if (method === "tools/list" && listed) {
      return Response.json({
        jsonrpc: "2.0",
        id,
        result: {
          resultType: "complete",
          tools: [named("one", { description: told })],
          ttlMs: 0,
          cacheScope: "private",
        },
      });
    }
    if (method === "tools/list") {
      return listed
        ? good(request, taken)
        : Response.json({ jsonrpc: "2.0", id, error: { code: -32000, message: told } });
    }
    return good(request, taken);
  };
};

const secret = (url: string): Json =>
  mcpTool({ url: `${url}?key=${QUERY}` }, { authorization: TOKEN, headers: { "X-Key": HEADER } });

function assertClean(text: string, where: string): void {
  for (const one of planted) assert.ok(!text.includes(one), `${one} stands in ${where}`);
}

function asText(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return value instanceof Uint8Array ? new TextDecoder("latin1").decode(value) : value;
}

/** Everything that is written from now on. */
function watchStore({ store }: Pick<Gateway, "store">): readonly string[] {
  const written: string[] = [];
  const commit = store.commit.bind(store);
  Object.assign(store, {
    commit: (one: StoreCommit) => {
      written.push(JSON.stringify(one, asText));
      return commit(one);
    },
  });
  return written;
}

const textOf = ({ text, headers }: Sent): string => text + JSON.stringify([...headers]);

Deno.test("credentials go to their server with each request, and stand nowhere else", async () => {
  for (const listed of [true, false]) {
    await withMcp({ serve: echoing(listed) }, async ({ gateway, plan, mock, server }) => {
      const written = watchStore(gateway);
      for (const stream of [false, true]) {
        plan((turn) => turn === 0 ? [calls("one")] : [says("Done.")]);
        const body = { model: "mock/chat", input: "Do it.", tools: [secret(server.url)], stream };
        const headers = { "idempotency-key": `key-${stream}` };
        assertClean(textOf(await send(gateway, { body, headers })), "the response");
        assertClean(textOf(await send(gateway, { body, headers })), "the repeated response");
      }
      for (const { headers } of server.taken) {
        assert.equal(headers.get("authorization"), `Bearer ${TOKEN}`);
        assert.equal(headers.get("x-key"), HEADER);
        assert.ok(
          !JSON.stringify([...headers]).includes(gateway.apiKey),
          "the gateway's key is not passed on",
        );
      }
      const last = await send(gateway, {
        body: { model: "mock/chat", input: "Do it.", tools: [secret(server.url)] },
      });
      assertClean(JSON.stringify(await receiptOf(gateway, last), asText), "the receipt");
      for (const wire of upstreamWires) {
        assertClean(JSON.stringify(mock(wire).requests.map(({ body }) => body)), `calls of ${wire}`);
      }
      assert.ok(written.length > 0);
      assertClean(written.join("\n"), "the store");
      assertClean(gateway.logged.join("\n"), "the log");
    });
  }
});
