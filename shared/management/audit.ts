/** The audit log: who changed what, and when. */

import * as z from "zod";
import { keyHashSchema, keyKindSchema, timestampInputSchema, timestampSchema } from "../keys.ts";
import { formatQuery } from "./exports.ts";
import { type ManagementOperation, pageQuery } from "./operation.ts";

export const auditRowSchema = z.object({
  id: z.string(),
  at: timestampSchema,
  /** A row of the table, `keys.update`. */
  operation: z.string(),
  /** Actor: the kind of credential and its hash; null for what the gateway does by itself. */
  actor: z.object({
    kind: keyKindSchema,
    key_hash: keyHashSchema,
    /** The session of the console through which the key acted. */
    session: z.string().optional(),
  }).nullable(),
  request_id: z.string().nullable(),
  /** Subject: the kind of record and its id. */
  subject: z.object({ type: z.string(), id: z.string() }),
  /** Records as the API shows them; null where there was or is none. Never a secret. */
  before: z.unknown(),
  after: z.unknown(),
});
export type AuditRow = z.infer<typeof auditRowSchema>;

const filter = z.string().max(512).transform((text) => text === "" ? undefined : text).optional();
const moment = z.union([z.literal("").transform(() => undefined), timestampInputSchema]).optional();

const filters = {
  operation: filter,
  subject_type: filter,
  subject_id: filter,
  actor: filter,
  since: moment,
  until: moment,
};

export const auditApi = {
  "audit.list": {
    method: "GET",
    path: "/audit",
    who: ["management"],
    errors: "other",
    summary:
      "Lists audit entries, newest first. Scans at most 20,000; use `since` and `until` to go further back.",
    verb: "list changes",
    query: z.object({ ...pageQuery, ...filters }),
    output: z.object({
      data: z.array(auditRowSchema),
      total_count: z.int(),
      /** Entries before this moment were not looked at; null where all were. */
      scanned_until: timestampSchema.nullable(),
    }),
  },
  "audit.export": {
    method: "GET",
    path: "/audit/export",
    who: ["management"],
    errors: "other",
    summary: "Downloads audit entries as CSV or JSON lines, newest first, by the filters of the list.",
    verb: "export changes",
    query: z.object({ ...filters, format: formatQuery }),
    output: "bytes",
  },
} as const satisfies Record<string, ManagementOperation>;
