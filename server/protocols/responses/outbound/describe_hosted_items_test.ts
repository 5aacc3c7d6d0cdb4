import assert from "node:assert/strict";
import type { JsonObject } from "../../canonical/item.ts";
import { describeHostedCall } from "./describe_hosted_items.ts";

const rows: readonly (readonly [string, JsonObject, string | undefined])[] = [
  [
    "web_search_call",
    { action: { type: "search", query: "a", sources: [{ url: "u" }] } },
    '[Searched the web for "a"]\nu',
  ],
  ["web_search_call", { action: { type: "search", queries: ["a", "b"] } }, '[Searched the web for "a", "b"]'],
  ["web_search_call", { action: { type: "find_in_page", pattern: "p", url: "u" } }, '[Looked for "p" in u]'],
  ["web_search_call", {}, "[Searched the web]"],
  [
    "file_search_call",
    { queries: ["q"], results: [{ filename: "f", text: "t" }] },
    '[Searched files for "q"]\nf: t',
  ],
  ["code_interpreter_call", { code: "1+1", outputs: [{ type: "logs", logs: "2" }] }, "[Ran code]\n1+1\n2"],
  ["image_generation_call", { revised_prompt: "a cat", result: "QUJD" }, "[Generated an image: a cat]"],
  ["computer_call", { action: { type: "wait" } }, '[Used the computer: {"type":"wait"}]'],
  ["mcp_call", { server_label: "s", name: "n", arguments: "{}", output: "o" }, "[Called s.n with {}]\no"],
  ["local_shell_call", { action: { command: ["ls", "-l"] } }, "[Ran a command: ls -l]"],
  ["local_shell_call_output", { output: "o" }, "[Output]\no"],
  ["shell_call", { action: { commands: ["ls", "pwd"] } }, "[Ran commands]\nls\npwd"],
  ["shell_call_output", { output: [{ stdout: "a", stderr: "b" }] }, "[Output]\na\nb"],
  ["apply_patch_call", { operation: { type: "delete_file", path: "p" } }, "[Patched a file: delete_file p]"],
  ["apply_patch_call_output", { status: "failed", output: "o" }, "[Patch failed] o"],
  ["compaction", { encrypted_content: "x" }, undefined],
  ["hologram_call", {}, undefined],
];

Deno.test("told says what a hosted tool did, in words", () => {
  for (const [kind, value, words] of rows) assert.equal(describeHostedCall(kind, value), words, kind);
});

Deno.test("told is brief", () => {
  assert.equal(describeHostedCall("local_shell_call_output", { output: "x".repeat(50_000) })?.length, 8_192);
});
