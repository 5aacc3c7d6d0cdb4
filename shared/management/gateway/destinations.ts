/** The operations on broadcast destinations (docs/destinations.md). */

import * as z from "zod";
import {
  destinationSettings,
  destinationTestSchema,
  destinationTypes,
  regionsInput,
  shownDestinationSchema,
} from "../../observability/records.ts";
import { deletedSchema, type ManagementOperation, pageQuery, workspaceQuery } from "../operation.ts";

const requested = { who: ["management"], errors: "destinations" } as const;
const one = z.object({ data: shownDestinationSchema });
/** Read by the type's own schema, whose faults repeat no secret. */
const config = z.record(z.string(), z.unknown());
const settings = z.object({ ...destinationSettings, regions: regionsInput }).partial().shape;

export const destinationApi = {
  "destinations.list": {
    ...requested,
    method: "GET",
    path: "/observability/destinations",
    summary: "Lists the broadcast destinations of all workspaces or of one, oldest first.",
    verb: "list destinations",
    query: z.object({ ...pageQuery, workspace_id: workspaceQuery }),
    output: z.object({ data: z.array(shownDestinationSchema), total_count: z.int() }),
  },
  "destinations.create": {
    ...requested,
    method: "POST",
    path: "/observability/destinations",
    summary: "Has the receipts of a workspace sent to a destination from now on.",
    verb: "create destination",
    body: z.strictObject({
      ...settings,
      name: destinationSettings.name,
      type: z.enum(destinationTypes),
      config,
      workspace_id: z.uuid().optional(),
    }),
    output: one,
    status: 201,
  },
  "destinations.get": {
    ...requested,
    method: "GET",
    path: "/observability/destinations/:id",
    summary: "Shows a broadcast destination and how far it is, never its secrets.",
    verb: "show destination",
    output: one,
  },
  "destinations.update": {
    ...requested,
    method: "PATCH",
    path: "/observability/destinations/:id",
    summary:
      "Updates the given fields of a broadcast destination. Masked values of config stay as they are; its fields and headers are merged by name, and null removes one.",
    verb: "update destination",
    body: z.strictObject({ ...settings, config: config.optional() }),
    output: one,
  },
  "destinations.test": {
    ...requested,
    method: "POST",
    path: "/observability/destinations/:id/test",
    summary: "Sends a broadcast destination an empty message and says whether it has arrived.",
    verb: "test destination",
    output: z.object({ data: destinationTestSchema }),
  },
  "destinations.delete": {
    ...requested,
    method: "DELETE",
    path: "/observability/destinations/:id",
    summary: "Deletes a broadcast destination.",
    verb: "delete destination",
    output: deletedSchema,
  },
} as const satisfies Record<string, ManagementOperation>;
