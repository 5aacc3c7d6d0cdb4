/** Presets are checked as requests are: by the same functions, in the same words. */

import assert from "node:assert/strict";
import { presetFields } from "../../shared/presets/fields.ts";
import { type PresetApi, presetApis } from "../../shared/presets/places.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";
import { manage } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";

const paths: { readonly [A in PresetApi]: string } = {
  chat: "/chat/completions",
  responses: "/responses",
  messages: "/messages",
};
const user = { role: "user", content: "Hello" };
const question: { readonly [A in PresetApi]: Json } = {
  chat: { messages: [user] },
  responses: { input: [user] },
  messages: { messages: [user], max_tokens: 5 },
};

/** A setting, and fields of a body that say it as no request may. */
type Wrong = readonly [setting: string, body: Json];

const everywhere: readonly Wrong[] = [
  ["model", { model: "" }],
  ["model", { model: 5 }],
  ["models", { models: "acme/one" }],
  ["models", { models: [""] }],
  ["route", { route: "loop" }],
  ["provider", { provider: { orders: [] } }],
  ["provider", { provider: { sort: "cheap" } }],
  ["plugins", { plugins: "web" }],
  ["plugins", { plugins: [{ id: "web", max_results: 0 }] }],
  ["plugins", { plugins: [{ id: "web", engine: "exa" }] }],
  ["temperature", { temperature: 9 }],
  ["temperature", { temperature: "warm" }],
  ["top_p", { top_p: 2 }],
  ["top_k", { top_k: 1.5 }],
  ["image_config", { image_config: 5 }],
  ["service_tier", { service_tier: "gold" }],
  ["cache_control", { cache_control: 5 }],
  ["tools", { tools: "weather" }],
  ["tools", { tools: [{ type: "openrouter:web_search", engine: "exa" }] }],
  ["tools", { tools: [{ type: "openrouter:advisor" }, { type: "openrouter:advisor" }] }],
  ["max_tool_calls", { max_tool_calls: 31 }],
  ["stop_server_tools_when", { stop_server_tools_when: [] }],
  ["stop_server_tools_when", { stop_server_tools_when: [{ type: "soon" }] }],
];

const inTwo: readonly Wrong[] = [
  ["frequency_penalty", { frequency_penalty: 3 }],
  ["presence_penalty", { presence_penalty: "x" }],
  ["top_logprobs", { top_logprobs: 21 }],
  ["reasoning", { reasoning: { effort: "huge" } }],
  ["modalities", { modalities: ["smell"] }],
  ["tool_choice", { tool_choice: "must" }],
  ["tool_choice", { tool_choice: "required" }],
  ["parallel_tool_calls", { parallel_tool_calls: 1 }],
];

const twice = (tool: Json): Json => ({ tools: [tool, tool] });

const serverOf = (settings: Json): Json => ({
  type: "mcp",
  server_label: "docs",
  server_url: "https://mcp.example.com/",
  require_approval: "never",
  ...settings,
});

/** MCP servers that no request may name. No server is asked for it. */
const servers: readonly Wrong[] = [
  ["tools", { tools: [serverOf({ server_url: undefined })] }],
  ["tools", { tools: [serverOf({ server_url: "no address" })] }],
  ["tools", { tools: [serverOf({ server_url: undefined, connector_id: "connector_gmail" })] }],
  ["tools", { tools: [serverOf({ headers: { "x key": "1" } })] }],
  ["tools", twice(serverOf({}))],
  ["tools", { tools: Array.from({ length: 11 }, (_, at) => serverOf({ server_label: `s${at}` })) }],
];

const toolset = { type: "mcp_toolset", mcp_server_name: "docs" };
const inMessages = (settings: Json) => [{ type: "url", name: "docs", ...settings }];
const toolsets: readonly Wrong[] = [
  ["tools", { tools: [toolset] }],
  ["tools", { tools: [toolset], mcp_servers: [{ type: "url", name: "other", url: "https://a.example/" }] }],
  ["tools", { ...twice(toolset), mcp_servers: inMessages({ url: "https://a.example/" }) }],
  ["tools", { tools: [toolset], mcp_servers: inMessages({}) }],
  ["tools", { tools: [toolset], mcp_servers: inMessages({ url: "no address" }) }],
  ["tools", {
    tools: [toolset],
    mcp_servers: inMessages({ url: "https://a.example/", authorization_token: "a\r\nb: c" }),
  }],
];

