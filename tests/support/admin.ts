/** The management operations without HTTP, over a store of the test's choosing. */

import { parseModelRequest } from "../../server/app/compose/guardrails.ts";
import { pause } from "../../shared/util/pause.ts";
import { createAuditWriter } from "../../server/management/audit/audit_log.ts";
import type { ManagementDeps, OperationDeps } from "../../server/management/core/management_deps.ts";
import { CacheVersions } from "../../server/management/core/cache_versions.ts";
import type { SendMessage } from "../../server/management/delivery/post_message.ts";
import { runFirstStart } from "../../server/management/keys/first_start.ts";
import { INSTALLATION_ID, installationCollection } from "../../server/management/core/installation.ts";
import { keyPuts } from "../../server/management/keys/lists/key_index.ts";
import { type KeyRow, newKeyRow, newToken } from "../../server/management/keys/key_rows.ts";
import { createOperations, type Operations } from "../../server/management/operations.ts";
import { openVault } from "../../server/management/byok/vault.ts";
import { createLogger } from "../../server/logger.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { createRuntime, type Runtime } from "../../server/runtime.ts";
import type * as z from "zod";
import type { ManagementOperation } from "../../shared/management/operation.ts";
import {
  type ContainerService,
  createContainerService,
} from "../../server/sandbox/containers/container_service.ts";
import { workspaceCheck } from "../../server/management/files/file_scope.ts";
import { unavailableSandbox } from "../../server/sandbox/sandbox.ts";
import { FileStore } from "../../server/storage/files/file_store.ts";
import { MemoryBlobStore } from "./memory_blob_store.ts";
import { managementApi, type OperationId } from "../../shared/management/api.ts";
import type { Caller } from "../../shared/keys.ts";
import { ZERO } from "../../shared/money.ts";
import { targetFault } from "../../server/web/fetch/target_fault.ts";
import { type FakeClock, fakeClock } from "./clock.ts";
import { tickingClock } from "./ticking_clock.ts";

export interface AdminRig {
  readonly store: Store;
  readonly clock: FakeClock;
  readonly deps: OperationDeps & { readonly runtime: Runtime };
  readonly operations: Operations;
  /** UUID of the default workspace. */
  readonly home: string;
  readonly caller: Caller;
  /** Parses path, query and body by the operation's row, as the API does, and gives the parsed answer. */
  readonly call: <K extends OperationId>(id: K, input?: Input) => Promise<Answered<K>>;
  readonly addKey: (preference: Partial<KeyRow>) => Promise<KeyRow>;
}

