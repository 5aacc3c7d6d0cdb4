/** `GET /playground/key`, and the caller of runs in the console's playground. */

import { ApiError } from "../../../shared/errors.ts";
import type { Caller } from "../../../shared/keys.ts";
import type { playgroundApi } from "../../../shared/management/gateway/playground.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import type { OperationHandlers, OperationInput } from "../core/operation.ts";
import { applicableGuardrails } from "../guardrails/guardrail_policy.ts";
import { serializeLimit, serializeSpend } from "../keys/key_record.ts";
import { keyCollection, type KeyRow, keyScope } from "../keys/key_rows.ts";
import { peekSystemKey, systemKey } from "./system_keys.ts";

type Api = typeof playgroundApi;
type PlaygroundDeps = Pick<ManagementDeps, "store" | "runtime" | "ledger">;

const VERB = "run playground";

export function playgroundOperations(deps: PlaygroundDeps): OperationHandlers<Api> {
  return { "playground.key": async (input) => ({ data: await showKey(deps, input) }) };
}

async function showKey(deps: PlaygroundDeps, input: OperationInput<Api["playground.key"]>) {
  const { row, isMade } = await keyOf(deps, input);
  const [spend, guardrails] = await Promise.all([
    deps.ledger.readSpend(keyScope(row)),
    applicableGuardrails(deps.store, row),
  ]);
  const { hash, name, label, disabled, workspace_id } = row;
  return {
    hash: isMade ? hash : null,
    name,
    label: isMade ? label : null,
    disabled,
    workspace_id,
    ...serializeLimit(row, spend),
    ...serializeSpend(spend),
    guardrails: guardrails.map(({ id, name }) => ({ id, name })),
  };
}

async function keyOf(
  deps: PlaygroundDeps,
  { caller, query: { workspace_id: workspaceId } }: OperationInput<Api["playground.key"]>,
): Promise<{ readonly row: KeyRow; readonly isMade: boolean }> {
  if (caller.kind !== "api") {
    return await peekSystemKey(deps, { purpose: "playground", workspaceId, verb: VERB });
  }
  const found = await keyCollection(deps.store).get(caller.keyHash);
  if (found === undefined) throw new ApiError("unauthorized", "The key was removed a moment ago.");
  return { row: found.record, isMade: true };
}

export interface PlaygroundRun {
  /** Holder of the session. */
  readonly caller: Caller;
  /** UUID of the workspace for which a manager runs it; the default workspace where it is undefined. */
  readonly workspaceId: string | undefined;
  /** `req_…`, for the audit log. */
  readonly requestId: string;
}

/**
 * The caller of a run: the own key of a key holder, or the system key of the manager's workspace, made at first use.
 * Throws an ApiError: 403 for a read-only manager, 400 where there is no such workspace or the key is disabled.
 */
export async function playgroundCaller(
  deps: ManagementDeps,
  { caller, workspaceId, requestId }: PlaygroundRun,
): Promise<Caller> {
  if (caller.kind === "api") return caller;
  if (caller.kind === "management" && caller.readOnly === true) {
    throw new ApiError(
      "forbidden",
      "This management key is read-only: it can look at everything and run nothing in the playground.",
    );
  }
  const input = { caller, requestId };
  const key = await systemKey(deps, { purpose: "playground", workspaceId, input, verb: VERB });
  return {
    kind: "api",
    keyHash: key.hash,
    workspaceId: key.workspace_id,
    managementKeyHash: caller.keyHash,
    session: caller.session,
  };
}
