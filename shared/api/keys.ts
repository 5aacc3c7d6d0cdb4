/** The key operations (wire-reference §4, §9.1). */

import * as z from "zod";
import { keyRecordSchema } from "../keys.ts";
import { type ApiOperation, pageQuery } from "./operation.ts";

const flag = z.enum(["true", "false"]).transform((text) => text === "true").optional();

const listQuery = z.object({
  offset: pageQuery.offset,
  include_disabled: flag,
  workspace_id: z.string().min(1).optional(),
});

export const keyApi = {
  "keys.list": {
    method: "GET",
    path: "/keys",
    who: ["management"],
    errors: "other",
    summary: "Lists the API keys of a workspace, 100 a page.",
    verb: "list keys",
    query: listQuery,
    output: z.object({ data: z.array(keyRecordSchema) }),
  },
} as const satisfies Record<string, ApiOperation>;
