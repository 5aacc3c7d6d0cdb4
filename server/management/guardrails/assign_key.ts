/** Gives a key a guardrail of its own, or takes it away, as the assignment operations do. */

import type { ManagementDeps } from "../core/management_deps.ts";
import { retryOnConflict } from "../core/write.ts";
import type { KeyRow } from "../keys/key_rows.ts";
import { type Assigning, assignOne, keys } from "./assignment_operations.ts";

interface KeyGuardrailInput {
  readonly input: Pick<Assigning["input"], "caller" | "requestId">;
  readonly row: KeyRow;
  /** Null: none. */
  readonly guardrailId: string | null;
}

/** Throws an ApiError where there is no such guardrail, or the key cannot have it. */
export async function assignKeyGuardrail(
  deps: ManagementDeps,
  { input: { caller, requestId }, row, guardrailId }: KeyGuardrailInput,
): Promise<void> {
  const id = guardrailId ?? row.guardrail?.guardrail_id;
  if (id === undefined) return;
  await retryOnConflict(deps.runtime, () =>
    assignOne(deps, {
      input: { caller, requestId, params: { id } },
      kind: keys,
      operation: guardrailId === null ? "remove" : "add",
      target: row.hash,
    }));
}
