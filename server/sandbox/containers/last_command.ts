/** The command that ran last in a container, as its record has it: not what it printed. */

import { cutMiddle } from "../../../shared/util/text.ts";
import type { CommandOutcome } from "../sandbox.ts";
import type { ContainerRow } from "./container_rows.ts";
import type { CommandResult, RunInput } from "./containers.ts";

export type LastCommand = NonNullable<ContainerRow["last_command"]>;

/** Characters of a command that are kept. */
const MAX_COMMAND_CHARS = 1_000;

interface CommandFacts extends Pick<RunInput, "language"> {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly outcome: Pick<CommandOutcome, "elapsedMs">;
}

export function lastCommandOf(
  { command, status }: CommandResult,
  { language, startedAt, outcome: { elapsedMs } }: CommandFacts,
): LastCommand {
  return {
    language,
    command: JSON.stringify(cutMiddle(command, MAX_COMMAND_CHARS)),
    status: status.type,
    exit_code: status.type === "exit" ? status.exitCode : null,
    started_at: new Date(startedAt).toISOString(),
    seconds: Math.round(elapsedMs) / 1_000,
  };
}
