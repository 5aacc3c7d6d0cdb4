/** The operations on tag rules, which other gateways call classifiers (docs/tags.md). */

import * as z from "zod";
import { tagRuleSchema, tagRuleSettings } from "../../observability/tag_rules.ts";
import { deletedSchema, type ManagementOperation, pageQuery, workspaceQuery } from "../operation.ts";

const requested = { who: ["management"], errors: "classifiers" } as const;
const one = z.object({ data: tagRuleSchema });

export const classifierApi = {
  "classifiers.list": {
    ...requested,
    method: "GET",
    path: "/observability/classifiers",
    summary: "Lists the tag rules of all workspaces or of one, oldest first.",
    verb: "list tag rules",
    query: z.object({ ...pageQuery, workspace_id: workspaceQuery }),
    output: z.object({ data: z.array(tagRuleSchema), total_count: z.int() }),
  },
  "classifiers.create": {
    ...requested,
    method: "POST",
    path: "/observability/classifiers",
    summary: "Has receipts of a workspace tagged by their fields from the next one on.",
    verb: "create tag rule",
    body: z.strictObject({
      ...tagRuleSettings,
      enabled: tagRuleSettings.enabled.default(true),
      workspace_id: z.uuid().optional(),
    }),
    output: one,
    status: 201,
  },
  "classifiers.get": {
    ...requested,
    method: "GET",
    path: "/observability/classifiers/:id",
    summary: "Shows a tag rule.",
    verb: "show tag rule",
    output: one,
  },
  "classifiers.update": {
    ...requested,
    method: "PATCH",
    path: "/observability/classifiers/:id",
    summary: "Updates the given fields of a tag rule; receipts that are written keep their tags.",
    verb: "update tag rule",
    body: z.strictObject(tagRuleSettings).partial(),
    output: one,
  },
  "classifiers.delete": {
    ...requested,
    method: "DELETE",
    path: "/observability/classifiers/:id",
    summary: "Deletes a tag rule; receipts that are written keep their tags.",
    verb: "delete tag rule",
    output: deletedSchema,
  },
} as const satisfies Record<string, ManagementOperation>;
