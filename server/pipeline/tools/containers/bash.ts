/**
 * A shell. The client runs what the model calls, as upstream; with the engine `openrouter` or `container` it runs in a
 * container of the session, whose files, working folder and exported variables last from call to call.
 */

import { omitUndefined } from "../../../../shared/util/json.ts";
import { cutMiddle } from "../../../../shared/util/text.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { HostedTool } from "../../../protocols/canonical/request.ts";
import type { CommandResult, Containers } from "../../../sandbox/containers/containers.ts";
import { MAX_REQUESTS } from "../../../sandbox/allowed_requests.ts";
import { MAX_FETCHED_BYTES } from "../../../sandbox/messages.ts";
import { MISSING_COMMANDS } from "./container_commands.ts";
import {
  allowedDomains,
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

/** Parameters of a shell of the client's: those of Anthropic's own tool. */
const clientParameters = {
  type: "object",
  properties: {
    command: { type: "string", description: "The command to run. Required unless restart is true." },
    restart: { type: "boolean", description: "True begins a new session." },
  },
  additionalProperties: false,
} as const;

/** Anthropic's own shell, which its models were trained with. The client runs it too. */
const native: HostedTool = {
  type: "hosted",
  wire: "messages",
  kind: "bash_20250124",
  value: { type: "bash_20250124", name: "bash" },
};

/** Describes the shell of containers to a model. */
export function describeShell(settings: JsonObject, { programs }: Pick<Containers, "programs">): string {
  const lasting =
    "The home folder /home/user, the working folder and exported variables last from call to call.";
  const commands = programs === undefined
    ? VIRTUAL_COMMANDS
    : linuxCommands(programs, allowedDomains(settings));
  return `Runs shell commands in a container. ${lasting} ${commands}`;
}

const VIRTUAL_COMMANDS =
  "There are the usual commands for files and texts, jq, yq, rg, tar, gzip and python3, and no network unless it was " +
  `allowed. ${MISSING_COMMANDS}`;

const linuxCommands = (programs: readonly string[], domains: readonly string[]): string =>
  `It is bash on Linux with the usual commands, and ${programs.join(", ")}. ` +
  `What runs in the background ends with its call. ${domains.length === 0 ? NO_NETWORK : networkOf(domains)}`;

const NO_NETWORK = "Nothing can be installed, and there is no network unless it was allowed.";

const networkOf = (domains: readonly string[]): string =>
  `Of the network, programs reach ${
    domains.join(", ")
  } and nothing else, by https through the proxy that https_proxy ` +
  "names, as curl, git, pip and Python's urllib do by themselves; names are not resolved without it. A command may make " +
  `${MAX_REQUESTS} connections of ${MAX_FETCHED_BYTES / MIB} MiB each.`;

const MIB = 1024 * 1024;

export const bash: ToolDefinition = {
  kind: "bash",
  whenKnown: ({ containers }) => containers.ready,
  describe: (settings, { containers }) =>
    runsHere(settings) ? { description: describeShell(settings, containers), parameters } : {
      description: "Runs commands in a bash session of the user's, which lasts from call to call.",
      parameters: clientParameters,
    },
  nativeAt: ({ provider, upstreamModel }, settings) =>
    provider.wire === "messages" && upstreamModel.includes("claude") && !runsHere(settings)
      ? native
      : undefined,
  runsHere,
  isAvailable: ({ settings, deps: { containers } }) =>
    !runsHere(settings) || containers.unavailableReason === undefined,
  switchOn: SWITCH_ON,
  itemFields: (args) => {
    const commands = commandsOf(args);
    return typeof commands === "string" || commands.length === 0 ? {} : { command: commands.join("\n") };
  },
  failedStatus: "failed",
  outputOf: printedOf,
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

function runsHere({ engine }: JsonObject): boolean {
  return engine === "openrouter" || engine === "container";
}

/** Reads the result in an item that the client has completed: what its own shell has printed. */
function printedOf({ stdout, stderr, exitCode }: JsonObject): string | undefined {
  const printed = omitUndefined({
    stdout: typeof stdout === "string" ? stdout : undefined,
    stderr: typeof stderr === "string" ? stderr : undefined,
    exitCode: typeof exitCode === "number" ? exitCode : undefined,
  });
  return Object.keys(printed).length === 0 ? undefined : JSON.stringify(printed);
}

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
