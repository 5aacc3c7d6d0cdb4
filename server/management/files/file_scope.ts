/** Which files a caller reaches: an API key those that it has made, a management key those of the workspace it names. */

import { ApiError } from "../../../shared/errors.ts";
import { FILE_ID_PREFIX, isGatewayFileId } from "../../../shared/files.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import type { FileRow } from "../../storage/files/file_rows.ts";
import type { FileStore } from "../../storage/files/file_store.ts";
import type { Store, VersionCheck } from "../../storage/stores/store.ts";
import { type OperationInput, pathParameter } from "../core/operation.ts";
import { ledgerIdOf } from "../keys/key_lineage.ts";
import { keyCollection, type KeyRow } from "../keys/key_rows.ts";
import {
  defaultWorkspaceId,
  findTargetWorkspace,
  noDefaultWorkspace,
} from "../workspaces/default_workspace.ts";
import { lookUpWorkspace } from "../workspaces/workspace_lookup.ts";

export interface FileScope {
  readonly workspaceId: string;
  /** Ledger id of the API key that asks; undefined: all files of the workspace. */
  readonly keyId?: string;
  /** The API key that asks. */
  readonly key?: KeyRow;
}

interface ScopeInput extends Pick<OperationInput, "caller"> {
  readonly query: { readonly workspace_id?: string };
  /** For error sentences: `list files`. */
  readonly verb: string;
}

/** Throws an ApiError (400) where there is no such workspace, or not for this key. */
export async function fileScope(store: Store, { caller, query, verb }: ScopeInput): Promise<FileScope> {
  const workspaceId = await namedWorkspace(store, { query, verb, fallback: caller });
  if (caller.kind !== "api") return { workspaceId };
  // Another workspace than its own is no workspace to an API key.
  if (workspaceId !== caller.workspaceId) throw noWorkspace(query.workspace_id, verb);
  const key = (await keyCollection(store).get(caller.keyHash))?.record;
  return { workspaceId, key, keyId: key === undefined ? caller.keyHash : ledgerIdOf(key) };
}

interface NamedWorkspace extends Pick<ScopeInput, "query" | "verb"> {
  readonly fallback: ScopeInput["caller"];
}

async function namedWorkspace(
  store: Store,
  { query: { workspace_id: ref }, verb, fallback }: NamedWorkspace,
): Promise<string> {
  if (ref === undefined) {
    if (fallback.kind === "api") return fallback.workspaceId;
    const id = await defaultWorkspaceId(store);
    if (id === undefined) throw noDefaultWorkspace(verb);
    return id;
  }
  const found = await lookUpWorkspace(store, ref);
  if (found === undefined || found.record.state === "deleting") throw noWorkspace(ref, verb);
  return found.record.id;
}

function noWorkspace(ref: string | undefined, verb: string): ApiError {
  return new ApiError(
    "invalid_request",
    `Cannot ${verb}: workspace_id is ${formatValue(ref)}, and there is no such workspace`,
    { metadata: { path: "workspace_id" } },
  );
}

/** For the commit that makes a file: the workspace is not being deleted. Throws an ApiError (400). */
export async function workspaceCheck(store: Store, workspaceId: string): Promise<VersionCheck> {
  return (await findTargetWorkspace(store, { id: workspaceId, verb: "upload file" })).check;
}

/** The file of the path. Throws an ApiError (404), the same for what is not there and what is not theirs. */
export async function requireFile(
  files: Pick<FileStore, "find">,
  { scope, input }: { readonly scope: FileScope; readonly input: Pick<OperationInput, "params"> },
): Promise<FileRow> {
  const id = pathParameter(input, "file_id");
  const row = isGatewayFileId(id)
    ? await files.find(scope.workspaceId, id.slice(FILE_ID_PREFIX.length))
    : undefined;
  if (row !== undefined && (scope.keyId === undefined || row.key_id === scope.keyId)) return row;
  throw new ApiError("not_found", "There is no file with this id.");
}
