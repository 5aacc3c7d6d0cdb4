/** POST /keys: by a management key for any workspace, by a client secret for the users of its client. */

import type { keyApi } from "../../../shared/management/keys.ts";
import type { OperationBody } from "../../../shared/management/operation.ts";
import { ApiError } from "../../../shared/errors.ts";
import type { KeyRecord } from "../../../shared/keys.ts";
import type { VersionCheck } from "../../storage/stores/store.ts";
import type { OperationInput } from "../core/operation.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { findTargetWorkspace } from "../workspaces/default_workspace.ts";
import { commitKey } from "./commit_key.ts";
import { keyPuts } from "./lists/key_index.ts";
import { serializeKey, zeroSpend } from "./key_record.ts";
import { encodeLimit, keyCollection, type KeyRow, keyScope, newKeyRow, newToken } from "./key_rows.ts";
import { assertSelfTestLimit } from "./self_test_limit.ts";
import { retryOnConflict, WRITE_CONFLICT } from "../core/write.ts";

type Create = typeof keyApi["keys.create"];
type CreatedKey = { readonly data: KeyRecord; readonly key: string };

const VERB = "create key";

/** For whom a key is made outside of the gateway, and the text that is to be its key. */
interface External {
  readonly user: string;
  readonly key?: string;
}

function invalid(path: string, message: string): ApiError {
  return new ApiError("invalid_request", `Cannot ${VERB}: ${path} ${message}`, { metadata: { path } });
}

/** `external`, or the flat spelling; both at once are one too many. */
function externalOf(
  { external, external_user, external_api_key }: OperationBody<Create>,
): External | undefined {
  if (external === undefined) {
    if (external_user !== undefined) return { user: external_user, key: external_api_key };
    if (external_api_key === undefined) return undefined;
    throw invalid("external_user", "is missing; external_api_key needs it");
  }
  if (external_user === undefined && external_api_key === undefined) {
    return { user: external.user, key: external.api_key };
  }
  throw invalid("external", "is given beside external_user or external_api_key; one spelling is allowed");
}

/** Checks who may name an owner: only client secrets make keys for users elsewhere, and nothing but those. */
function assertOwner({ caller, body }: OperationInput<Create>, external: External | undefined): void {
  if (caller.kind === "client") {
    if (body.self_test) {
      throw new ApiError("forbidden", "Only management keys can create keys with self_test.");
    }
    if (external === undefined) throw invalid("external_user", "is missing; a client secret needs it");
    return;
  }
  if (external === undefined) return;
  throw new ApiError("forbidden", "Only Connect client secrets can create keys for external users.");
}

export async function createKey(deps: ManagementDeps, input: OperationInput<Create>): Promise<CreatedKey> {
  const { body, caller } = input;
  const external = externalOf(body);
  // Before anything else of the body is judged: what this credential may not do at all is 403.
  if (external !== undefined || caller.kind === "client") assertOwner(input, external);
  if (body.self_test) assertSelfTestLimit(body.limit ?? null, VERB);
  const { clock } = deps.runtime;
  if (typeof body.expires_at === "string" && Date.parse(body.expires_at) <= clock.now()) {
    throw invalid("expires_at", `is ${body.expires_at}; it must be in the future`);
  }
  const token = external?.key ?? newToken("api", deps.runtime);
  return await retryOnConflict(deps.runtime, () => tryCreate(deps, { input, token, external }));
}

interface Attempt {
  readonly input: OperationInput<Create>;
  readonly token: string;
  readonly external: External | undefined;
}

async function tryCreate(deps: ManagementDeps, wanted: Attempt): Promise<CreatedKey | typeof WRITE_CONFLICT> {
  const { store } = deps;
  const { input, token } = wanted;
  const home = await targetWorkspace(deps, input);
  const row = rowOf(wanted, { workspaceId: home.workspaceId, now: deps.runtime.clock.now() });
  const rows = keyCollection(store);
  if (await rows.get(row.hash)) throw invalid("external_api_key", "is in use already");
  // A text that was a key before goes on with what was spent with it.
  const spend = wanted.external?.key === undefined ? zeroSpend : await deps.ledger.readSpend(keyScope(row));
  const made: CreatedKey = { data: serializeKey(row, spend), key: token };
  const claim = input.idempotency?.kept(made);
  const done = await commitKey(deps, {
    input,
    operation: "keys.create",
    after: row,
    checks: [rows.check([row.hash], null), ...home.checks, ...(claim?.checks ?? [])],
    puts: [...keyPuts(store, row), ...(claim?.puts ?? [])],
  });
  return done ? made : WRITE_CONFLICT;
}

interface TargetWorkspace {
  readonly workspaceId: string;
  /** That the workspace stays, and the client that asks. */
  readonly checks: readonly VersionCheck[];
}

async function targetWorkspace(
  { store }: ManagementDeps,
  { caller, body }: OperationInput<Create>,
): Promise<TargetWorkspace> {
  const mine = caller.kind === "client" ? caller.workspaceId : undefined;
  if (mine !== undefined && body.workspace_id !== undefined && body.workspace_id !== mine) {
    throw new ApiError("forbidden", "A client secret creates keys in the workspace of its client only.");
  }
  const home = await findTargetWorkspace(store, { id: mine ?? body.workspace_id, verb: VERB });
  if (caller.kind !== "client") return { workspaceId: home.id, checks: [home.check] };
  const secret = await keyCollection(store).get(caller.keyHash);
  if (!secret) throw new ApiError("unauthorized", "The client secret was removed a moment ago.");
  const stays = keyCollection(store).check([caller.keyHash], secret.version);
  return { workspaceId: home.id, checks: [home.check, stays] };
}

function rowOf(
  { input: { body, caller }, token, external }: Attempt,
  { workspaceId, now }: { readonly workspaceId: string; readonly now: number },
): KeyRow {
  return {
    ...newKeyRow({ kind: "api", token, name: body.name, workspaceId }, now),
    ...encodeLimit(body.limit ?? null),
    limit_reset: body.limit_reset ?? null,
    include_byok_in_limit: body.include_byok_in_limit ?? false,
    cache_enabled: body.cache_enabled ?? false,
    cache_ttl_seconds: body.cache_ttl_seconds ?? null,
    expires_at: body.expires_at ?? null,
    creator_user_id: body.creator_user_id ?? null,
    self_test: body.self_test ?? false,
    external_user: external?.user ?? null,
    client_id: caller.kind === "client" ? caller.clientId : null,
  };
}
