/** The workspace and budget operations (specification, DELETE /workspaces/{id}, §9.2). */

import * as z from "zod";
import { usdLimitSchema } from "../usd_limit.ts";
import {
  budgetSchema,
  memberSchema,
  providerSortSchema,
  rateLimitsSchema,
  workspaceRecordSchema,
  workspaceSettings,
  workspaceSlugSchema,
} from "../workspaces.ts";
import { deletedSchema, type ManagementOperation, pageQuery, saveWarningsSchema } from "./operation.ts";

const pages = z.object(pageQuery);
const settings = z.object({ ...workspaceSettings, default_provider_sort: providerSortSchema.nullable() })
  .partial().shape;
const name = z.string().min(1).max(100);
const one = z.object({ data: workspaceRecordSchema });
const saved = one.extend({ warnings: saveWarningsSchema.optional() });
const limits = z.object({ data: rateLimitsSchema });

/** Members are named as the operator names users elsewhere (`creator_user_id` of a key). */
const userIds = z.strictObject({
  user_ids: z.array(z.string().min(1).max(256).refine((id) => id.isWellFormed())).min(1).max(100),
});

const requested = { who: ["management"], errors: "other" } as const;

export const workspaceApi = {
  "workspaces.list": {
    ...requested,
    method: "GET",
    path: "/workspaces",
    summary: "Lists the workspaces, oldest first.",
    verb: "list workspaces",
    query: pages,
    output: z.object({ data: z.array(workspaceRecordSchema), total_count: z.int() }),
  },
  "workspaces.create": {
    ...requested,
    method: "POST",
    path: "/workspaces",
    summary: "Creates a workspace.",
    verb: "create workspace",
    idempotent: true,
    body: z.strictObject({ name, slug: workspaceSlugSchema, ...settings }),
    output: saved,
    status: 201,
  },
  "workspaces.get": {
    ...requested,
    method: "GET",
    path: "/workspaces/:id",
    summary: "Shows one workspace, by its UUID or its slug.",
    verb: "show workspace",
    versioned: true,
    output: one,
  },
  "workspaces.update": {
    ...requested,
    method: "PATCH",
    path: "/workspaces/:id",
    summary: "Updates the given fields of a workspace.",
    verb: "update workspace",
    versioned: true,
    body: z.strictObject({ name: name.optional(), slug: workspaceSlugSchema.optional(), ...settings }),
    output: saved,
  },
  "workspaces.delete": {
    ...requested,
    errors: "delete_workspace",
    method: "DELETE",
    path: "/workspaces/:id",
    summary: "Deletes a workspace without active keys, and everything that belongs to it.",
    verb: "delete workspace",
    query: z.object({ confirm_default_workspace_deletion: z.enum(["true", "false", ""]).optional() }),
    output: deletedSchema,
  },
  "workspaces.members.list": {
    ...requested,
    method: "GET",
    path: "/workspaces/:id/members",
    summary: "Lists a workspace's members.",
    verb: "list members",
    query: pages,
    output: z.object({ data: z.array(memberSchema), total_count: z.int() }),
  },
  "workspaces.members.add": {
    ...requested,
    method: "POST",
    path: "/workspaces/:id/members/add",
    summary: "Adds members to a workspace; existing members are unchanged.",
    verb: "add members",
    body: userIds,
    output: z.object({ data: z.array(memberSchema), added_count: z.int() }),
  },
  "workspaces.members.remove": {
    ...requested,
    method: "POST",
    path: "/workspaces/:id/members/remove",
    summary: "Removes members from a workspace.",
    verb: "remove members",
    body: userIds,
    output: z.object({ removed_count: z.int() }),
  },
  "workspaces.rate_limits.get": {
    ...requested,
    method: "GET",
    path: "/workspaces/:id/rate-limits",
    summary: "Shows the rate limits of a workspace.",
    verb: "show rate limits",
    output: limits,
  },
  "workspaces.rate_limits.set": {
    ...requested,
    method: "PUT",
    path: "/workspaces/:id/rate-limits",
    summary: "Sets a workspace's rate limits; omitted limits are unlimited.",
    verb: "set rate limits",
    body: z.strictObject(rateLimitsSchema.partial().shape),
    output: limits,
  },
  "budgets.list": {
    ...requested,
    method: "GET",
    path: "/workspaces/:id/budgets",
    summary: "Lists the budgets of a workspace.",
    verb: "list budgets",
    output: z.object({ data: z.array(budgetSchema), include_byok_in_budgets: z.boolean() }),
  },
  "budgets.get": {
    ...requested,
    method: "GET",
    path: "/workspaces/:id/budgets/:interval",
    summary: "Shows the budget of one interval.",
    verb: "show budget",
    output: z.object({ data: budgetSchema, include_byok_in_budgets: z.boolean() }),
  },
  "budgets.set": {
    ...requested,
    method: "PUT",
    path: "/workspaces/:id/budgets/:interval",
    summary: "Sets the budget of one interval; limits rise strictly from daily to lifetime.",
    verb: "set budget",
    body: z.strictObject({
      limit_usd: usdLimitSchema.refine((usd) => usd > 0, { error: "is 0; a budget is above 0" }),
      include_byok_in_budgets: z.boolean().optional(),
    }),
    output: z.object({ data: budgetSchema, include_byok_in_budgets: z.boolean() }),
  },
  "budgets.delete": {
    ...requested,
    method: "DELETE",
    path: "/workspaces/:id/budgets/:interval",
    summary: "Deletes the budget of one interval, if any.",
    verb: "remove budget",
    output: deletedSchema,
  },
} as const satisfies Record<string, ManagementOperation>;
