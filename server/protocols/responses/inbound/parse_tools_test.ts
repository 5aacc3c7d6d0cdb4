import assert from "node:assert/strict";
import { everyTool } from "../../../../tests/fuzz/covering_tools.ts";
import { everyChoice } from "../../../../tests/fuzz/covering.ts";
import type { HostedToolKind } from "../../../../shared/responses/hosted_tools.ts";
import { type ServiceToolKind, typeNamesOf } from "../../../../shared/fields/service_tool_names.ts";
import { tool } from "../../../../shared/responses/tools.ts";
import { toolChoice } from "../../../../shared/responses/tool_choice.ts";
import { parseToolChoice, parseTools } from "./parse_tools.ts";

const clean = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const hub = (...tools: readonly unknown[]) => clean(parseTools(tools.map((one) => tool.parse(one)), []));

Deno.test("tool function", () => {
  const parameters = { type: "object", properties: { constructor: { type: "string" } } };
  assert.deepEqual(
    hub({
      type: "function",
      name: "f",
      description: "d",
      parameters,
      strict: true,
      defer_loading: true,
      async: true,
    }),
    [{
      type: "function",
      name: "f",
      description: "d",
      parameters,
      strict: true,
      deferLoading: true,
      extra: { responses: { async: true } },
    }],
  );
  assert.deepEqual(hub({ type: "function", name: "f" }), [
    { type: "function", name: "f", parameters: null, strict: null },
  ]);
  assert.deepEqual(hub({ type: "function", name: "f", parameters: null, strict: null, description: null }), [
    { type: "function", name: "f", parameters: null, strict: null },
  ]);
});

Deno.test("tool custom", () => {
  const format = { type: "grammar", syntax: "regex", definition: "a+" };
  assert.deepEqual(
    hub({ type: "custom", name: "c", format, description: "d" }, { type: "custom", name: "e" }),
    [
      { type: "custom", name: "c", description: "d", format },
      { type: "custom", name: "e" },
    ],
  );
});

Deno.test("tool namespace", () => {
  const tools = [{ type: "function", name: "f", output_schema: {} }, { type: "custom", name: "c" }];
  assert.deepEqual(hub({ type: "namespace", name: "n", description: "d", tools }), [{
    type: "namespace",
    name: "n",
    description: "d",
    tools: [
      {
        type: "function",
        name: "f",
        parameters: null,
        strict: null,
        extra: { responses: { output_schema: {} } },
      },
      { type: "custom", name: "c" },
    ],
  }]);
});

const hosted: Readonly<Record<HostedToolKind, object>> = {
  web_search: { filters: { allowed_domains: ["e.org"] }, external_web_access: false },
  web_search_2025_08_26: {},
  web_search_preview: { search_context_size: "low" },
  web_search_preview_2025_03_11: {},
  file_search: { vector_store_ids: ["vs_1"] },
  computer_use_preview: { display_width: 1, display_height: 1, environment: "mac" },
  code_interpreter: { container: { type: "auto" } },
  mcp: { server_label: "s", server_url: "https://e.org", authorization: "t" },
  image_generation: { quality: "low" },
  local_shell: {},
  shell: {},
  apply_patch: {},
  computer: {},
  tool_search: {},
  programmatic_tool_calling: {},
};

for (const [type, fields] of Object.entries(hosted)) {
  Deno.test(`tool ${type}`, () => {
    const value = { type, ...fields };
    assert.deepEqual(hub(value), [{ type: "hosted", wire: "responses", kind: type, value }]);
  });
}

const server: Readonly<Record<ServiceToolKind, object>> = {
  datetime: { timezone: "UTC" },
  web_search: { max_results: 3, engine: "exa" },
  web_fetch: { max_uses: 1 },
  files: {},
  file_search: { vector_store_ids: ["workspace"], max_num_results: 3 },
  bash: { environment: { type: "container_auto" } },
  shell: { engine: "auto" },
  apply_patch: { engine: "native" },
  image_generation: { model: "v/m", aspect_ratio: "16:9" },
  advisor: { name: "A" },
  subagent: { name: "B", max_tool_calls: 2 },
  fusion: { analysis_models: ["a/b"] },
  search_models: { max_results: 2 },
  tool_search: { max_results: 2 },
};

for (const [kind, parameters] of Object.entries(server)) {
  Deno.test(`tool service:${kind}`, () => {
    const originalType = `service:${kind}`;
    const becomes = { type: "server", kind, originalType, parameters };
    assert.deepEqual(hub({ type: originalType, parameters }), [becomes]);
    assert.deepEqual(hub({ type: originalType, ...parameters }), [becomes]);
  });
}

Deno.test("tool of the gateway is the same in every spelling", () => {
  const kinds = typeNamesOf("search_models").map((type) => parseTools([tool.parse({ type })], [])[0]);
  assert.deepEqual(kinds.map((one) => one?.type === "server" ? [one.kind, one.originalType] : []), [
    ["search_models", "service:search_models"],
    ["search_models", "openrouter:search_models"],
    ["search_models", "service:experimental__search_models"],
    ["search_models", "openrouter:experimental__search_models"],
  ]);
});

Deno.test("nested settings of a server tool win over flat ones, nulls mean absent", () => {
  const nested = { max_results: 2, engine: null };
  assert.deepEqual(
    hub({ type: "openrouter:web_search", max_results: 9, engine: "exa", mode: "fast", parameters: nested }),
    [{
      type: "server",
      kind: "web_search",
      originalType: "openrouter:web_search",
      parameters: { max_results: 2, engine: "exa", mode: "fast" },
    }],
  );
});

Deno.test("prototype keys of a server tool's settings go nowhere", () => {
  const text = '{"type":"service:datetime","__proto__":{"a":1},"parameters":{"constructor":1,"prototype":2}}';
  assert.deepEqual(hub(JSON.parse(text)), [
    { type: "server", kind: "datetime", originalType: "service:datetime", parameters: {} },
  ]);
});

Deno.test("every tool of the corpus is taken", () => {
  assert.equal(parseTools(everyTool.map((one) => tool.parse(one)), []).length, everyTool.length);
});

Deno.test("tool_choice in every form", () => {
  const choice = (value: unknown) => clean(parseToolChoice(toolChoice.parse(value)));
  assert.deepEqual(choice("required"), { type: "required" });
  assert.deepEqual(choice({ type: "function", name: "f" }), {
    type: "named",
    tool: { kind: "function", name: "f" },
  });
  assert.deepEqual(choice({ type: "custom", name: "c", namespace: "n" }), {
    type: "named",
    tool: { kind: "custom", name: "c", namespace: "n" },
  });
  const mcp = { type: "mcp", server_label: "s", name: "f" };
  assert.deepEqual(choice(mcp), { type: "hosted", kind: "mcp", value: mcp });
  const search = { type: "openrouter:web_search" };
  assert.deepEqual(choice(search), { type: "hosted", kind: "service:web_search", value: search });
  const tools = [{ type: "function", name: "f" }, mcp];
  const allowed = { type: "allowed_tools", mode: "auto", tools };
  assert.deepEqual(choice(allowed), {
    type: "allowed",
    mode: "auto",
    tools: [{ kind: "function", name: "f" }],
    value: allowed,
  });
  for (const one of everyChoice) choice(one);
});
