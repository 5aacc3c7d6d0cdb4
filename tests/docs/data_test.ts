/** docs/internals/data.md against the code and against a store in use: each kind of key has its row. */

import assert from "node:assert/strict";
import { usageLevelNames } from "../../server/billing/ledger/usage/usage_rows.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { startGateway } from "../support/gateway.ts";
import { documentedPrefixes, storedPrefixes } from "./data.ts";

const page = await Deno.readTextFile(new URL("../../docs/internals/data.md", import.meta.url));
const documented = new Set(documentedPrefixes(page));

Deno.test("documentedPrefixes reads the first part of a key, and lists of them", () => {
  const table = "| `a`, `id` | x | y | z | w |\n| `b` / `c`, d | x | y | z | w |\n| `e` |\n";
  assert.deepEqual(documentedPrefixes(table), ["a", "b", "c"]);
});

Deno.test("data.md has a row for each kind of key in the code, and no other", async () => {
  const inCode = new Set([...await storedPrefixes(), ...usageLevelNames]);
  assert.deepEqual([...documented].sort(), [...inCode].sort());
});

/** The store, and the first part of every key that was put into it; of `meta` the second part too. */
function recordingStore(): { readonly store: Store; readonly seen: Set<string> } {
  const seen = new Set<string>();
  const inner = memoryStore();
  const commit: Store["commit"] = (input) => {
    for (const { key: [first, second] } of input.puts ?? []) {
      seen.add(first === "meta" ? `meta ${second}` : String(first));
    }
    return inner.commit(input);
  };
  const store = new Proxy(inner, {
    get: (target, name) => {
      if (name === "commit") return commit;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { store, seen };
}

Deno.test("data.md has a row for each key that a gateway in use writes", async () => {
  const { store, seen } = recordingStore();
  await using gateway = await startGateway({ store, env: { TOLLGATE_LOCAL: "on" } });
  const send = async (path: string, { key, body }: { readonly key: string; readonly body: unknown }) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const reply = await fetch(`${gateway.url}/v1${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    const text = await reply.text();
    assert.ok(reply.ok, `${path}: ${text}`);
  };
  const manage = (path: string, body: unknown) => send(path, { key: gateway.managementKey, body });
  await manage("/workspaces", { name: "Second", slug: "second" });
  await manage("/keys", { name: "second" });
  await manage("/guardrails", { name: "First" });
  await manage("/credits", { amount_usd: 5, reason: "test" });
  await send("/responses", { key: gateway.apiKey, body: { model: "local/echo", input: "Hi" } });
  for (const name of ["written", "keys", "workspaces", "guardrails", "audit"]) {
    assert.ok(seen.has(name), name);
  }
  const isMissing = (name: string) =>
    name.startsWith("meta ") ? !page.includes(`\`${name.slice(5)}\``) : !documented.has(name);
  assert.deepEqual([...seen].filter(isMissing), []);
});
