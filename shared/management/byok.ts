/** The operations on provider keys that workspaces bring (specification, BYOK). */

import * as z from "zod";
import { byokRecordSchema, byokSettings, providerKeySchema, providerSlugSchema } from "../byok.ts";
import {
  deletedSchema,
  type ManagementOperation,
  pageQuery,
  saveWarningsSchema,
  workspaceQuery,
} from "./operation.ts";

const requested = { who: ["management"], errors: "other" } as const;
const one = z.object({ data: byokRecordSchema });
const saved = one.extend({ warnings: saveWarningsSchema.optional() });
const settings = z.object(byokSettings).partial().shape;

export const byokApi = {
  "byok.list": {
    ...requested,
    method: "GET",
    path: "/byok",
    summary: "Lists workspaces' provider keys, oldest first.",
    verb: "list provider keys",
    query: z.object({ ...pageQuery, provider: z.string().optional(), workspace_id: workspaceQuery }),
    output: z.object({ data: z.array(byokRecordSchema), total_count: z.int() }),
  },
  "byok.create": {
    ...requested,
    method: "POST",
    path: "/byok",
    summary: "Stores a provider key, encrypted, for one workspace or (workspace_id null) for all.",
    verb: "create provider key",
    body: z.strictObject({
      provider: providerSlugSchema,
      key: providerKeySchema,
      workspace_id: z.uuid().nullable().optional(),
      ...settings,
    }),
    output: saved,
    status: 201,
  },
  "byok.get": {
    ...requested,
    method: "GET",
    path: "/byok/:id",
    summary: "Shows a provider key's settings, never the key itself.",
    verb: "show provider key",
    output: one,
  },
  "byok.update": {
    ...requested,
    method: "PATCH",
    path: "/byok/:id",
    summary: "Updates the given fields of a provider key; `key` replaces the key itself.",
    verb: "update provider key",
    body: z.strictObject({ key: providerKeySchema.optional(), ...settings }),
    output: saved,
  },
  "byok.delete": {
    ...requested,
    method: "DELETE",
    path: "/byok/:id",
    summary: "Deletes a provider key.",
    verb: "delete provider key",
    output: deletedSchema,
  },
} as const satisfies Record<string, ManagementOperation>;
