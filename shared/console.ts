/** Sessions of the console as they go over the wire. */

import * as z from "zod";
import { timestampSchema } from "./keys.ts";

/** Kinds of session: a management key's holder sees everything, an API key's holder that key alone. */
const sessionKinds = ["management", "api"] as const;
export const sessionKindSchema = z.enum(sessionKinds);
export type SessionKind = z.infer<typeof sessionKindSchema>;

/**
 * Why there is no session: none was presented, it was not used for 30 minutes, 8 hours are over, it was signed out or
 * ended by somebody, or its key was disabled, rotated, deleted or has expired.
 */
const sessionEndReasons = ["none", "idle", "expired", "ended", "key"] as const;
export type SessionEndReason = (typeof sessionEndReasons)[number];

const sessionShape = {
  /** Names the session in lists and in the audit log; it is no secret. */
  id: z.string(),
  kind: sessionKindSchema,
  /** May look and change nothing. */
  read_only: z.boolean(),
  /** The key's name and label. */
  name: z.string(),
  label: z.string(),
  key_hash: z.string(),
  /** Workspace of an API key; null for management keys, which are for all workspaces. */
  workspace_id: z.string().nullable(),
  created_at: timestampSchema,
  /** Eight hours after it was made. */
  expires_at: timestampSchema,
  /** When it ends unless it is used. */
  idle_expires_at: timestampSchema,
};

/** The caller's own session. */
export const consoleSessionSchema = z.object({
  ...sessionShape,
  /** Value that `X-CSRF` of every change must have. */
  csrf: z.string(),
  /** Version of the gateway. */
  version: z.string(),
});
export type ConsoleSession = z.infer<typeof consoleSessionSchema>;

/** The answer to `GET /console/session`: no session is no error there, because every first visit has none. */
const sessionStateSchema = z.union([
  z.object({ data: consoleSessionSchema }),
  z.object({ data: z.null(), reason: z.enum(sessionEndReasons) }),
]);
export type SessionState = z.infer<typeof sessionStateSchema>;

export const sessionListEntrySchema = z.object({
  ...sessionShape,
  last_seen_at: timestampSchema,
  /** Address of the client that signed in. */
  address: z.string().nullable(),
  /** Whether it is the caller's own. */
  current: z.boolean(),
});
export type SessionListEntry = z.infer<typeof sessionListEntrySchema>;

/** A key, or the token of the one-time link that the first start prints. */
export const signInSchema = z.union([
  z.strictObject({ key: z.string().min(1).max(512) }),
  z.strictObject({ token: z.string().min(1).max(512) }),
]);

/** The answer to `DELETE /console/sessions`: how many others were ended. */
export interface EndedSessions {
  readonly data: { readonly ended: number };
}

/** The answer to `POST /console/session/link`: what stands behind the `#` of a link that signs in once. */
export interface SignInToken {
  readonly data: { readonly token: string; readonly expires_at: string };
}