const wrong: { readonly [A in PresetApi]: readonly Wrong[] } = {
  chat: [
    ...everywhere,
    ...inTwo,
    ...servers,
    ["top_a", { top_a: -1 }],
    ["min_p", { min_p: 2 }],
    ["repetition_penalty", { repetition_penalty: -1 }],
    ["seed", { seed: 0.5 }],
    ["logit_bias", { logit_bias: { 1: 101 } }],
    ["logprobs", { logprobs: "yes" }],
    ["stop", { stop: 5 }],
    ["stop", { stop: ["1", "2", "3", "4", "5"] }],
    ["max_tokens", { max_tokens: 0 }],
    ["max_tokens", { max_completion_tokens: "x" }],
    ["reasoning", { reasoning_effort: "huge" }],
    ["include_reasoning", { include_reasoning: "no" }],
    ["verbosity", { verbosity: "loud" }],
    ["response_format", { response_format: { type: "yaml" } }],
    ["tools", { tools: [{ type: "function" }] }],
    ["tools", twice({ type: "function", function: { name: "weather" } })],
    ["tool_choice", { tool_choice: { type: "function", function: { name: "gone" } } }],
    ["system", { messages: [{ role: "system", content: 5 }, user] }],
    ["system", { messages: [user, { role: "developer", content: [{ type: "text" }] }, user] }],
  ],
  responses: [
    ...everywhere,
    ...inTwo,
    ...servers,
    ["max_tokens", { max_output_tokens: 0 }],
    ["verbosity", { text: { verbosity: "loud" } }],
    ["response_format", { text: { format: { type: "yaml" } } }],
    ["truncation", { truncation: "some" }],
    ["tools", { tools: [{ type: "function" }] }],
    ["tools", twice({ type: "function", name: "weather" })],
    ["tools", { tools: [{ type: "function", name: "late", defer_loading: true }] }],
    ["tool_choice", { tool_choice: { type: "function", name: "gone" } }],
    ["tool_choice", { tools: [serverOf({})], tool_choice: { type: "mcp", server_label: "other" } }],
    ["system", { instructions: 5 }],
    ["system", { input: [user, { role: "system", content: 5 }] }],
  ],
  messages: [
    ...everywhere,
    ...toolsets,
    ["temperature", { temperature: 1.5 }],
    ["models", { fallbacks: [{}] }],
    ["stop", { stop_sequences: "stop" }],
    ["max_tokens", { max_tokens: 0 }],
    ["reasoning", { thinking: { type: "loud" } }],
    ["reasoning", { output_config: { effort: "huge" } }],
    ["response_format", { output_config: { format: { type: "yaml" } } }],
    ["response_format", { output_format: 5 }],
    ["tools", { tools: [{}] }],
    ["tools", { tools: [{ type: "weather", name: "weather" }] }],
    ["tools", twice({ name: "weather", input_schema: {} })],
    ["tool_choice", { tool_choice: { type: "must" } }],
    ["tool_choice", { tool_choice: { type: "tool", name: "gone" } }],
    ["parallel_tool_calls", { tool_choice: { type: "auto", disable_parallel_tool_use: 1 } }],
    ["system", { system: 5 }],
    ["system", { messages: [{ role: "system", content: 5 }, user] }],
  ],
};

interface Refusal {
  readonly status: number;
  readonly message: string;
}

async function refusalOf(response: Response, what: string): Promise<Refusal> {
  const text = await response.text();
  assert(response.status === 400 || response.status === 422, `${what}: ${response.status} ${text}`);
  return { status: response.status, message: String(asObject(asObject(JSON.parse(text)).error).message) };
}

async function startRig() {
  const upstream = scripted(says("chat", "Hi."));
  const one = { id: "acme/one", upstream_id: "one", pricing: { prompt: "0", completion: "0" } };
  const provider = { id: "acme", wire: "chat", models: [one] } as const;
  const gateway = await startGateway({ providers: [providerAt(upstream.baseUrl, provider)] });
  const close = async () => {
    await gateway.close();
    await upstream.close();
  };
  return { gateway, [Symbol.asyncDispose]: close };
}

const save = (gateway: Gateway, api: PresetApi, body: Json) =>
  manage(gateway, { call: `POST /presets/wrong${paths[api]}`, body: { model: "acme/one", ...body } });

Deno.test("no preset is saved with a setting that a request is refused for, and the error says the same", async () => {
  await using rig = await startRig();
  const { gateway } = rig;
  for (const api of presetApis) {
    const settings = [...presetFields].filter(([, { [api]: place }]) => place !== undefined);
    const tried = new Set(wrong[api].map(([setting]) => setting));
    assert.deepEqual(settings.map(([name]) => name).filter((name) => !tried.has(name)), [], api);
    for (const [setting, body] of wrong[api]) {
      const what = `${api}: ${setting}: ${JSON.stringify(body)}`;
      const request = { model: "acme/one", ...question[api], ...body };
      const asked = await manage(gateway, {
        call: `POST ${paths[api]}`,
        token: gateway.apiKey,
        body: request,
      });
      const refused = await refusalOf(asked, what);
      const unsaved = await refusalOf(await save(gateway, api, body), what);
      assert.equal(unsaved.status, 400, what);
      assert.ok(unsaved.message.includes(refused.message), `${what}: ${unsaved.message} ${refused.message}`);
    }
  }
  assert.deepEqual(await gateway.store.list(["presets"]), []);
});

const wrongCaching: readonly (readonly [Json, RegExp])[] = [
  [{ cache_enabled: "yes" }, /cache_enabled is "yes"; true or false is expected/],
  [{ cache_enabled: 1 }, /cache_enabled is 1; true or false is expected/],
  [{ cache_ttl_seconds: 0 }, /cache_ttl_seconds is 0; at least 1 is needed/],
  [{ cache_ttl_seconds: 86_401 }, /cache_ttl_seconds is 86401; at most 86400 is allowed/],
  [{ cache_ttl_seconds: 1.5 }, /cache_ttl_seconds is 1.5; a whole number is expected/],
];

Deno.test("settings that only presets have are checked in every API", async () => {
  await using rig = await startRig();
  for (const api of presetApis) {
    for (const [body, message] of wrongCaching) {
      const refused = await refusalOf(await save(rig.gateway, api, body), api);
      assert.match(refused.message, message);
    }
  }
  assert.deepEqual(await rig.gateway.store.list(["presets"]), []);
});
