/** Checks of a gateway that runs, by what its own operations answer. */

import type { DoctorOptions } from "./doctor_options.ts";
import type { CheckRow, ReadOperation } from "./doctor_rows.ts";
import { contentFilters } from "./filter_check.ts";
import { moderationDefaults } from "./moderation_check.ts";
import { containerChecks, endpointChecks } from "./provider_checks.ts";

type RunOptions = Pick<DoctorOptions, "isElsewhere"> & {
  readonly config: Pick<DoctorOptions["config"], "moderation">;
};

export async function runChecks(options: RunOptions, read: ReadOperation): Promise<readonly CheckRow[]> {
  const status = await read("/status");
  return [
    ...endpointChecks(status),
    ...containerChecks(status),
    await contentFilters(read),
    ...await moderationDefaults(options, read),
  ];
}
