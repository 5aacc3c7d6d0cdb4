/** `PATCH /keys`: one change of many keys, each in commits of its own. */

import { ApiError } from "../../../shared/errors.ts";
import type { BulkOutcome, keyApi } from "../../../shared/management/keys.ts";
import type { OperationBody, OperationOutput } from "../../../shared/management/operation.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import type { OperationInput } from "../core/operation.ts";
import { throwStoreUnavailable } from "../core/store_errors.ts";
import { assignKeyGuardrail } from "../guardrails/assign_key.ts";
import { requireKey } from "./key_access.ts";
import { readKeyRecord } from "./key_record.ts";
import type { KeyRow } from "./key_rows.ts";
import { assertSelfTestLimit } from "./self_test_limit.ts";

type BulkOperation = typeof keyApi["keys.update_many"];
type Changes = OperationBody<BulkOperation>["changes"];

/** Fields of a key's row that changes name; those that are absent stay. */
export type KeyFieldChanges = OperationBody<typeof keyApi["keys.update"]> & Omit<Changes, "guardrail_id">;

/** A change of the key that the path names. */
export interface KeyChangeInput extends Pick<OperationInput, "caller" | "params" | "requestId"> {
  readonly body: KeyFieldChanges;
}

interface ManyInput {
  readonly input: OperationInput<BulkOperation>;
  /** Rejects with an ApiError where the key is not changed. */
  readonly update: (one: KeyChangeInput) => Promise<KeyRow>;
}

/** In the order of the hashes; a hash that is named twice counts once. */
export async function updateMany(
  deps: ManagementDeps,
  { input, update }: ManyInput,
): Promise<OperationOutput<BulkOperation>> {
  const data: BulkOutcome[] = [];
  for (const hash of new Set(input.body.hashes)) {
    data.push(await outcomeOf(hash, () => changeOne(deps, { input, update, hash })));
  }
  return { data };
}

async function outcomeOf(hash: string, change: () => Promise<BulkOutcome["key"]>): Promise<BulkOutcome> {
  try {
    return { hash, key: await change().catch(throwStoreUnavailable), error: null };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { hash, key: null, error: { code: error.status, message: error.message } };
  }
}

async function changeOne(
  deps: ManagementDeps,
  { input, update, hash }: ManyInput & { readonly hash: string },
): Promise<BulkOutcome["key"]> {
  const { guardrail_id: guardrailId, ...body } = input.body.changes;
  const { caller, requestId } = input;
  const one = { caller, requestId, params: { hash } };
  const { record } = await requireKey(deps, one);
  // What refuses the rest of the change refuses the guardrail too.
  if (record.self_test && body.limit !== undefined) assertSelfTestLimit(body.limit, "update keys");
  if (guardrailId !== undefined) await assignKeyGuardrail(deps, { input: one, row: record, guardrailId });
  return await readKeyRecord(deps, await update({ ...one, body }));
}
