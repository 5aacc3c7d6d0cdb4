/** Cursors of key lists: where the next page begins, as text that clients hand back unread. */

import * as z from "zod";
import { ApiError } from "../../../../shared/errors.ts";
import { keySorts } from "../../../../shared/management/lists/key_sorts.ts";
import { keyHashSchema } from "../../../../shared/keys.ts";

const cursorSchema = z.strictObject({
  sort: z.enum(keySorts),
  /** Places in a list that is in memory. */
  offset: z.int().min(0).max(1_000_000).optional(),
  /** Behind this key: `at` is when it was made (ms since the epoch), `text` its folded name. */
  at: z.number().optional(),
  text: z.string().max(500).optional(),
  hash: keyHashSchema.optional(),
});
export type KeyCursor = z.infer<typeof cursorSchema>;

export function encodeKeyCursor(cursor: KeyCursor): string {
  return new TextEncoder().encode(JSON.stringify(cursor)).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });
}

/** Throws an ApiError (400) for what is no cursor, or one of a list that is sorted otherwise. */
export function decodeKeyCursor(text: string, sort: KeyCursor["sort"]): KeyCursor {
  const parsed = cursorSchema.safeParse(parse(text));
  if (parsed.success && parsed.data.sort === sort) return parsed.data;
  throw new ApiError(
    "invalid_request",
    "Cannot list keys: cursor is not the `next` of a page of this list",
    { metadata: { path: "cursor" } },
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(text, { alphabet: "base64url" })));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
