/** The key by which the console's playground calls models. */

import * as z from "zod";
import { keyHashSchema, keyRecordSchema } from "../../keys.ts";
import { type ManagementOperation, workspaceQuery } from "../operation.ts";

const playgroundKeySchema = keyRecordSchema.omit({
  hash: true,
  label: true,
  created_at: true,
  updated_at: true,
  expires_at: true,
  creator_user_id: true,
  external_user: true,
  cache_enabled: true,
  cache_ttl_seconds: true,
  self_test: true,
}).extend({
  /** Null while the key is not made: the first run makes it. */
  hash: keyHashSchema.nullable(),
  label: z.string().nullable(),
  /** Guardrails that hold for it. */
  guardrails: z.array(z.object({ id: z.uuid(), name: z.string() })),
});

export const playgroundApi = {
  "playground.key": {
    method: "GET",
    path: "/playground/key",
    who: ["management", "api"],
    errors: "other",
    summary: "Shows the key by which the console's playground runs, with its limit and guardrails.",
    verb: "show playground key",
    query: z.object({
      /** A manager's workspace, the default workspace unless it is named; API keys run as themselves. */
      workspace_id: workspaceQuery,
    }),
    output: z.object({ data: playgroundKeySchema }),
  },
} as const satisfies Record<string, ManagementOperation>;
