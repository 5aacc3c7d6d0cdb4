/** The management operations without HTTP, over a store of the test's choosing. */

import { auditOf } from "../../server/management/audit/audit_log.ts";
import type { AdminDeps } from "../../server/management/core/management_deps.ts";
import { Epochs } from "../../server/management/core/cache_versions.ts";
import { firstStart } from "../../server/management/keys/first_start.ts";
import { INSTALLED, installedRows } from "../../server/management/core/installation.ts";
import { keyPuts } from "../../server/management/keys/key_index.ts";
import { type KeyRow, newKeyRow, newToken } from "../../server/management/keys/key_rows.ts";
import { type Operations, operationsOf } from "../../server/management/operations.ts";
import { openVault } from "../../server/management/byok/vault.ts";
import { createLog } from "../../server/logger.ts";
import { memoryStore } from "../../server/stores/memory_store.ts";
import type { Store } from "../../server/stores/store.ts";
import { realWorld, type World } from "../../server/runtime.ts";
import type * as z from "zod";
import { api, type OperationId } from "../../shared/management/api.ts";
import type { Caller } from "../../shared/keys.ts";
import { ZERO } from "../../shared/money.ts";
import { type FakeClock, fakeClock } from "./clock.ts";

export interface AdminRig {
  readonly store: Store;
  readonly clock: FakeClock;
  readonly deps: AdminDeps & { readonly world: World };
  readonly operations: Operations;
  /** UUID of the default workspace. */
  readonly home: string;
  readonly caller: Caller;
  /** Parses path, query and body by the operation's row, as the door does, and gives the parsed answer. */
  readonly call: <K extends OperationId>(id: K, given?: Given) => Promise<Answered<K>>;
  readonly addKey: (wish: Partial<KeyRow>) => Promise<KeyRow>;
}

export interface Given {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The answer of an operation, as its row's schema parses it. */
export type Answered<K extends OperationId> = z.output<(typeof api)[K]["output"]>;

const nothing = { cost: ZERO, byok: ZERO };
const noSpend = { daily: nothing, weekly: nothing, monthly: nothing, lifetime: nothing };

export interface AdminRigOptions {
  readonly store?: Store;
  readonly masterKey?: Uint8Array;
}

export async function adminRig(given: AdminRigOptions = {}): Promise<AdminRig> {
  const store = given.store ?? memoryStore();
  const clock = fakeClock();
  const log = createLog({ format: "json", level: "error", now: clock.now, write: () => {} });
  const world: World = { ...realWorld(log), clock };
  await firstStart({ store, world, own: {}, mayPrint: true });
  const installed = await installedRows(store).get(INSTALLED);
  const home = installed?.record.workspace_id ?? "";
  const deps = {
    store,
    world,
    epochs: new Epochs({ store, world }),
    audit: auditOf(store, world),
    ledger: { spendOf: () => Promise.resolve(noSpend), posted: () => Promise.resolve() },
    vault: await openVault({
      store,
      world,
      given: given.masterKey ?? new Uint8Array(32).fill(7),
      file: undefined,
    }),
    ...toRest({ openCalls: { end: () => 0 } }),
  };
  const operations = operationsOf(deps);
  const keyHash = installed?.record.management_hash ?? "";
  const caller: Caller = { kind: "management", keyHash, workspaceId: home };
  return {
    store,
    clock,
    deps,
    operations,
    home,
    caller,
    call: (id, asked) => call({ operations, caller }, { id, ...asked }).then(toAnswer<typeof id>),
    addKey: async (wish) => {
      const token = newToken("api", world);
      const made = newKeyRow({ kind: "api", token, name: "A test's", workspaceId: home }, clock.now());
      const row = { ...made, ...wish };
      await store.commit({ puts: keyPuts(store, row) });
      return row;
    },
  };
}

/** What other rooms add to the dependencies; the operations under test do not ask for it. */
function toRest(rest: unknown): Omit<AdminDeps, "store" | "world" | "epochs" | "audit" | "ledger" | "vault"> {
  return rest as AdminDeps;
}

interface Parsed extends Given {
  readonly id: OperationId;
}

async function call(
  { operations, caller }: Pick<AdminRig, "operations" | "caller">,
  { id, params = {}, query = {}, body }: Parsed,
): Promise<unknown> {
  const row: { readonly query?: Schema; readonly body?: Schema; readonly output: Schema } = api[id];
  const act = toAct(operations[id]);
  const output = await act({
    caller,
    params,
    query: row.query?.parse(query),
    body: row.body?.parse(body),
    requestId: "req_test",
  });
  return row.output.parse(output);
}

/** What the row's own schema has parsed. */
function toAnswer<K extends OperationId>(answer: unknown): Answered<K> {
  return answer as Answered<K>;
}

/** The row's schemas make what it is given. */
function toAct(act: unknown): (asked: unknown) => Promise<unknown> {
  return act as (asked: unknown) => Promise<unknown>;
}

interface Schema {
  parse(value: unknown): unknown;
}
