/** The guardrail operations (specification, Guardrails). */

import * as z from "zod";
import {
  guardrailNameSchema,
  guardrailRecordSchema,
  guardrailSettings,
  guardrailTestSchema,
  keyAssignmentSchema,
  memberAssignmentSchema,
  testDirections,
} from "../guardrails.ts";
import { keyHashSchema } from "../keys.ts";
import { usdLimitSchema } from "../usd_limit.ts";
import {
  deletedSchema,
  type ManagementOperation,
  pageQuery,
  saveWarningsSchema,
  workspaceQuery,
} from "./operation.ts";

const pages = z.object(pageQuery);
const requested = { who: ["management"], errors: "other" } as const;
const one = z.object({ data: guardrailRecordSchema });
const saved = z.object({
  data: guardrailRecordSchema,
  /** Warnings about what was saved, such as filters, and entries of lists that match nothing. */
  warnings: saveWarningsSchema.optional(),
});

/** Characters of a text, and of a request as JSON. */
export const MAX_TEST_CHARS = 1024 * 1024;

const direction = z.enum(testDirections).optional();
const testBody = z.union([
  z.strictObject({ text: z.string().max(MAX_TEST_CHARS), direction }),
  z.strictObject({
    /** The body of a request to any API of models. */
    request: z.record(z.string(), z.unknown()),
    /** Whose body it is; guessed where it is missing. */
    api: z.enum(["responses", "chat", "messages", "speech", "embeddings"]).optional(),
    direction,
  }),
]);

const settings = {
  limit_usd: usdLimitSchema.nullable().optional(),
  include_byok_in_budgets: z.boolean().optional(),
  ...z.object(guardrailSettings).partial().shape,
};
const keys = z.strictObject({ key_hashes: z.array(keyHashSchema).min(1).max(500) });
const members = z.strictObject({
  member_user_ids: z.array(z.string().min(1).max(256).refine((id) => id.isWellFormed())).min(1).max(500),
});
const keyList = z.object({ data: z.array(keyAssignmentSchema), total_count: z.int() });
const memberList = z.object({ data: z.array(memberAssignmentSchema), total_count: z.int() });
const assigned = z.object({ assigned_count: z.int() });
const unassigned = z.object({ unassigned_count: z.int() });

export const guardrailApi = {
  "guardrails.list": {
    ...requested,
    method: "GET",
    path: "/guardrails",
    summary: "Lists the guardrails, oldest first.",
    verb: "list guardrails",
    query: z.object({ ...pageQuery, workspace_id: workspaceQuery }),
    output: z.object({ data: z.array(guardrailRecordSchema), total_count: z.int() }),
  },
  "guardrails.create": {
    ...requested,
    method: "POST",
    path: "/guardrails",
    summary: "Creates a guardrail; it applies once assigned.",
    verb: "create guardrail",
    body: z.strictObject({
      name: guardrailNameSchema,
      workspace_id: z.uuid().nullable().optional(),
      ...settings,
    }),
    output: saved,
    status: 201,
  },
  "guardrails.assignments.keys.all": {
    ...requested,
    method: "GET",
    path: "/guardrails/assignments/keys",
    summary: "Lists which keys have a guardrail; with key_hash, that of one key.",
    verb: "list assignments",
    query: z.object({ ...pageQuery, key_hash: keyHashSchema.optional() }),
    output: keyList,
  },
  "guardrails.assignments.members.all": {
    ...requested,
    method: "GET",
    path: "/guardrails/assignments/members",
    summary: "Lists which members have a guardrail.",
    verb: "list assignments",
    query: pages,
    output: memberList,
  },
  "guardrails.get": {
    versioned: true,
    ...requested,
    method: "GET",
    path: "/guardrails/:id",
    summary: "Shows one guardrail.",
    verb: "show guardrail",
    output: one,
  },
  "guardrails.update": {
    versioned: true,
    ...requested,
    method: "PATCH",
    path: "/guardrails/:id",
    summary: "Updates the given fields of a guardrail; lists are replaced.",
    verb: "update guardrail",
    body: z.strictObject({ name: guardrailNameSchema.optional(), ...settings }),
    output: saved,
  },
  "guardrails.delete": {
    ...requested,
    method: "DELETE",
    path: "/guardrails/:id",
    summary: "Deletes a guardrail and its assignments.",
    verb: "delete guardrail",
    output: deletedSchema,
  },
  "guardrails.test": {
    ...requested,
    method: "POST",
    path: "/guardrails/:id/test",
    summary:
      "Shows what the filters of a guardrail find in a text or a request; calls nobody, an external service neither, and keeps nothing.",
    verb: "test guardrail",
    body: testBody,
    reads: true,
    output: z.object({ data: guardrailTestSchema }),
  },
  "guardrails.assignments.keys.list": {
    ...requested,
    method: "GET",
    path: "/guardrails/:id/assignments/keys",
    summary: "Lists the keys that have this guardrail.",
    verb: "list assignments",
    query: pages,
    output: keyList,
  },
  "guardrails.assignments.keys.add": {
    ...requested,
    method: "POST",
    path: "/guardrails/:id/assignments/keys",
    summary: "Assigns the guardrail to keys, replacing their current one.",
    verb: "assign keys",
    body: keys,
    output: assigned,
  },
  "guardrails.assignments.keys.remove": {
    ...requested,
    method: "POST",
    path: "/guardrails/:id/assignments/keys/remove",
    summary: "Unassigns the guardrail from keys.",
    verb: "unassign keys",
    body: keys,
    output: unassigned,
  },
  "guardrails.assignments.members.list": {
    ...requested,
    method: "GET",
    path: "/guardrails/:id/assignments/members",
    summary: "Lists the members that have this guardrail.",
    verb: "list assignments",
    query: pages,
    output: memberList,
  },
  "guardrails.assignments.members.add": {
    ...requested,
    method: "POST",
    path: "/guardrails/:id/assignments/members",
    summary: "Assigns the guardrail to members, replacing their current one.",
    verb: "assign members",
    body: members,
    output: assigned,
  },
  "guardrails.assignments.members.remove": {
    ...requested,
    method: "POST",
    path: "/guardrails/:id/assignments/members/remove",
    summary: "Unassigns the guardrail from members.",
    verb: "unassign members",
    body: members,
    output: unassigned,
  },
} as const satisfies Record<string, ManagementOperation>;
