/** Where a request's body names files of the gateway, so that errors can say which field they mean. */

import { FILE_ID_PREFIX } from "../../../shared/files.ts";

/** Deeper than any client nests content. */
const MAX_DEPTH = 12;

/** Path of the field by file id, the first one of each; undefined for a body that names none, as nearly all do. */
export function fileFieldsOf(text: string, body: unknown): ReadonlyMap<string, string> | undefined {
  if (!text.includes(FILE_ID_PREFIX)) return undefined;
  const fields = new Map<string, string>();
  collect(fields, { value: body, path: "", depth: 0 });
  return fields;
}

interface Place {
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
}

function collect(fields: Map<string, string>, { value, path, depth }: Place): void {
  if (typeof value === "string") {
    if (value.startsWith(FILE_ID_PREFIX) && path.endsWith("file_id") && !fields.has(value)) {
      fields.set(value, path);
    }
    return;
  }
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return;
  for (const [key, inner] of Object.entries(value)) {
    const name = Array.isArray(value) ? `[${key}]` : path === "" ? key : `.${key}`;
    collect(fields, { value: inner, path: path + name, depth: depth + 1 });
  }
}
