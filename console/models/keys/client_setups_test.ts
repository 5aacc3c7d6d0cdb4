import assert from "node:assert/strict";
import { clientSetups, firstModel, responsesCurl } from "./client_setups.ts";

Deno.test("firstModel names a model that the key may call", () => {
  assert.equal(firstModel(["acme/one", "local/echo"]), "local/echo");
  assert.equal(firstModel(["acme/one", "acme/two"]), "acme/one");
  assert.equal(firstModel([]), undefined);
});

const ORIGIN = "http://127.0.0.1:8787";
const setUpOf = (client: string, models: readonly string[] | undefined) =>
  (clientSetups({ origin: ORIGIN, models }).find(({ name }) => name === client)?.parts ?? [])
    .map(({ code }) => code).join("\n");

Deno.test("a set-up names the documents' model where the key may call it, else one that it may call", () => {
  const opus = "anthropic/claude-opus-4.8";
  const cases: readonly (readonly [client: string, models: readonly string[] | undefined, named: string])[] =
    [
      ["Claude Code", undefined, '"claude-opus-4-8[1m]"'],
      ["Claude Code", [], '"claude-opus-4-8[1m]"'],
      ["Claude Code", ["acme/one", opus], '"claude-opus-4-8[1m]"'],
      ["Claude Code", ["acme/one", "acme/two"], '"acme/one"'],
      ["Claude Code", ["acme/claude-opus-4-8", opus], '"acme/claude-opus-4-8"'],
      ["Claude Code", ["anthropic/claude-opus-4.8-fast"], '"anthropic/claude-opus-4.8-fast"'],
      ["Codex", ["local/echo", "openai/gpt-5.5"], 'model = "gpt-5.5"'],
      ["Codex", ["acme/one", "local/echo"], 'model = "local/echo"'],
      ["OpenCode", [opus], '"tollgate/anthropic/claude-opus-4-8"'],
      ["OpenCode", ["acme/claude-opus-4-8"], '"tollgate/acme/claude-opus-4-8"'],
      ["Cline", [opus], "-m claude-opus-4-8"],
      ["Cline", ["acme/one"], "-m acme/one"],
      ["Cursor", ["openai/gpt-5.5"], "Model: gpt-5.5"],
      ["Cursor", ["acme/one"], "Model: acme/one"],
      ["OpenAI", ["acme/one"], 'model: "acme/one"'],
      ["curl", ["acme/one"], '"model": "acme/one"'],
      ["curl", ["acme/one", "local/echo"], '"model": "local/echo"'],
    ];
  for (const [client, models, named] of cases) {
    assert(setUpOf(client, models).includes(named), `${client} of ${models?.join(", ")}: ${named}`);
  }
});

Deno.test("every client's set-up names the only model that a key may call, and no other", () => {
  const documented = /claude-opus|gpt-5|local\/echo/;
  for (const { name } of clientSetups({ origin: ORIGIN })) {
    const text = setUpOf(name, ["acme/one"]);
    assert(text.includes("acme/one"), name);
    assert.doesNotMatch(text, documented, name);
  }
});

Deno.test("a model that is given goes before the models of the key", () => {
  assert.match(responsesCurl({ origin: ORIGIN, model: "acme/two", models: ["acme/one"] }), /"acme\/two"/);
});
