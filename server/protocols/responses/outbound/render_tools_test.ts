import assert from "node:assert/strict";
import type { Tool } from "../../canonical/request.ts";
import { renderToolChoice, renderTools } from "./render_tools.ts";

function render(tools: readonly Tool[]) {
  const notes: string[] = [];
  return { tools: renderTools(tools, (words) => void notes.push(words)), notes };
}

const parameters = { type: "object" };

Deno.test("renderTools renders functions, custom tools and namespaces with published keys", () => {
  const format = { type: "grammar", syntax: "lark", definition: "start: 'a'" } as const;
  const extra = { responses: { allowed_callers: ["direct"], odd: 1 } };
  const { tools, notes } = render([
    { type: "function", name: "f", description: "d", parameters, strict: null, deferLoading: true, extra },
    { type: "custom", name: "c", format },
    { type: "namespace", name: "n", tools: [{ type: "function", name: "g", parameters: null }] },
  ]);
  assert.deepEqual(tools, [
    {
      allowed_callers: ["direct"],
      type: "function",
      name: "f",
      description: "d",
      parameters,
      defer_loading: true,
    },
    { type: "custom", name: "c", format },
    {
      type: "namespace",
      name: "n",
      description: "n",
      tools: [{ type: "function", name: "g", parameters: null, strict: false }],
    },
  ]);
  assert.deepEqual(notes, []);
});

Deno.test("renderTools leaves out what the provider would refuse, and says so", () => {
  const value = {
    type: "web_search",
    engine: "exa",
    search_context_size: "low",
    filters: { allowed_domains: ["a"], blocked_domains: ["b"] },
  };
  const { tools, notes } = render([
    { type: "hosted", wire: "responses", kind: "web_search", value },
    { type: "hosted", wire: "responses", kind: "new_tool", value: { type: "new_tool", a: 1 } },
    { type: "hosted", wire: "chat", kind: "memory", value: {} },
    { type: "server", kind: "bash", originalType: "openrouter:bash", parameters: {} },
  ]);
  assert.deepEqual(tools, [
    { type: "web_search", search_context_size: "low", filters: { allowed_domains: ["a"] } },
    { type: "new_tool", a: 1 },
  ]);
  assert.deepEqual(notes, [
    "tool web_search.engine",
    "tool web_search.filters.blocked_domains",
    "tool memory",
    "tool openrouter:bash",
  ]);
});

Deno.test("renderTools keeps filters of file search whole", () => {
  const value = { type: "file_search", vector_store_ids: ["v"], filters: { type: "eq", key: "a", value: 1 } };
  assert.deepEqual(render([{ type: "hosted", wire: "responses", kind: "file_search", value }]).tools, [
    value,
  ]);
});

Deno.test("renderToolChoice renders every choice", () => {
  assert.equal(renderToolChoice({ type: "none" }), "none");
  assert.deepEqual(renderToolChoice({ type: "named", tool: { kind: "custom", name: "c" } }), {
    type: "custom",
    name: "c",
  });
  assert.deepEqual(
    renderToolChoice({ type: "hosted", kind: "mcp", value: { type: "mcp", server_label: "s", odd: 1 } }),
    { type: "mcp", server_label: "s" },
  );
  assert.deepEqual(renderToolChoice({ type: "hosted", kind: "shell", value: { type: "shell" } }), {
    type: "shell",
  });
  assert.equal(renderToolChoice({ type: "hosted", kind: "service:bash", value: {} }), undefined);
  const tools = [{ type: "function", name: "f" }];
  const allowed = { type: "allowed_tools", mode: "auto", tools };
  const named = [{ kind: "function", name: "f" }] as const;
  assert.deepEqual(
    renderToolChoice({ type: "allowed", mode: "auto", tools: named, value: allowed }),
    allowed,
  );
  assert.deepEqual(renderToolChoice({ type: "allowed", mode: "auto", tools: named, value: {} }), allowed);
});
