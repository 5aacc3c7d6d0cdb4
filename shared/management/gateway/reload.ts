/** The reload: the gateway reads its settings again while it runs. */

import * as z from "zod";
import type { ManagementOperation } from "../operation.ts";

const reloadReportSchema = z.object({
  /** Names of the settings that are in force now and were not before; never their values. */
  changed: z.array(z.string()),
  /** Names of those that differ from what is in force and need a restart. */
  restart: z.array(z.string()),
  /** Sentences about settings that have no effect. */
  warnings: z.array(z.string()),
});
export type ReloadReport = z.infer<typeof reloadReportSchema>;

export const reloadApi = {
  "reload": {
    method: "POST",
    path: "/reload",
    who: ["management"],
    errors: "other",
    summary: "Reads the configuration file and the files of secrets again, and puts them in force.",
    verb: "reload settings",
    bodyOptional: true,
    body: z.strictObject({}),
    output: z.object({ data: reloadReportSchema }),
  },
} as const satisfies Record<string, ManagementOperation>;
