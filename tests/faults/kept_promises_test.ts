/** Tests promises that are kept: a failure reaches those who waited, and the next caller succeeds. */

import assert from "node:assert/strict";
import { byokCatalog } from "../../server/providers/catalog/byok_catalog.ts";
import { readConfig } from "../../server/config/config.ts";
import { TokenCache } from "../../server/providers/credentials/token_cache.ts";
import { Children } from "../../server/sandbox/keeper/children.ts";
import type { KeeperEvent } from "../../server/sandbox/keeper/messages.ts";
import { creditsLimitSource } from "../../server/management/budgets/credits_limit.ts";
import { ByokKeys } from "../../server/management/byok/byok_keys.ts";
import { openVault } from "../../server/management/byok/vault.ts";
import { CacheVersions } from "../../server/management/core/cache_versions.ts";
import { KeyCache } from "../../server/management/keys/key_cache.ts";
import { newKeyRow } from "../../server/management/keys/key_rows.ts";
import { TopSpenders } from "../../server/management/keys/lists/top_spenders.ts";
import { createByokProviders, providerSettings } from "../../server/providers/mod.ts";
import { createRuntime } from "../../server/runtime.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { type Store, StoreError } from "../../server/storage/stores/store.ts";
import { fakeClock } from "../support/clock.ts";
import { wrappedStore } from "../support/wrapped_store.ts";

/** Set by the test: everything that fails does so while it is true. */
interface Fault {
  isOn: boolean;
}

/** Asks the place once; rejects or resolves as it does. */
type Ask = () => Promise<unknown>;

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const runtime = { ...createRuntime(silent), clock: fakeClock() };
const cacheVersions = { on: () => {} };

function faultyStore(fault: Fault): Store {
  const store = memoryStore();
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (fault.isOn) throw new StoreError("timeout", "no answer");
    return await work();
  };
  return wrappedStore(store, run);
}

const throwing = (fault: Fault): void => {
  if (fault.isOn) throw new Error("not now");
};

const keyRow = newKeyRow({ kind: "api", token: "t", name: "k", workspaceId: crypto.randomUUID() }, 0);

/** The keeper's question to Deno where packages lie: the run is stopped as soon as it is answered. */
function denoDir(fault: Fault): Ask {
  let outcome: string | undefined;
  const emit = (event: KeeperEvent) => {
    if (event.type === "ended") outcome = event.outcome;
    return Promise.resolve();
  };
  const findDenoDir = async () => {
    await Promise.resolve();
    throwing(fault);
    return "/nowhere";
  };
  const children = new Children({ clock: runtime.clock, emit, folders: {}, findDenoDir });
  let id = 0;
  return async () => {
    const running = children.run({ type: "run", id: ++id, program: "reader" }, new Uint8Array(0));
    children.stop(id);
    await running;
    if (outcome !== "stopped") throw new Error(`The run ended as ${outcome}`);
  };
}

const snapshotUrl = new URL("../../server/providers/catalog/snapshot.json", import.meta.url);

function catalogOfByok(fault: Fault): Ask {
  const config = readConfig(
    { env: () => undefined, readFile: () => "{}", terminal: false },
    providerSettings,
  );
  const catalogFile = {
    path: "catalog.json",
    get json(): unknown {
      throwing(fault);
      return JSON.parse(Deno.readTextFileSync(snapshotUrl));
    },
  };
  const catalog = byokCatalog({
    config: { ...config, catalogFile },
    providers: createByokProviders(config),
  });
  return () => catalog(() => true);
}

async function encryption(fault: Fault): Promise<Ask> {
  const input = new Uint8Array(32).fill(5);
  const vault = await openVault({ store: faultyStore(fault), runtime, input, file: undefined });
  return () => vault.encrypt("secret", "place");
}

const places: Readonly<Record<string, (fault: Fault) => Ask | Promise<Ask>>> = {
  "the keeper's folder of packages": denoDir,
  "the catalog of providers that are not switched on": catalogOfByok,
  "the provider keys of workspaces": (fault) => {
    const vault = { decrypt: () => Promise.resolve("") };
    const store = faultyStore(fault);
    const keys = new ByokKeys({ store, cacheVersions, vault, runtime, withByokKey: () => () => undefined });
    return () => keys.of(keyRow);
  },
  "the proof of the master key": encryption,
  "the account's credits": (fault) => {
    const source = creditsLimitSource({ store: faultyStore(fault), cacheVersions });
    return async () => await source.limitsOf(keyRow);
  },
  "the token of a credential": (fault) => {
    const tokens = new TokenCache(runtime.clock, async () => {
      await Promise.resolve();
      throwing(fault);
      return { value: "token", expiresAt: Infinity };
    });
    const credential = {};
    return () => tokens.get(credential);
  },
  "the look at what others have changed": (fault) => {
    const versions = new CacheVersions({ store: faultyStore(fault), runtime, shared: true });
    return async () => await versions.refresh();
  },
  "the look-up of a key": (fault) => {
    const keys = new KeyCache({ store: faultyStore(fault), clock: runtime.clock });
    return async () => await keys.find("unknown");
  },
  "the keys that spent most": (fault) => {
    const ledger = { caughtUp: () => Promise.resolve() };
    const spenders = new TopSpenders(toDeps({ store: faultyStore(fault), runtime, ledger }));
    return () => spenders.read();
  },
};

/** Casts the parts of the ledger that are used. */
function toDeps(deps: object): ConstructorParameters<typeof TopSpenders>[0] {
  return deps as ConstructorParameters<typeof TopSpenders>[0];
}

for (const [name, open] of Object.entries(places)) {
  Deno.test(`${name}: a failure is not kept`, async () => {
    const fault = { isOn: false };
    const ask = await open(fault);
    fault.isOn = true;
    for (const { status } of await Promise.allSettled([ask(), ask()])) assert.equal(status, "rejected");
    await assert.rejects(ask());
    fault.isOn = false;
    await ask();
  });
}
