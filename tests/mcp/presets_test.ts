/** Presets that name MCP servers: saved from and used on every API, and judged when they are saved. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { asObject } from "../support/event_stream.ts";
import { manage, managed } from "../support/manage.ts";
import { type Api, apis, itemsOf, paths, says, send, wholeOf } from "../server_tools/rig.ts";
import { type McpMock, mcpTool, withMcp } from "./rig.ts";

const TOKEN = "planted-token-4f9d2c71";
const model = "mock/chat";
const messages = [{ role: "user", content: "Do it." }];

const question: { readonly [A in Api]: Json } = {
  responses: { input: "Do it." },
  chat: { messages },
  messages: { messages, max_tokens: 100 },
};

/** Settings that name a server, in the words of each API. */
function naming(api: Api, { url, token = TOKEN }: Pick<McpMock, "url"> & { readonly token?: string }): Json {
  if (api !== "messages") return { tools: [mcpTool({ url }, { authorization: token })] };
  return {
    mcp_servers: [{ type: "url", name: "docs", url, authorization_token: token }],
    tools: [{ type: "mcp_toolset", mcp_server_name: "docs" }],
  };
}

const saving = (api: Api, body: Json) => ({ call: `POST /presets/docs${paths[api].slice(3)}`, body });

for (const saved of apis) {
  Deno.test(`a preset that names a server, saved from a request to ${saved}, is used on every API`, async () => {
    await withMcp({}, async ({ gateway, plan, taken, server }) => {
      const made = await managed(gateway, saving(saved, naming(saved, server)));
      assert.equal(made.status, 200, JSON.stringify(made.body));
      for (const api of apis) {
        plan(() => [says("Done.")]);
        wholeOf(await send(gateway, { api, body: { model, preset: "docs", ...question[api] } }));
        const functions = JSON.stringify(taken("chat")[0]?.tools);
        assert.match(functions, /"echo"/, api);
        assert.ok(!functions.includes(TOKEN));
      }
      assert.ok(server.taken.every(({ headers }) => headers.get("authorization") === `Bearer ${TOKEN}`));
      const { body } = await managed(gateway, { call: "GET /audit?subject_type=preset" });
      assert.ok(!JSON.stringify(body).includes(TOKEN), "no credential stands in the audit log");
    });
  });

  Deno.test(`a request's server stands in for the preset's of that name (${saved})`, async () => {
    await withMcp({}, async ({ gateway, plan, taken, server, other }) => {
      await managed(gateway, saving(saved, naming(saved, server)));
      for (const api of apis) {
        plan(() => [says("Done.")]);
        const own = naming(api, { url: other.url, token: `own-${api}` });
        wholeOf(await send(gateway, { api, body: { model, preset: "docs", ...question[api], ...own } }));
        assert.match(JSON.stringify(taken("chat")[0]?.tools), /"echo"/, api);
        assert.equal(other.taken.at(-1)?.headers.get("authorization"), `Bearer own-${api}`);
      }
      assert.equal(server.taken.length, 0);
    });
  });
}

/** Settings of a server for which Messages have no words. */
const unsayable: readonly Json[] = [
  { require_approval: "always" },
  { require_approval: null },
  { headers: { "x-key": "1" } },
  { server_description: "The handbook." },
  { allowed_tools: { read_only: true } },
];

Deno.test("a server that Messages cannot say is refused there and nowhere else", async () => {
  await withMcp({}, async ({ gateway, plan, server }) => {
    for (const settings of unsayable) {
      await managed(gateway, saving("responses", { tools: [mcpTool(server, settings)] }));
      plan(() => [says("Done.")]);
      wholeOf(await send(gateway, { body: { model, preset: "docs", ...question.responses } }));
      const body = { model, preset: "docs", ...question.messages };
      const { status, text } = await send(gateway, { api: "messages", body });
      assert.equal(status, 400, text);
      assert.match(text, /tools\[0\]\.type is \\"mcp\\"/);
    }
  });
});

const addresses = [
  "http://127.0.0.1:1/mcp",
  "https://mcp.example:8443/",
  "https://169.254.169.254/mcp",
  "https://ann:pass-word-1@mcp.example/",
  "ftp://mcp.example/",
] as const;

Deno.test("no preset is saved with an address that may not be called, and the error says what a listing would", async () => {
  await withMcp({}, async ({ gateway, plan }) => {
    for (const url of addresses) {
      plan(() => [says("Done.")]);
      const body = { model, ...question.responses, ...naming("responses", { url }) };
      const listing = itemsOf(wholeOf(await send(gateway, { body }))).find(({ type }) =>
        type === "mcp_list_tools"
      );
      const fault = String(listing?.error).replace("The server ", "");
      assert.match(fault, /^may not be called: /);
      for (const api of apis) {
        const refused = await manage(gateway, saving(api, naming(api, { url })));
        const { error } = asObject(await refused.json());
        const { message, metadata } = asObject(error);
        assert.equal(refused.status, 400, url);
        assert.ok(String(message).endsWith(`The MCP server docs ${fault}`), String(message));
        assert.equal(asObject(metadata).path, "tools[0]");
      }
    }
    assert.deepEqual(await gateway.store.list(["presets"]), []);
  });
});
