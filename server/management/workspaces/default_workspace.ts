/** In which workspace a new record belongs: the one that is named, else the default one. */

import { ApiError } from "../../../shared/errors.ts";
import type { Store, VersionCheck } from "../../storage/stores/store.ts";
import { INSTALLATION_ID, installationCollection } from "../core/installation.ts";
import { workspaceCollection } from "./workspace_rows.ts";

interface TargetWorkspaceOptions {
  /** A UUID. */
  readonly id: string | undefined;
  /** For API errors: `create key`. */
  readonly verb: string;
}

/** The workspace that the first start made; undefined once it is gone. None is made in its place. */
export async function defaultWorkspaceId(store: Store): Promise<string | undefined> {
  const installed = await installationCollection(store).get(INSTALLATION_ID);
  if (!installed) return undefined;
  const id = installed.record.workspace_id;
  const found = await workspaceCollection(store).get(id);
  return found && found.record.state !== "deleting" ? id : undefined;
}

interface TargetWorkspaceResult {
  readonly id: string;
  /** Belongs into the commit: the workspace is as it was when it was looked at, and not being deleted. */
  readonly check: VersionCheck;
}

/** Throws an ApiError (400) when there is no such workspace, or not for long. */
export async function findTargetWorkspace(
  store: Store,
  { id, verb }: TargetWorkspaceOptions,
): Promise<TargetWorkspaceResult> {
  const wanted = id ?? await defaultWorkspaceId(store);
  if (wanted === undefined) throw noDefaultWorkspace(verb);
  const rows = workspaceCollection(store);
  const found = await rows.get(wanted);
  if (found?.record.state === "active") return { id: wanted, check: rows.check([wanted], found.version) };
  throw new ApiError(
    "invalid_request",
    `Cannot ${verb}: workspace_id is ${wanted}, and there is no such workspace`,
    { metadata: { path: "workspace_id" } },
  );
}

/** For whatever relies on the default workspace after it is gone. */
export function noDefaultWorkspace(verb: string): ApiError {
  return new ApiError(
    "invalid_request",
    `Cannot ${verb}: workspace_id is missing, and there is no default workspace any more: name one`,
    { metadata: { path: "workspace_id" } },
  );
}
