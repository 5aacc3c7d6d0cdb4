/** Checks of the gateway by itself, as managers run and read them; `deno task doctor` has more. */

import * as z from "zod";
import { timestampSchema } from "../../keys.ts";
import type { ManagementOperation } from "../operation.ts";

/** Seconds that a run waits for its checks. */
export const DOCTOR_SECONDS = 60;

const checkSchema = z.object({
  /** Name of what was looked at. */
  check: z.string(),
  verdict: z.enum(["ok", "warning", "failed"]),
  /** Finding, and the way to mend it. */
  found: z.string(),
});
export type DoctorCheck = z.infer<typeof checkSchema>;

const reportSchema = z.object({
  ran_at: timestampSchema,
  took_ms: z.number(),
  checks: z.array(checkSchema),
});
export type DoctorRun = z.infer<typeof reportSchema>;

export const doctorApi = {
  "doctor.get": {
    method: "GET",
    path: "/doctor",
    who: ["management"],
    errors: "other",
    summary: "Shows the last checks that this gateway made of itself; null before the first.",
    verb: "show checks",
    output: z.object({ data: reportSchema.nullable(), running: z.boolean() }),
  },
  "doctor.run": {
    method: "POST",
    path: "/doctor",
    who: ["management"],
    errors: "other",
    summary:
      "Checks settings, store, prices, providers' keys, services and guardrails, for at most 60 seconds.",
    verb: "check gateway",
    output: z.object({ data: reportSchema }),
  },
} as const satisfies Record<string, ManagementOperation>;
