/** A shell in a container of the session: files, working folder and exported variables last from call to call. */

import { cutMiddle } from "../../../../shared/util/text.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { CommandResult } from "../../../sandbox/containers/containers.ts";
import { MISSING_COMMANDS } from "./container_commands.ts";
import {
  callMs,
  citedFiles,
  commandsOf,
  describedCommands,
  limitParameters,
  limitsOf,
  openContainer,
  reportedBesides,
  restartContainer,
  shownResult,
  SWITCH_ON,
  verifyContainer,
} from "./container_call.ts";
import { failedCall, type ToolDefinition, type ToolInput, type ToolOutcome } from "../tool_definition.ts";

const parameters = {
  type: "object",
  properties: {
    command: { type: "string", description: "A shell command." },
    ...describedCommands,
    restart: {
      type: "boolean",
      description: "Goes on in a new, empty container. What was before is left behind.",
    },
    ...limitParameters,
  },
  additionalProperties: false,
} as const;

export const CONTAINER_DESCRIPTION =
  "The home folder /home/user, the working folder and exported variables last from call to call. There are the usual " +
  "commands for files and texts, jq, yq, rg, tar, gzip and python3, and no network unless it was allowed. " +
  MISSING_COMMANDS;

export const bash: ToolDefinition = {
  kind: "bash",
  describe: () => ({
    description: `Runs shell commands in a container. ${CONTAINER_DESCRIPTION}`,
    parameters,
  }),
  isAvailable: ({ settings: { engine }, deps: { containers } }) =>
    engine !== "native" && containers.unavailableReason === undefined,
  switchOn: SWITCH_ON,
  itemFields: (args) => {
    const commands = commandsOf(args);
    return typeof commands === "string" || commands.length === 0 ? {} : { command: commands.join("\n") };
  },
  failedStatus: "failed",
  timeMs: (args) => callMs(commandsOf(args).length, limitsOf(args)),
  check: (args) => {
    const commands = commandsOf(args);
    if (typeof commands === "string") return commands;
    return commands.length === 0 && args.restart !== true
      ? "command is missing; commands or restart may stand in its place."
      : undefined;
  },
  verify: verifyContainer,
  run,
};

async function run(input: ToolInput): Promise<ToolOutcome> {
  const { args, signal, countCommands } = input;
  const commands = commandsOf(args);
  if (typeof commands === "string") return failedCall(commands);
  const limits = limitsOf(args);
  const first = await openContainer(input);
  const container = args.restart === true ? await restartContainer(first, input) : first;
  const result = await container.run({ language: "bash", commands, timeoutMs: limits.timeoutMs, signal });
  countCommands({ commands: result.results.length, seconds: result.seconds });
  const results = result.results.map((one) => shownResult(one, limits));
  const report = results.length === 1 ? results[0] : { results };
  const failed = result.results.find(({ status }) => status.type === "failed");
  return {
    output: JSON.stringify({ ...report, container_id: container.id, ...reportedBesides(result) }),
    fields: {
      ...joined(result.results, limits.outputLength),
      container_id: container.id,
      files: citedFiles(container.id, result.files),
      ...(failed?.status.type === "failed" ? { error: failed.status.reason } : {}),
    },
    ...(failed === undefined ? {} : { failed: true }),
  };
}

/** The output of all commands, and the exit code of the last one: null where it had none. */
function joined(results: readonly CommandResult[], most: number): JsonObject {
  const last = results.at(-1)?.status;
  return {
    stdout: cutMiddle(results.map(({ stdout }) => stdout).join(""), most),
    stderr: cutMiddle(results.map(({ stderr }) => stderr).join(""), most),
    exitCode: last === undefined ? 0 : last.type === "exit" ? last.exitCode : null,
  };
}
