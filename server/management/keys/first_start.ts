/**
 * The first start: a default workspace, a management key and an API key, in one commit that checks that the
 * store is new. Of two instances that start at once one wins; the other finds what the first has made.
 */

import type { KeyKind } from "../../../shared/keys.ts";
import { DEFAULT_WORKSPACE_SLUG } from "../../../shared/workspaces.ts";
import type { Store } from "../../storage/stores/store.ts";
import { defaultGuardrailPut, ensureDefaultGuardrail } from "../guardrails/guardrail_rows.ts";
import {
  firstKeyNames,
  type FirstStartOptions,
  type Installation,
  INSTALLATION_ID,
  type InstallationCollection,
  installationCollection,
} from "../core/installation.ts";
import { keyPuts as indexedPuts } from "./lists/key_index.ts";
import { fillKeyIndex, keyIndexMarks } from "./lists/key_index_fill.ts";
import { hashKey, type KeyRow, newKeyRow, newToken } from "./key_rows.ts";
import { replaceConfiguredKeys } from "./replace_configured_keys.ts";
import { StartError } from "../core/start_error.ts";
import { workspaceCollection, workspaceSlugs } from "../workspaces/workspace_rows.ts";

/** Texts of the keys that were generated: shown once, here, and never again. */
export interface FirstStartResult {
  readonly first: boolean;
  readonly managementKey?: string;
  readonly apiKey?: string;
}

/** Throws a StartError that names the setting when the keys that are given cannot be used, or are needed. */
export async function runFirstStart(options: FirstStartOptions): Promise<FirstStartResult> {
  const installed = installationCollection(options.store);
  if (!await installed.get(INSTALLATION_ID)) {
    const made = await installFirstKeys(options, installed);
    if (made) return made;
  }
  await replaceConfiguredKeys({ ...options, installed });
  await fillKeyIndex({ store: options.store, clock: options.runtime.clock });
  await ensureDefaultGuardrail(options.store);
  return { first: false };
}

/** Undefined when another instance was faster. */
async function installFirstKeys(
  options: FirstStartOptions,
  installed: InstallationCollection,
): Promise<FirstStartResult | undefined> {
  const { store, runtime, configuredKeys, mayPrint } = options;
  const now = runtime.clock.now();
  const workspaceId = toUuid(runtime.id());
  const management = chosenKey("management", options);
  const api = configuredKeys.api === undefined && !mayPrint ? undefined : chosenKey("api", options);
  const key = (kind: KeyKind, token: string) =>
    newKeyRow({ kind, token, name: firstKeyNames[kind], workspaceId }, now);
  const rows = [key("management", management), ...(api === undefined ? [] : [key("api", api)])];
  const record: Installation = {
    at: new Date(now).toISOString(),
    workspace_id: workspaceId,
    management_hash: hashKey(management),
    api_hash: api === undefined ? null : hashKey(api),
  };
  const result = await store.commit({
    checks: [installed.check([INSTALLATION_ID], null)],
    puts: [
      installed.put([INSTALLATION_ID], record),
      ...keyPuts(store, rows),
      ...keyIndexMarks(store, record.at),
      ...workspacePuts(store, record),
    ],
    small: true,
  });
  if (result.type === "conflict") return undefined;
  return {
    first: true,
    managementKey: configuredKeys.management === undefined ? management : undefined,
    apiKey: configuredKeys.api === undefined ? api : undefined,
  };
}

function chosenKey(
  kind: "management" | "api",
  { configuredKeys, runtime, mayPrint }: FirstStartOptions,
): string {
  const input = configuredKeys[kind];
  if (input !== undefined) return input;
  if (mayPrint) return newToken(kind, runtime);
  throw new StartError(
    "TOLLGATE_MANAGEMENT_KEY is not set: what is printed here is kept in a log, so the first start needs a management " +
      "key from you, a secret of at least 32 characters",
  );
}

function keyPuts(store: Store, rows: readonly KeyRow[]) {
  return rows.flatMap((row) => indexedPuts(store, row));
}

function workspacePuts(store: Store, { at, workspace_id: id }: Installation) {
  const slug = DEFAULT_WORKSPACE_SLUG;
  const row = {
    id,
    name: "Default",
    slug,
    description: null,
    created_by: null,
    created_at: at,
    updated_at: null,
  };
  return [
    workspaceCollection(store).put([id], row),
    workspaceSlugs(store).put([slug], { id }),
    defaultGuardrailPut(store, { id, created_at: at }),
  ];
}

/** 32 hex digits with the hyphens of a UUID. */
function toUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
