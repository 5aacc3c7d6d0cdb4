/** How the management operations are written: one function a row of shared/management/api.ts, and what it is given. */

import type { ApiOperation, Body, Output, Query } from "../../../shared/management/operation.ts";
import type { Caller } from "../../../shared/keys.ts";
import { ownValue } from "../../../shared/util/own_value.ts";
import type { Check, Put } from "../../stores/store.ts";

/**
 * The claim that an `Idempotency-Key` gives. Its parts belong into the commit that does the work, so that either
 * both are there or neither; an operation that leaves them out has its answer written behind it.
 */
export interface Claim {
  /** The parts of the commit that keep this answer for the next call with the same key. */
  kept(output: unknown): { readonly checks: readonly Check[]; readonly puts: readonly Put[] };
}

/** One call of an operation, read and checked. */
export interface Asked<O extends ApiOperation = ApiOperation> {
  readonly caller: Caller;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query<O>;
  readonly body: Body<O>;
  /** `req_…`, for the audit log. */
  readonly requestId: string;
  /** Where the row is `idempotent` and the caller sent a key. */
  readonly claim?: Claim;
}

export type Act<O extends ApiOperation> = (asked: Asked<O>) => Promise<Output<O>>;

/** Handlers of a table of operations: the compiler asks for every one. */
export type Acts<T extends Readonly<Record<string, ApiOperation>>> = {
  readonly [K in keyof T]: Act<T[K]>;
};

/** A path parameter that the row's path names. */
export function param({ params }: Pick<Asked, "params">, name: string): string {
  const value = ownValue(params, name);
  if (value === undefined) throw new Error(`Cannot act: the path has no :${name}`);
  return value;
}
