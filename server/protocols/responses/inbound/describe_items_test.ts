import assert from "node:assert/strict";
import { everyItem } from "../../../../tests/fuzz/covering_items.ts";
import type { HostedItemKind } from "../../../../shared/responses/hosted_items.ts";
import { inputItem } from "../../../../shared/responses/items.ts";
import type { ServiceItemKind } from "../../../../shared/fields/service_tool_names.ts";
import { parseInput } from "./parse_input.ts";

type Kind = HostedItemKind | `service:${ServiceItemKind}`;
/** The item's fields besides its type, and what other wires are told of it. */
type Case = readonly [fields: object, told?: string];

const patch = { type: "update_file", path: "a.ts", diff: "+b" };
const call_id = "c";

const cases: Readonly<Record<Kind, Case>> = {
  web_search_call: [{ id: "ws_1", action: { type: "search", query: "q" } }, '[Searched the web for "q"]'],
  file_search_call: [{ id: "fs_1", queries: ["q"] }, '[Searched files for "q"]'],
  image_generation_call: [{ id: "ig_1", result: null }, "[Generated an image]"],
  code_interpreter_call: [{ id: "ci_1", code: "1" }, "[Ran code]\n1"],
  computer_call: [{ call_id, action: {} }, "[Used the computer: {}]"],
  computer_call_output: [
    { call_id, output: {} },
    "[The computer action was carried out; its screenshot is not shown here]",
  ],
  apply_patch_call: [{ call_id, operation: patch }, "[Patched a file: update_file a.ts]\n+b"],
  apply_patch_call_output: [{ call_id, status: "failed", output: "no" }, "[Patch failed] no"],
  local_shell_call: [{ call_id, action: { command: ["ls", "-l"] } }, "[Ran a command: ls -l]"],
  local_shell_call_output: [{ id: call_id, output: "a" }, "[Output]\na"],
  shell_call: [{ call_id, action: { commands: ["ls"] } }, "[Ran commands]\nls"],
  shell_call_output: [{ call_id, output: [] }, "[Output]"],
  mcp_list_tools: [{ id: "m", server_label: "s", tools: [] }],
  mcp_approval_request: [
    { id: "m", server_label: "s", name: "f", arguments: "{}" },
    "[Asked for approval to call s.f with {}]",
  ],
  mcp_approval_response: [
    { approval_request_id: "m", approve: false, reason: "no" },
    "[The call was refused]\nno",
  ],
  mcp_call: [{ server_label: "s", name: "f", arguments: "{}", output: "o" }, "[Called s.f with {}]\no"],
  compaction: [{ encrypted_content: "e" }],
  context_compaction: [{ encrypted_content: null }],
  tool_search_call: [{ call_id: null }],
  tool_search_output: [{ call_id: null }],
  program: [{ call_id }],
  program_output: [{ call_id }],
  compaction_trigger: [{}],
  "service:datetime": [{ datetime: "2026-01-01", timezone: "UTC" }, "[The time was 2026-01-01 UTC]"],
  "service:web_search": [
    { action: { query: "q", sources: [{ url: "https://e.org" }] } },
    "[Searched the web for q]\nhttps://e.org",
  ],
  "service:web_fetch": [{ url: "https://e.org", title: "E", content: "c" }, "[Fetched https://e.org E]\nc"],
  "service:files": [{ operation: "read", filename: "a", result: "r" }, "[File operation read a]\nr"],
  "service:bash": [
    { command: "ls", stdout: "a", stderr: "b", exitCode: 2, error: "e" },
    "[Ran ls]\na\nb\nexit code 2\nfailed: e",
  ],
  "service:shell": [{ action: { commands: ["ls"] }, output: [{ stdout: "a", stderr: "" }] }, "[Ran ls]\na"],
  "service:apply_patch": [{ operation: patch }, "[Asked for a patch: update_file a.ts]\n+b"],
  "service:image_generation": [{ prompt: "a cat" }, "[Generated an image a cat]"],
  "service:advisor": [{ prompt: "p", advice: "a" }, "[Asked the advisor p]\na"],
  "service:subagent": [
    { task_name: "t", task_description: "d", outcome: "o" },
    "[Gave a task to a subagent: t d]\no",
  ],
  "service:fusion": [
    { responses: [{ model: "m", content: "c" }], analysis: { consensus: [] } },
    '[Asked several models]\nm: c\n{"consensus":[]}',
  ],
  "service:search_models": [{ query: "q" }, "[Searched the models for q]"],
  "service:tool_search": [{ query: "q" }, "[Searched the tools for q]"],
  "service:mcp": [{ serverLabel: "s", toolName: "t" }, "[Called s t]"],
  "service:memory": [{ action: "write", key: "k", value: "v" }, "[Memory write k]\nv"],
  "service:text_editor": [{ command: "view", filePath: "a" }, "[Edited view a]"],
  "service:file_search": [{ queries: ["a", "b"] }, "[Searched the files for a, b]"],
  "service:code_interpreter": [{ language: "python", code: "1", stdout: "1" }, "[Ran code python]\n1\n1"],
  "service:browser_use": [{ action: "click" }, "[Used the browser click]"],
};

const parse = (item: unknown) => parseInput([inputItem.parse(item)]).items[0];

for (const [type, [fields, textFallback]] of Object.entries(cases)) {
  Deno.test(`item ${type}`, () => {
    const value = { type, ...fields };
    const id = "id" in fields ? fields.id : undefined;
    assert.deepEqual(parse(value), {
      type: "foreign",
      wire: "responses",
      kind: type,
      value,
      id,
      textFallback,
    });
  });
}

Deno.test("an item of a server tool has one kind in every spelling", () => {
  const kinds = ["openrouter:search_models", "openrouter:experimental__search_models"].map((type) => {
    const item = parse({ type });
    return item?.type === "foreign" ? item.kind : undefined;
  });
  assert.deepEqual(kinds, ["service:search_models", "service:search_models"]);
});

Deno.test("what is told of an item is bounded and well-formed", () => {
  const item = parse({ type: "service:bash", command: "x".repeat(8_186) + "😀".repeat(9) });
  const textFallback = item?.type === "foreign" ? item.textFallback ?? "" : "";
  assert.equal(textFallback.length, 8_192);
  assert(textFallback.isWellFormed());
});

Deno.test("odd values in a replayed item are told as nothing", () => {
  for (const type of Object.keys(cases).filter((kind) => kind.startsWith("service:"))) {
    const odd = {
      action: 5,
      output: "x",
      operation: null,
      sources: 1,
      responses: {},
      queries: 5,
      analysis: null,
    };
    assert.equal(parse({ type, ...odd })?.type, "foreign");
  }
});

Deno.test("every item of the corpus is taken", () => {
  for (const item of everyItem) assert.equal(parseInput([inputItem.parse(item)]).items.length <= 1, true);
});
