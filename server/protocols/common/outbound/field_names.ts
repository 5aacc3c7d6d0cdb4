/** Refusals of what comes after parsing name fields as POST /responses calls them; other APIs have words of their own. */

import type { ApiErrorDetails } from "../../../../shared/errors.ts";
import { isRecord } from "../../../../shared/util/json.ts";

/** Field of POST /responses → what this API calls it. */
type FieldNames = ReadonlyMap<string, string>;

/** The conversation, as chat and Messages call it. */
export const messagesForInput: FieldNames = new Map([["input", "messages"]]);

/** `metadata.path` and `availability.constraint.field` in the words of an API. */
export function withFieldNames(details: ApiErrorDetails, names: FieldNames): ApiErrorDetails {
  const { metadata, availability } = details;
  const path = renamed(metadata?.path, names);
  const constraint = availability?.constraint;
  const field = isRecord(constraint) ? renamed(constraint.field, names) : undefined;
  if (path === undefined && field === undefined) return details;
  return {
    ...details,
    metadata: path === undefined ? metadata : { ...metadata, path },
    availability: field === undefined || !isRecord(constraint)
      ? availability
      : { ...availability, constraint: { ...constraint, field } },
  };
}

const renamed = (path: unknown, names: FieldNames): string | undefined =>
  typeof path === "string" ? names.get(path) : undefined;
