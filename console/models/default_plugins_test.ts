import assert from "node:assert/strict";
import type { DefaultPlugin } from "../../shared/responses/plugins.ts";
import {
  decodeRows,
  describePlugins,
  encodePlugins,
  modesOf,
  pluginHint,
  type PluginMode,
  pluginProblems,
  pluginRows,
  pluginsOf,
  withRow,
} from "./default_plugins.ts";

const sent = (text: string) => JSON.parse(JSON.stringify(pluginsOf(decodeRows(text))));

Deno.test("plugins of a workspace come back from their form as they were", () => {
  const cases: readonly (readonly DefaultPlugin[])[] = [
    [{ id: "moderation", locked: true }],
    [{ id: "web", max_results: 3, mode: "fast" }, {
      id: "context-compression",
      enabled: false,
      locked: true,
    }],
    [{ id: "auto-router", allowed_models: ["a/*"], locked: true }],
    [{ id: "file-parser", enabled: false, pdf: { engine: "native" } }],
  ];
  for (const defaults of cases) {
    const back: unknown = sent(encodePlugins(defaults));
    assert.ok(Array.isArray(back));
    assert.deepEqual(
      new Set(back.map((one) => JSON.stringify(Object.entries(one).sort()))),
      new Set(
        defaults.map((one) => JSON.stringify(Object.entries(one).sort())),
      ),
    );
  }
  for (const none of [null, []]) assert.equal(sent(encodePlugins(none)), null);
});

Deno.test("each way to set a plugin is what the gateway is told", () => {
  const set = (mode: PluginMode, settings = "") =>
    sent(withRow(encodePlugins(null), { id: "web", mode, settings }));
  assert.equal(set("request", '{"max_results": 3}'), null);
  assert.deepEqual(set("on", '{"max_results": 3}'), [{ id: "web", max_results: 3 }]);
  assert.deepEqual(set("on", '{"enabled": false, "locked": true, "id": "fusion"}'), [{ id: "web" }]);
  assert.deepEqual(set("off"), [{ id: "web", enabled: false }]);
  assert.deepEqual(set("always"), [{ id: "web", locked: true }]);
  assert.deepEqual(set("never"), [{ id: "web", enabled: false, locked: true }]);
  assert.deepEqual(modesOf("moderation"), ["request", "on", "always"]);
});

Deno.test("settings that the gateway would refuse are said before they are sent", () => {
  const problem = (settings: string) => {
    const rows = pluginRows(null).map((row) =>
      row.id === "web" ? { ...row, mode: "on" as const, settings } : row
    );
    return pluginProblems(rows).get("web");
  };
  assert.equal(problem('{"max_results": 3}'), undefined);
  assert.equal(problem(""), undefined);
  for (const text of ["[]", "3", "{", "max_results"]) assert.match(problem(text) ?? "", /JSON object/, text);
  assert.equal(problem('{"max_results": 0}'), "max_results is 0; at least 1 is needed.");
  assert.match(problem('{"engine": "yahoo"}') ?? "", /^engine is "yahoo"; /);
  assert.match(problem(JSON.stringify({ search_prompt: "x".repeat(20_000) })) ?? "", /bytes as JSON/);
});

Deno.test("changes of plugins are named in words", () => {
  assert.equal(describePlugins(encodePlugins(null)), "");
  const defaults: readonly DefaultPlugin[] = [
    { id: "web", max_results: 3 },
    { id: "moderation", locked: true },
    { id: "context-compression", enabled: false },
  ];
  assert.equal(
    describePlugins(encodePlugins(defaults)),
    'moderation on (locked), web on {"max_results":3}, context-compression off',
  );
});

Deno.test("a plugin whose service is not set up says so beside its field, and the others do not", () => {
  const lacks = [{ id: "moderation", reason: "has no service: set moderation." }];
  assert.equal(
    pluginHint("moderation", lacks),
    "A service judges the input first. On this gateway moderation has no service: set moderation.",
  );
  assert.equal(pluginHint("web", lacks), "Searches the web before the model answers.");
  assert.equal(pluginHint("moderation"), "A service judges the input first.");
});
