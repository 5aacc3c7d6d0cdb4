/** Ids of calls for wires that take letters, digits, `_` and `-` only. */

import { appendDigest } from "./shorten_name.ts";

const MOST = 64;

/** The id itself where it fits; always the same for the same one, and never that of another. */
export function toWireCallId(callId: string): string {
  const clean = callId.replace(/[^a-zA-Z0-9_-]/g, "_");
  if (clean === callId && callId !== "" && callId.length <= MOST) return callId;
  return appendDigest(clean, { of: callId, limit: MOST });
}
