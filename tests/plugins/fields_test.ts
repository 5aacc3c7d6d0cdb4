/** The fields of plugins: what is taken, what is refused and with which path, on every API. */

import assert from "node:assert/strict";
import { pluginExplanation } from "../../shared/responses/plugins.ts";
import type { Json } from "../support/event_stream.ts";
import { startGateway } from "../support/gateway.ts";
import { send } from "../server_tools/rig.ts";
import { apis, explained, refusedPath, requestOn } from "./rig.ts";

const ids = [
  "moderation",
  "file-parser",
  "web-fetch",
  "web",
  "response-healing",
  "context-compression",
  "auto-router",
  "auto-beta-router",
  "pareto-router",
  "fusion",
  "switchyard-router",
];

const list = (length: number, chars: number): readonly string[] =>
  Array.from({ length }, () => "x".repeat(chars));

/** Faults that both routers have, each limit passed by one. */
const routerFaults: readonly (readonly [fields: Json, path: string])[] = [
  ...["allowed_models", "excluded_models"].flatMap((name) =>
    [
      [{ [name]: "acme/*" }, name],
      [{ [name]: ["acme/*", 1] }, `${name}[1]`],
      [{ [name]: list(1_025, 1) }, name],
      [{ [name]: ["a", "x".repeat(1_025)] }, `${name}[1]`],
      [{ [name]: [...list(64, 1_024), "x"] }, name],
    ] as const
  ),
  [{ cost_tier: "none" }, "cost_tier"],
  [{ cost_tier: 2 }, "cost_tier"],
  [{ cost_quality_tradeoff: -1 }, "cost_quality_tradeoff"],
  [{ cost_quality_tradeoff: 11 }, "cost_quality_tradeoff"],
  [{ cost_quality_tradeoff: 1.5 }, "cost_quality_tradeoff"],
  [{ cost_quality_tradeoff: "9" }, "cost_quality_tradeoff"],
];

/** Plugins with a fault, and the path of the fault below the plugin. */
const faults: readonly (readonly [plugin: Json, path: string])[] = [
  ...ids.filter((id) => id !== "moderation").map((id) => [{ id, enabled: "no" }, "enabled"] as const),
  [{ id: "web", engine: "askjeeves" }, "engine"],
  [{ id: "web", mode: "slow" }, "mode"],
  [{ id: "web", max_results: 0 }, "max_results"],
  [{ id: "web", search_prompt: "x".repeat(20_001) }, "search_prompt"],
  [{ id: "web", max_uses: 1.5 }, "max_uses"],
  [{ id: "web", include_domains: "a.example" }, "include_domains"],
  [{ id: "web", user_location: { type: "exact" } }, "user_location.type"],
  [{ id: "web", user_location: { city: "Rome" } }, "user_location.type"],
  [{ id: "web", include_domains: ["a.example", "no domain"] }, "include_domains[1]"],
  [{ id: "web", exclude_domains: ["b.example", ""] }, "exclude_domains[1]"],
  [{ id: "web", x_search: { allowed_x_handles: Array(21).fill("a") } }, "x_search.allowed_x_handles"],
  [
    { id: "web", x_search: { allowed_x_handles: ["a"], excluded_x_handles: ["b"] } },
    "x_search.excluded_x_handles",
  ],
  [{ id: "web-fetch", max_uses: "2" }, "max_uses"],
  [{ id: "web-fetch", allowed_domains: [1] }, "allowed_domains[0]"],
  [{ id: "web-fetch", max_content_tokens: 0 }, "max_content_tokens"],
  [{ id: "file-parser", pdf: { engine: "tesseract" } }, "pdf.engine"],
  [{ id: "context-compression", engine: "left-out" }, "engine"],
  ...["auto-router", "auto-beta-router"].flatMap((id) =>
    routerFaults.map(([fields, path]) => [{ id, ...fields }, path] as const)
  ),
  [{ id: "auto-router", pin_model: "yes" }, "pin_model"],
  [{ id: "pareto-router", price_source: "guess" }, "price_source"],
  [{ id: "fusion", preset: "particular" }, "preset"],
  [{ id: "fusion", max_tool_calls: 17 }, "max_tool_calls"],
  [{ id: "switchyard-router", algorithm: "dice" }, "algorithm"],
];

Deno.test("a plugin with a wrong field is 400 with its path, on every API", async (t) => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  for (const [plugin, path] of faults) {
    for (const api of apis) {
      await t.step(`${api} ${JSON.stringify(plugin).slice(0, 100)}`, async () => {
        const body = {
          model: "local/echo",
          plugins: [{ id: plugin.id === "web" ? "switchyard-router" : "web" }, plugin],
        };
        const sent = await send(gateway, { api, body: requestOn(api, { text: "Hi", ...body }) });
        if (api === "messages") {
          assert.match(sent.text, new RegExp(`plugins\\[1\\]\\.${RegExp.escape(path)}`));
        } else assert.equal(refusedPath(sent), `plugins[1].${path}`);
        assert.equal(sent.status, 400);
      });
    }
  }
});

Deno.test("the same plugin twice is 400 and names both places, also where one of them is off", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  for (const id of ids) {
    for (const api of apis) {
      const plugins = [{ id: ids.find((one) => one !== id) }, { id, enabled: false }, { id }];
      const body = requestOn(api, { text: "Hi", model: "local/echo", plugins });
      const { status, text } = await send(gateway, { api, body });
      assert.equal(status, 400, text);
      assert.match(text, /plugins\[2\]\.id/);
      assert.match(text, /plugins\[1\]\.id/);
    }
  }
});

Deno.test("a plugin that is switched off leaves nothing behind", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  const plugins = ids.filter((id) => id !== "moderation").map((id) => ({ id, enabled: false }));
  for (const api of apis) {
    const body = requestOn(api, { text: "Hi", model: "local/echo", plugins });
    const { status, text, headers } = await send(gateway, {
      api,
      body,
      headers: { "x-service-metadata": "enabled" },
    });
    assert.equal(status, 200, text);
    assert.match(text, /"pipeline":\[\]/);
    assert.doesNotMatch(text, /"dropped"|"notes"/);
    assert.equal(headers.get("x-tollgate-notes"), null);
  }
  assert.deepEqual(await explained(gateway, { model: "local/echo", input: "Hi", plugins }), []);
});

Deno.test("explain names each plugin of the request with what it would do", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  const plugins = ids.map((id) => ({ id }));
  const said = await explained(gateway, { model: "local/echo", input: "Hi", plugins });
  assert.deepEqual(said.map((one) => pluginExplanation.parse(one).id), ids, "in the order in which they run");
  assert.match(
    String(said.find(({ id }) => id === "switchyard-router")?.would),
    /^do nothing: this gateway does not run it/,
  );
});
