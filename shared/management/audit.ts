/** The audit log: who changed what, and when. */

import * as z from "zod";
import { keyHashSchema, keyKindSchema, momentSchema, timestampSchema } from "../keys.ts";
import { type ApiOperation, pageQuery } from "./operation.ts";

export const auditSchema = z.object({
  id: z.string(),
  at: timestampSchema,
  /** A row of the table, `keys.update`. */
  operation: z.string(),
  /** Who: the kind of credential and its hash; null for what the gateway does by itself. */
  actor: z.object({ kind: keyKindSchema, key_hash: keyHashSchema }).nullable(),
  request_id: z.string().nullable(),
  /** What: the kind of record and its id. */
  subject: z.object({ type: z.string(), id: z.string() }),
  /** Records as the API shows them; null where there was or is none. Never a secret. */
  before: z.unknown(),
  after: z.unknown(),
});
export type AuditRow = z.infer<typeof auditSchema>;

const filter = z.string().max(512).transform((text) => text === "" ? undefined : text).optional();
const moment = z.union([z.literal("").transform(() => undefined), momentSchema]).optional();

export const auditApi = {
  "audit.list": {
    method: "GET",
    path: "/audit",
    who: ["management"],
    errors: "other",
    summary:
      "Lists changes, the youngest first. Looks through at most 20,000; `since` and `until` reach further back.",
    verb: "list changes",
    query: z.object({
      ...pageQuery,
      operation: filter,
      subject_type: filter,
      subject_id: filter,
      actor: filter,
      since: moment,
      until: moment,
    }),
    output: z.object({ data: z.array(auditSchema), total_count: z.int() }),
  },
} as const satisfies Record<string, ApiOperation>;
