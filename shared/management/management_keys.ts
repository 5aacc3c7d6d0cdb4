/** Operations on management keys, the read-only ones included. They reach every workspace. */

import * as z from "zod";
import { keyHashSchema, momentSchema, nameSchema, timestampSchema } from "../keys.ts";
import { type ApiOperation, deletedSchema, pageQuery } from "./operation.ts";

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
  expires_at: momentSchema.nullable().optional(),
});

const updateBody = z.strictObject({
  name: nameSchema,
  disabled: z.boolean(),
  read_only: z.boolean(),
  expires_at: momentSchema.nullable(),
}).partial();

const one = z.object({ data: managementKeySchema });
const asked = { who: ["management"], errors: "other" } as const;

export const managementKeyApi = {
  "management_keys.list": {
    ...asked,
    method: "GET",
    path: "/management-keys",
    summary: "Lists the management keys, the youngest first.",
    verb: "list management keys",
    query: z.object(pageQuery),
    output: z.object({ data: z.array(managementKeySchema), total_count: z.int() }),
  },
  "management_keys.create": {
    ...asked,
    method: "POST",
    path: "/management-keys",
    summary: "Makes a management key and shows its text, this once.",
    verb: "create management key",
    body: createBody,
    output: z.object({ data: managementKeySchema, key: z.string() }),
    status: 201,
  },
  "management_keys.update": {
    ...asked,
    method: "PATCH",
    path: "/management-keys/:hash",
    summary: "Changes what is given and leaves the rest. One key that can do everything has to remain.",
    verb: "update management key",
    body: updateBody,
    output: one,
  },
  "management_keys.delete": {
    ...asked,
    method: "DELETE",
    path: "/management-keys/:hash",
    summary: "Removes a management key for good. One key that can do everything has to remain.",
    verb: "delete management key",
    output: deletedSchema,
  },
} as const satisfies Record<string, ApiOperation>;
