/** Translates the errors of PostgreSQL and its client. Nothing here quotes a password. */

import { ownValue } from "../../../../shared/util/own_value.ts";
import type { PostgresAddress } from "../../../config/store_address.ts";
import { systemReason } from "../../../../shared/util/system_reason.ts";
import { StoreError, type StoreErrorKind } from "../store.ts";

/** Raised by our own function (setup.ts): a check of the commit does not hold. */
export const CHECK_FAILED_STATE = "TG001";
/** Deadlock and serialization failure: nothing was written and the same commit may be tried again. */
export const RETRYABLE_STATES: ReadonlySet<string> = new Set(["40P01", "40001"]);

/** SQLSTATE or code of the client → kind; everything else is `unavailable`. */
const kinds: Readonly<Record<string, StoreErrorKind>> = {
  // The server ended a statement that took longer than the deadline.
  "57014": "timeout",
  // Damaged data or index.
  XX001: "corrupt",
  XX002: "corrupt",
  // Schema, table, function or sequence was dropped while the gateway runs.
  "3F000": "lost",
  "42P01": "lost",
  "42883": "lost",
};

/** The SQLSTATE or the client's code of what was thrown. */
export function errorCode(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

export function toPostgresStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const kind = ownValue(kinds, errorCode(error)) ?? "unavailable";
  return new StoreError(kind, `The store failed: ${systemReason(error) || errorCode(error)}`, {
    cause: error,
  });
}

/** `user@host:5432/database`: the address without its password. */
export function displayAddress({ hosts, user, database }: PostgresAddress): string {
  const places = hosts.map(({ host, port }) => `${host.includes(":") ? `[${host}]` : host}:${port}`);
  return `${user}@${places.join(",")}/${database}`;
}

const remedies: Readonly<Record<string, string>> = {
  "28P01": "the user or the password is wrong",
  "28000": "the server does not let this user in from here",
  "3D000": "there is no such database, make an empty one first",
  "42501": "the user may not create a schema in the database, grant it that",
  "53300": "the server has no connection free",
  "57P03": "the server is starting or stopping",
  ECONNREFUSED: "no server listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the host's name cannot be looked up",
  CONNECT_TIMEOUT: "no server answers there",
};

/** Why a start failed, in one sentence that names the setting. */
export function cannotOpenPostgres(address: PostgresAddress, cause: unknown): StoreError {
  const { kind, message } = toPostgresStoreError(cause);
  const why = ownValue(remedies, errorCode(cause)) ?? message;
  return new StoreError(
    kind,
    `Cannot open the store at ${displayAddress(address)} (TOLLGATE_STORE): ${why}`,
    {
      cause,
    },
  );
}
