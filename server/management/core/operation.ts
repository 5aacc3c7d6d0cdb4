/** How the management operations are written: one function a row of shared/management/api.ts, and what it is given. */

import type {
  ManagementOperation,
  OperationBody,
  OperationOutput,
  OperationQuery,
} from "../../../shared/management/operation.ts";
import type { Caller } from "../../../shared/keys.ts";
import { ownValue } from "../../../shared/util/own_value.ts";
import type { StorePut, VersionCheck } from "../../storage/stores/store.ts";

/**
 * The claim that an `Idempotency-Key` gives. Its parts belong into the commit that does the work, so that either
 * both are there or neither; an operation that leaves them out has its answer written behind it.
 */
export interface IdempotencyCommit {
  /** The parts of the commit that keep this answer for the next call with the same key. */
  kept(output: unknown): { readonly checks: readonly VersionCheck[]; readonly puts: readonly StorePut[] };
}

/** One call of an operation, read and checked. */
export interface OperationInput<O extends ManagementOperation = ManagementOperation> {
  readonly caller: Caller;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: OperationQuery<O>;
  readonly body: OperationBody<O>;
  /** A header of the request; null where it is missing. */
  readonly header: (name: string) => string | null;
  /** `req_…`, for the audit log. */
  readonly requestId: string;
  /** Where the row is `idempotent` and the caller sent a key. */
  readonly idempotency?: IdempotencyCommit;
}

type OperationHandler<O extends ManagementOperation> = (
  input: OperationInput<O>,
) => Promise<OperationOutput<O>>;

/** Handlers of a table of operations: the compiler asks for every one. */
export type OperationHandlers<T extends Readonly<Record<string, ManagementOperation>>> = {
  readonly [K in keyof T]: OperationHandler<T[K]>;
};

/** A path parameter that the row's path names. */
export function pathParameter({ params }: Pick<OperationInput, "params">, name: string): string {
  const value = ownValue(params, name);
  if (value === undefined) throw new Error(`Cannot act: the path has no :${name}`);
  return value;
}
