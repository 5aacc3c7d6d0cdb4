import assert from "node:assert/strict";
import { ApiError } from "../../../../shared/errors.ts";
import { parseRequest } from "./parse_request.ts";

/** Reports the error of a body whose meaning is at fault; "taken" where there is none. */
function judge(fields: object): string {
  try {
    parseRequest({ input: "Hello", ...fields });
    return "taken";
  } catch (error) {
    assert(error instanceof ApiError);
    assert.equal(error.status, 422);
    assert(error.message.startsWith(`${error.details.metadata?.path} `));
    return error.message;
  }
}

const fn = (name: string, more: object = {}) => ({ type: "function", name, ...more });
const deferred = (name: string) => fn(name, { defer_loading: true });
const call = (id: string) => ({ type: "function_call", call_id: id, name: "f", arguments: "{}" });
const result = (id: string) => ({ type: "function_call_output", call_id: id, output: "ok" });
const space = (name: string, ...tools: readonly object[]) => ({ type: "namespace", name, tools });

Deno.test("a result needs its call before it", () => {
  assert.equal(judge({ input: [call("a"), result("a")] }), "taken");
  assert.equal(judge({ input: [call("a"), call("b"), result("b"), result("a")] }), "taken");
  assert.equal(
    judge({ input: [call("a"), result("b")] }),
    'input[1].call_id answers the call "b", which is not in the input',
  );
  assert.equal(
    judge({ input: [result("a"), call("a")] }),
    'input[0].call_id answers the call "a", which only comes after it, at input[1]',
  );
  const reference = { type: "item_reference", id: "fc_1" };
  assert.match(
    judge({ input: [reference, result("a")] }),
    /referenced cannot be looked up, because nothing is stored/,
  );
});

Deno.test("a result needs its call whatever its kind", () => {
  const patch = { type: "apply_patch_call_output", call_id: "p", status: "completed" };
  const requested = { type: "openrouter:apply_patch", call_id: "p" };
  assert.equal(judge({ input: [requested, patch] }), "taken");
  assert.match(judge({ input: [patch] }), /^input\[0\]\.call_id answers/);
  assert.match(
    judge({ input: [{ type: "shell_call_output", call_id: "s", output: [] }] }),
    /^input\[0\]\.call_id/,
  );
  assert.match(
    judge({ input: [{ type: "computer_call_output", call_id: "s", output: {} }] }),
    /^input\[0\]\.call_id/,
  );
  assert.match(
    judge({ input: [{ type: "custom_tool_call_output", call_id: "s", output: "" }] }),
    /not in the input/,
  );
});

Deno.test("configuration updates do not follow one another", () => {
  const update = { type: "configuration_update", reasoning: {} };
  assert.match(
    judge({ input: [{ role: "user", content: "x" }, update, update] }),
    /^input\[2\] follows another/,
  );
});

Deno.test("tools have names of their own", () => {
  const received = 'tools[1].name is "a", which another tool is called already';
  assert.equal(judge({ tools: [fn("a"), fn("a")] }), received);
  assert.equal(judge({ tools: [fn("a"), { type: "custom", name: "a" }] }), received);
  assert.equal(judge({ tools: [fn("a"), space("n", fn("a"))] }), "taken");
  assert.match(judge({ tools: [space("n", fn("a"), fn("a"))] }), /^tools\[0\]\.tools\[1\]\.name is "a"/);
});

Deno.test("deferred tools need a tool search and company", () => {
  const search = { type: "service:tool_search" };
  assert.equal(judge({ tools: [deferred("a"), fn("b"), search] }), "taken");
  assert.equal(judge({ tools: [deferred("a"), fn("b"), { type: "tool_search" }] }), "taken");
  assert.equal(judge({ tools: [space("n", deferred("a")), search] }), "taken");
  assert.match(
    judge({ tools: [deferred("a"), fn("b")] }),
    /^tools has tools with defer_loading, but no tool search/,
  );
  assert.match(
    judge({ tools: [deferred("a"), deferred("b"), search] }),
    /^tools has defer_loading on every tool/,
  );
  assert.equal(judge({ tools: [deferred("a"), { type: "web_search" }, search] }), "taken");
  const server = { type: "mcp", server_label: "s", server_url: "https://mcp.example/", defer_loading: true };
  assert.equal(judge({ tools: [server, search] }), "taken");
  assert.match(judge({ tools: [server] }), /no tool search/);
});

Deno.test("tool_choice names a tool that is there", () => {
  const tools = [
    fn("a"),
    { type: "custom", name: "c" },
    space("n", fn("inner")),
    { type: "web_search" },
    { type: "mcp", server_label: "docs" },
    { type: "openrouter:datetime" },
  ];
  const fine = [
    "auto",
    "none",
    "required",
    fn("a"),
    fn("inner"),
    fn("inner", { namespace: "n" }),
    { type: "custom", name: "c" },
    { type: "web_search_preview" },
    { type: "mcp", server_label: "docs" },
    { type: "service:datetime" },
    { type: "allowed_tools", mode: "auto", tools: [fn("a"), { type: "mcp", server_label: "docs" }] },
  ];
  for (const tool_choice of fine) assert.equal(judge({ tools, tool_choice }), "taken");
  assert.equal(
    judge({ tools, tool_choice: fn("b") }),
    'tool_choice names the function tool "b", which is not in tools',
  );
  assert.match(
    judge({ tools, tool_choice: fn("inner", { namespace: "m" }) }),
    /^tool_choice names the function tool/,
  );
  assert.match(
    judge({ tools, tool_choice: { type: "custom", name: "a" } }),
    /^tool_choice names the custom tool "a"/,
  );
  assert.match(
    judge({ tools, tool_choice: { type: "shell" } }),
    /^tool_choice names the shell tool, which is not/,
  );
  assert.match(
    judge({ tools, tool_choice: { type: "mcp", server_label: "x" } }),
    /^tool_choice names the mcp tool "x"/,
  );
  assert.match(
    judge({ tools, tool_choice: { type: "service:bash" } }),
    /^tool_choice names the service:bash tool/,
  );
  const allowed = { type: "allowed_tools", mode: "auto", tools: [fn("a"), fn("z")] };
  assert.match(
    judge({ tools, tool_choice: allowed }),
    /^tool_choice\.tools\[1\] names the function tool "z"/,
  );
  assert.equal(judge({ tool_choice: "required" }), 'tool_choice is "required", but there are no tools');
  assert.match(judge({ tool_choice: fn("a") }), /^tool_choice names the function tool "a"/);
});
