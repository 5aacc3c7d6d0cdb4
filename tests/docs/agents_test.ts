/** The console's set-ups of clients are those of the documents. */

import assert from "node:assert/strict";
import { clientSetups } from "../../console/models/keys/client_setups.ts";
import { codeBlocks } from "./commands.ts";

const ORIGIN = "http://127.0.0.1:8787";
const setups = new Map(clientSetups({ origin: ORIGIN }).map(({ name, parts }) => [name, parts]));
const blocks = [...await codeBlocks("docs/agents.md"), ...await codeBlocks("README.md")];
const lines = new Set(blocks.flatMap(({ text }) => text.split("\n")));

/** Lines that start a program with nothing to do yet: the page gives each a task. */
const starts = ["codex", "opencode"];

Deno.test("the console's set-ups paste lines that the documents have", () => {
  for (const name of ["Claude Code", "Codex", "Cline"]) {
    for (const { code } of setups.get(name) ?? []) {
      for (const line of code.split("\n")) {
        assert(lines.has(line) || starts.includes(line), `${name}: ${line}`);
      }
    }
  }
  const [program] = setups.get("OpenAI") ?? [];
  assert.match(
    program?.code ?? "",
    /baseURL: "http:\/\/127\.0\.0\.1:8787\/v1", apiKey: process\.env\.API_KEY/,
  );
});

Deno.test("the console's file for opencode is that of the documents, but for the model's shown name", () => {
  const [file] = setups.get("OpenCode") ?? [];
  const documented = blocks.find(({ text }) => text.includes("opencode.ai/config.json"));
  const parse = (text = "") => JSON.parse(text.replace(/\{ "name": "Claude Opus 4\.8" \}/, "{}"));
  assert.deepEqual(parse(file?.code), parse(documented?.text));
});

Deno.test("a filled-in key stands in every set-up once, and the address in every one", () => {
  const apiKey = "tg-api-of-this-test";
  for (const { name, parts } of clientSetups({ origin: "https://gate.example", apiKey })) {
    const text = parts.map(({ code }) => code).join("\n");
    assert.equal(text.split(apiKey).length, 2, name);
    assert(text.includes("https://gate.example"), name);
    assert(!text.includes("127.0.0.1"), name);
  }
});
