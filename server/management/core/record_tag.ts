/**
 * The version of a record as an entity tag (RFC 9110, 8.8.3): made of what operations change, so that spend, which
 * changes with every request, leaves it alone.
 */

import { hash } from "node:crypto";
import { ApiError } from "../../../shared/errors.ts";
import type { OperationInput } from "./operation.ts";

/** Members that are counted and not set. */
const counted = /^(?:byok_)?usage(?:_|$)|^limit_remaining$/;

type TaggedRecord = Readonly<Record<string, unknown>>;

/** The tag of a record as the API shows it. */
export function recordTag(record: TaggedRecord): string {
  const { created_at, updated_at } = record;
  const kept = Object.entries({ ...record, updated_at: updated_at ?? created_at })
    .filter(([name, value]) => !counted.test(name) && value !== undefined)
    .sort(([a], [b]) => a < b ? -1 : 1);
  return `"${hash("sha256", JSON.stringify(kept), "base64url").slice(0, 22)}"`;
}

interface MatchOptions {
  /** The record as it is now. */
  readonly record: TaggedRecord;
  /** `key`, for the sentence. */
  readonly subject: string;
}

/** Throws an ApiError (conflict) unless `If-Match` is absent, `*`, or names this version. */
export function assertIfMatch(
  { header }: Pick<OperationInput, "header">,
  { record, subject }: MatchOptions,
): void {
  const list = header("if-match");
  if (list === null || list.trim() === "*") return;
  // Weak tags never match here (RFC 9110, 13.1.1).
  if (list.split(",").some((tag) => tag.trim() === recordTag(record))) return;
  throw new ApiError(
    "conflict",
    `The ${subject} was changed by somebody else a moment ago. Reload to see their change, then edit again.`,
    { metadata: { conflict: true } },
  );
}
