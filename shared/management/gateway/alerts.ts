/** The operation that lists alerts (docs/alerts.md). */

import * as z from "zod";
import { alertRecordSchema } from "../alerts.ts";
import { type ManagementOperation, pageQuery } from "../operation.ts";

export const alertApi = {
  "alerts.list": {
    method: "GET",
    path: "/alerts",
    who: ["management"],
    errors: "other",
    summary: "Lists the alerts of the last days, the newest first, and whether each has arrived.",
    verb: "list alerts",
    query: z.object(pageQuery),
    output: z.object({ data: z.array(alertRecordSchema), total_count: z.int() }),
  },
} as const satisfies Record<string, ManagementOperation>;
