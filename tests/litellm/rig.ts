/** Runs the import of a LiteLLM proxy on texts of files and a store in memory. */

import { runImport } from "../../server/app/litellm/run_import.ts";
import { readConfig } from "../../server/config/config.ts";
import { runFirstStart } from "../../server/management/keys/first_start.ts";
import { providerSettings } from "../../server/providers/mod.ts";
import { createRuntime } from "../../server/runtime.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { wrappedStore } from "../support/wrapped_store.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The key of the gateway's first start. */
export const FIRST_KEY = "a".repeat(40);
const MANAGEMENT_KEY = "m".repeat(40);

interface ImportedFiles {
  readonly keys?: unknown;
  readonly teams?: unknown;
  /** Stands in for that of a gateway that was started once. */
  readonly store?: Store;
  /** Is filled with the texts of files that are written, by their paths. */
  readonly written?: Map<string, string>;
}

interface Imported {
  readonly store: Store;
  readonly report: string;
  readonly done: readonly string[];
  readonly changed: readonly string[];
  readonly impossible: readonly string[];
  /** The configuration file that was written. */
  readonly file: Json;
}

async function startedStore(): Promise<Store> {
  const store = memoryStore();
  await runFirstStart({
    store,
    runtime: createRuntime(silent),
    configuredKeys: { api: FIRST_KEY, management: MANAGEMENT_KEY },
    mayPrint: true,
  });
  return store;
}

/** `yaml` is the proxy's file; JSON is YAML too. */
export async function imported(
  yaml: string | Json,
  { keys, teams, store: given, written = new Map<string, string>() }: ImportedFiles = {},
): Promise<Imported> {
  const store = given ?? await startedStore();
  const texts = new Map([["config.yaml", typeof yaml === "string" ? yaml : JSON.stringify(yaml)]]);
  const args = ["config.yaml", "--out", "out.jsonc"];
  for (const [name, value] of Object.entries({ keys, teams })) {
    if (value === undefined) continue;
    texts.set(`${name}.json`, JSON.stringify(value));
    args.push(`--${name}`, `${name}.json`);
  }
  const { text: report, fields } = await runImport({
    args,
    source: { readFile: (path) => texts.get(path) ?? "" },
    config: readConfig({ env: () => undefined, readFile: () => "", terminal: false }, providerSettings),
    runtime: createRuntime(silent),
    openStore: () =>
      Promise.resolve({ ...wrappedStore(store, (call) => call()), close: () => Promise.resolve() }),
    write: (path, content) => written.set(path, content),
  });
  const { done = [], changed = [], not_possible: impossible = [] } = fields;
  return {
    store,
    report,
    done,
    changed,
    impossible,
    file: asObject(JSON.parse(written.get("out.jsonc") ?? "")),
  };
}

/** A gateway that is started with what was written, in the store into which keys were brought. */
export function startWith(
  { store, file: { providers = [], limits = {}, ...file } }: Pick<Imported, "store" | "file">,
  env: Readonly<Record<string, string>>,
): Promise<Gateway> {
  return startGateway({
    store,
    env: { ...env, TOLLGATE_MANAGEMENT_KEY: MANAGEMENT_KEY, TOLLGATE_API_KEY: FIRST_KEY },
    providers: asList(providers).map(asObject),
    limits: Object.fromEntries(
      Object.entries(asObject(limits)).map(([name, value]) => [name, Number(value)]),
    ),
    file,
  });
}

interface Asking {
  readonly model: string;
  readonly key: string;
}

export const ask = ({ url }: Pick<Gateway, "url">, { model, key }: Asking): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }], max_tokens: 60 }),
  });
