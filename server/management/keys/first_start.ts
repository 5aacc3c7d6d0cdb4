/**
 * The first start: a default workspace, a management key and an API key, in one commit that checks that the
 * store is new. Of two instances that start at once one wins; the other finds what the first has made.
 */

import type { KeyKind } from "../../../shared/keys.ts";
import { DEFAULT_WORKSPACE_SLUG } from "../../../shared/workspaces.ts";
import type { Store } from "../../stores/store.ts";
import { defaultGuardrailPut, ensureDefaultGuardrail } from "../guardrails/guardrail_rows.ts";
import {
  firstNames,
  INSTALLED,
  type Installed,
  type InstalledRows,
  installedRows,
  type StartOptions,
} from "../core/installation.ts";
import { fillKeyIndex, indexedMark, keyPuts as indexedPuts } from "./key_index.ts";
import { hashKey, type KeyRow, newKeyRow, newToken } from "./key_rows.ts";
import { replaceKeys } from "./replace_configured_keys.ts";
import { StartError } from "../core/start_error.ts";
import { workspaceRows, workspaceSlugs } from "../workspaces/workspace_rows.ts";

/** Texts of the keys that were generated: shown once, here, and never again. */
export interface Started {
  readonly first: boolean;
  readonly managementKey?: string;
  readonly apiKey?: string;
}

/** Throws a StartError that names the setting when the keys that are given cannot be used, or are needed. */
export async function firstStart(options: StartOptions): Promise<Started> {
  const installed = installedRows(options.store);
  if (!await installed.get(INSTALLED)) {
    const made = await install(options, installed);
    if (made) return made;
  }
  await replaceKeys({ ...options, installed });
  await fillKeyIndex(options.store, options.world.clock.now());
  await ensureDefaultGuardrail(options.store);
  return { first: false };
}

/** Undefined when another instance was faster. */
async function install(
  options: StartOptions,
  installed: InstalledRows,
): Promise<Started | undefined> {
  const { store, world, own, mayPrint } = options;
  const now = world.clock.now();
  const workspaceId = toUuid(world.id());
  const management = chosenKey("management", options);
  const api = own.api === undefined && !mayPrint ? undefined : chosenKey("api", options);
  const key = (kind: KeyKind, token: string) =>
    newKeyRow({ kind, token, name: firstNames[kind], workspaceId }, now);
  const rows = [key("management", management), ...(api === undefined ? [] : [key("api", api)])];
  const record: Installed = {
    at: new Date(now).toISOString(),
    workspace_id: workspaceId,
    management_hash: hashKey(management),
    api_hash: api === undefined ? null : hashKey(api),
  };
  const result = await store.commit({
    checks: [installed.check([INSTALLED], null)],
    puts: [
      installed.put([INSTALLED], record),
      ...keyPuts(store, rows),
      indexedMark(store, record.at),
      ...workspacePuts(store, record),
    ],
  });
  if (result.type === "conflict") return undefined;
  return {
    first: true,
    managementKey: own.management === undefined ? management : undefined,
    apiKey: own.api === undefined ? api : undefined,
  };
}

function chosenKey(kind: "management" | "api", { own, world, mayPrint }: StartOptions): string {
  const given = own[kind];
  if (given !== undefined) return given;
  if (mayPrint) return newToken(kind, world);
  throw new StartError(
    "TOLLGATE_MANAGEMENT_KEY is not set: what is printed here is kept in a log, so the first start needs a management " +
      "key from you, a secret of at least 32 characters",
  );
}

function keyPuts(store: Store, rows: readonly KeyRow[]) {
  return rows.flatMap((row) => indexedPuts(store, row));
}

function workspacePuts(store: Store, { at, workspace_id: id }: Installed) {
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
    workspaceRows(store).put([id], row),
    workspaceSlugs(store).put([slug], { id }),
    defaultGuardrailPut(store, { id, created_at: at }),
  ];
}

/** 32 hex digits with the hyphens of a UUID. */
function toUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
