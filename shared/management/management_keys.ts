/** Operations on management keys, the read-only ones included. They reach every workspace. */

import * as z from "zod";
import { keyHashSchema, nameSchema, timestampInputSchema, timestampSchema } from "../keys.ts";
import { deletedSchema, type ManagementOperation, pageQuery } from "./operation.ts";

export const managementKeySchema = z.object({
  hash: keyHashSchema,
  name: z.string(),
  /** Prefix and last three characters of the key. */
  label: z.string(),
  disabled: z.boolean(),
  /** May look at everything and change nothing. */
  read_only: z.boolean(),
  created_at: timestampSchema,
  updated_at: timestampSchema.nullable(),
  expires_at: timestampSchema.nullable(),
});
export type ManagementKey = z.infer<typeof managementKeySchema>;

const createBody = z.strictObject({
  name: nameSchema,
  read_only: z.boolean().default(false),
  expires_at: timestampInputSchema.nullable().optional(),
});

const updateBody = z.strictObject({
  name: nameSchema,
  disabled: z.boolean(),
  read_only: z.boolean(),
  expires_at: timestampInputSchema.nullable(),
}).partial();

const one = z.object({ data: managementKeySchema });
const requested = { who: ["management"], errors: "other" } as const;

export const managementKeyApi = {
  "management_keys.list": {
    ...requested,
    method: "GET",
    path: "/management-keys",
    summary: "Lists the management keys, the youngest first.",
    verb: "list management keys",
    query: z.object(pageQuery),
    output: z.object({ data: z.array(managementKeySchema), total_count: z.int() }),
  },
  "management_keys.create": {
    ...requested,
    method: "POST",
    path: "/management-keys",
    summary: "Creates a management key; its text is shown only once.",
    verb: "create management key",
    body: createBody,
    output: z.object({ data: managementKeySchema, key: z.string() }),
    status: 201,
  },
  "management_keys.update": {
    ...requested,
    method: "PATCH",
    path: "/management-keys/:hash",
    summary: "Updates the given fields. At least one full-access key must remain.",
    verb: "update management key",
    body: updateBody,
    output: one,
  },
  "management_keys.delete": {
    ...requested,
    method: "DELETE",
    path: "/management-keys/:hash",
    summary: "Deletes a management key. At least one full-access key must remain.",
    verb: "delete management key",
    output: deletedSchema,
  },
} as const satisfies Record<string, ManagementOperation>;
