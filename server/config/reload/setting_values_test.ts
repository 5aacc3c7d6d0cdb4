import assert from "node:assert/strict";
import { readConfig } from "../config.ts";
import { compareSettings, keepFixedSettings, restartSettings } from "./setting_values.ts";

function configOf(file: object, env: Readonly<Record<string, string>> = {}) {
  const all: Readonly<Record<string, string>> = { TOLLGATE_CONFIG: "a.jsonc", ...env };
  return readConfig(
    { env: (name) => all[name], readFile: () => JSON.stringify(file), terminal: false },
    [{ name: "ACME_API_KEY", description: "", kind: "key" }],
  );
}

Deno.test("compareSettings names what differs, in order and without values", () => {
  const before = configOf({}, { ACME_API_KEY: "first" });
  const after = configOf({
    aliases: { a: "b/c" },
    limits: { attempts: 2, loop_seconds: 9, drain_seconds: 1, connections: 5 },
  }, { ACME_API_KEY: "second", PORT: "1", TOLLGATE_CORS: "off", HTTPS_PROXY: "http://u:p@127.0.0.1:1" });
  assert.deepEqual(compareSettings(before, after), {
    changed: ["ACME_API_KEY", "TOLLGATE_CORS", "aliases", "limits.attempts", "limits.loop_seconds"],
    restart: ["HTTPS_PROXY", "PORT", "limits.connections", "limits.drain_seconds"],
  });
  assert.deepEqual(compareSettings(after, after), { changed: [], restart: [] });
});

Deno.test("keepFixedSettings leaves nothing that needs a restart, and everything else as it was read", () => {
  const before = configOf({});
  const after = configOf({ limits: { attempts: 2, drain_seconds: 1 }, sandbox: { memory_mib: 300 } }, {
    PORT: "1",
    TOLLGATE_CORS: "off",
  });
  const kept = keepFixedSettings(before, after);
  assert.deepEqual(compareSettings(before, kept).restart, []);
  assert.deepEqual(compareSettings(kept, after), {
    changed: [],
    restart: ["PORT", "limits.drain_seconds", "sandbox"],
  });
  assert.deepEqual(Object.keys(kept).sort(), Object.keys(after).sort());
});

Deno.test("docs/operations.md names every setting that needs a restart", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/operations.md", import.meta.url));
  const [, line = ""] = /^- A restart need (.*)\.$/m.exec(page) ?? [];
  const named = [...line.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  assert.deepEqual(named.sort(), [...restartSettings(configOf({}))].sort());
});
