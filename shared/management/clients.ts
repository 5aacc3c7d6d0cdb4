/** Connect clients: applications that make keys for their own users and reach no others. */

import * as z from "zod";
import { keyRecordSchema, nameSchema, timestampSchema } from "../keys.ts";
import { deletedSchema, type ManagementOperation, pageQuery } from "./operation.ts";

export const connectClientSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  /** Where its keys are made. */
  workspace_id: z.uuid(),
  /** Prefix and last three characters of its secret; null once it is revoked. */
  label: z.string().nullable(),
  created_at: timestampSchema,
  updated_at: timestampSchema.nullable(),
  revoked_at: timestampSchema.nullable(),
});
export type ConnectClient = z.infer<typeof connectClientSchema>;

const withSecret = z.object({ data: connectClientSchema, secret: z.string() });
const requested = { who: ["management"], errors: "other" } as const;

export const clientApi = {
  "clients.list": {
    ...requested,
    method: "GET",
    path: "/connect/clients",
    summary: "Lists the Connect clients, oldest first.",
    verb: "list clients",
    query: z.object(pageQuery),
    output: z.object({ data: z.array(connectClientSchema), total_count: z.int() }),
  },
  "clients.create": {
    ...requested,
    method: "POST",
    path: "/connect/clients",
    summary: "Registers a Connect client; its secret is shown only once.",
    verb: "create client",
    body: z.strictObject({ name: nameSchema, workspace_id: z.uuid().toLowerCase().optional() }),
    output: withSecret,
    status: 201,
  },
  "clients.delete": {
    ...requested,
    method: "DELETE",
    path: "/connect/clients/:id",
    summary: "Removes a Connect client that has no keys.",
    verb: "delete client",
    output: deletedSchema,
  },
  "clients.rotate": {
    ...requested,
    method: "POST",
    path: "/connect/clients/:id/rotate",
    summary: "Rotates the client secret; it is shown only once, the old one stays valid for the overlap.",
    verb: "rotate secret",
    body: z.strictObject({ overlap_seconds: z.int().min(0).max(604_800).default(0) }),
    bodyOptional: true,
    output: withSecret,
    status: 201,
  },
  "clients.revoke": {
    ...requested,
    method: "POST",
    path: "/connect/clients/:id/revoke",
    summary: "Revokes the client's secrets. Its keys stay valid and are listed, newest first, 100 per page.",
    verb: "revoke client",
    query: z.object({ offset: pageQuery.offset }),
    output: z.object({
      data: connectClientSchema,
      keys: z.array(keyRecordSchema),
      total_count: z.int(),
    }),
  },
} as const satisfies Record<string, ManagementOperation>;