export interface Input {
  readonly headers?: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The answer of an operation, as its row's schema parses it. */
export type Answered<K extends OperationId> = (typeof managementApi)[K]["output"] extends z.ZodType
  ? z.output<(typeof managementApi)[K]["output"]>
  : never;

const nothing = { cost: ZERO, byok: ZERO };
const noSpend = { daily: nothing, weekly: nothing, monthly: nothing, lifetime: nothing };

export interface AdminRigOptions {
  readonly store?: Store;
  readonly masterKey?: Uint8Array;
  /** Names of `fetch.header_env`; none by default. */
  readonly guardrailHeaders?: ReadonlySet<string>;
  /** Hosts that `fetch.allowed_hosts` names; none by default. */
  readonly allowedHosts?: readonly string[];
  /**
   * Pauses before another try last as long as they say, also while the clock stands still. Needed where a store decides
   * how often writers meet.
   */
  readonly pausesPass?: boolean;
  /** Sends tests of destinations; absent: none is sent. */
  readonly sendMessage?: SendMessage;
}

const limits = { maxFileBytes: 1_000_000, workspaceFileBytes: 10_000_000 };
const noFaults = {
  ofModel: () => undefined,
  ofProvider: () => undefined,
  ofDefaultModel: () => undefined,
};
const sendNothing: SendMessage = () => Promise.reject(new Error("Nothing is sent in this test."));

export async function adminRig(input: AdminRigOptions = {}): Promise<AdminRig> {
  const store = input.store ?? memoryStore();
  const clock = input.pausesPass ? withPassingPauses(fakeClock()) : fakeClock();
  const log = createLogger({ format: "json", level: "error", now: clock.now, write: () => {} });
  const runtime: Runtime = { ...createRuntime(log), clock };
  await runFirstStart({ store, runtime, configuredKeys: {}, mayPrint: true });
  const installed = await installationCollection(store).get(INSTALLATION_ID);
  const home = installed?.record.workspace_id ?? "";
  const files = new FileStore({ store, blobs: new MemoryBlobStore(() => clock.now()), runtime, limits });
  const deps = {
    store,
    runtime,
    cacheVersions: new CacheVersions({ store, runtime }),
    audit: createAuditWriter(store, runtime),
    ledger: { readSpend: () => Promise.resolve(noSpend), caughtUp: () => Promise.resolve() },
    vault: await openVault({
      store,
      runtime,
      input: input.masterKey ?? new Uint8Array(32).fill(7),
      file: undefined,
    }),
    files,
    containers: await idleContainers({ store, runtime, files }),
    parseModelRequest,
    checkModelRequest: parseModelRequest,
    modelId: (name: string) => name,
    listFaults: noFaults,
    pluginFaults: () => [],
    providerFault: () => undefined,
    isProviderOn: () => true,
    guardrailHeaders: input.guardrailHeaders ?? new Set(),
    fetchFault: (url: string) =>
      targetFault(url, { allowHttp: false, allowedHosts: input.allowedHosts ?? [] }),
    sendMessage: input.sendMessage ?? sendNothing,
    pause,
    ...toRest({ openCalls: { end: () => 0 } }),
  };
  const operations = createOperations(deps);
  const keyHash = installed?.record.management_hash ?? "";
  const caller: Caller = { kind: "management", keyHash, workspaceId: home };
  return {
    store,
    clock,
    deps,
    operations,
    home,
    caller,
    call: (id, requested) => call({ operations, caller }, { id, ...requested }).then(toAnswer<typeof id>),
    addKey: async (preference) => {
      const token = newToken("api", runtime);
      const made = newKeyRow({ kind: "api", token, name: "A test's", workspaceId: home }, clock.now());
      const row = { ...made, ...preference };
      await store.commit({ puts: keyPuts(store, row) });
      return row;
    },
  };
}

function withPassingPauses(clock: FakeClock): FakeClock {
  const { after } = tickingClock();
  return { ...clock, after };
}

/** Containers in which nothing runs. */
function idleContainers(
  { store, runtime, files }: Pick<ManagementDeps, "store" | "files"> & { readonly runtime: Runtime },
): Promise<ContainerService> {
  return createContainerService({
    store,
    files,
    runtime,
    sandbox: unavailableSandbox("Nothing runs in this test."),
    limits,
    keepMs: 86_400_000,
    switchedOff: undefined,
    workspaceCheck: (workspaceId) => workspaceCheck(store, workspaceId),
  });
}

/** Casts the dependencies that other modules add; the operations under test do not ask for them. */
function toRest(
  rest: unknown,
): Omit<
  OperationDeps,
  | "store"
  | "runtime"
  | "cacheVersions"
  | "audit"
  | "ledger"
  | "vault"
  | "files"
  | "containers"
  | "parseModelRequest"
  | "checkModelRequest"
  | "modelId"
  | "listFaults"
  | "pluginFaults"
  | "providerFault"
  | "isProviderOn"
  | "guardrailHeaders"
  | "fetchFault"
  | "sendMessage"
  | "pause"
> {
  return rest as OperationDeps;
}

interface Parsed extends Input {
  readonly id: OperationId;
}

async function call(
  { operations, caller }: Pick<AdminRig, "operations" | "caller">,
  { id, params = {}, query = {}, body, headers = {} }: Parsed,
): Promise<unknown> {
  const row: ManagementOperation = managementApi[id];
  if (row.body === "multipart" || typeof row.output === "string") {
    throw new Error(`${id} takes or gives bytes`);
  }
  const act = toAct(operations[id]);
  const output = await act({
    caller,
    params,
    query: row.query?.parse(query),
    body: row.body?.parse(body),
    header: (name: string) => new Headers(headers).get(name),
    requestId: "req_test",
  });
  return row.output.parse(output);
}

/** Casts the value that the row's own schema has parsed. */
function toAnswer<K extends OperationId>(answer: unknown): Answered<K> {
  return answer as Answered<K>;
}

/** The row's schemas make what it is given. */
function toAct(act: unknown): (requested: unknown) => Promise<unknown> {
  return act as (requested: unknown) => Promise<unknown>;
}

interface Schema {
  parse(value: unknown): unknown;
}
