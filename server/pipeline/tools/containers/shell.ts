/**
 * OpenAI's shell tool: a list of commands, each with an output of its own. The provider's own comes first where it has
 * one; elsewhere a container of the gateway runs them.
 */

import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { HostedTool } from "../../../protocols/canonical/request.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import { describeShell } from "./bash.ts";
import {
  callMs,
  citedFiles,
  commandsOf,
  describedCommands,
  limitParameters,
  limitsOf,
  openContainer,
  shownResult,
  SWITCH_ON,
  textsOf,
  verifyContainer,
} from "./container_call.ts";
import { knowsOpenAiTools } from "./openai_models.ts";
import { failedCall, type ToolDefinition, type ToolInput, type ToolOutcome } from "../tool_definition.ts";

const parameters = {
  type: "object",
  properties: { ...describedCommands, ...limitParameters },
  required: ["commands"],
  additionalProperties: false,
} as const;

export const shell: ToolDefinition = {
  kind: "shell",
  hosted: {
    types: ["shell"],
    itemType: "shell_call",
    output: { type: "shell_call_output", ofCall: ["action"], empty: { output: [] } },
  },
  whenKnown: ({ containers }) => containers.ready,
  describe: (settings, { containers }) => ({
    description: isLocal(settings)
      ? "Runs shell commands on the user's machine."
      : describeShell(settings, containers),
    parameters,
  }),
  nativeAt,
  runsHere: (settings) => !isLocal(settings),
  isHostedAt: ({ provider }) => provider.builtIn !== true,
  isAvailable: ({ settings, deps: { containers } }) =>
    isLocal(settings) || containers.unavailableReason === undefined,
  switchOn: SWITCH_ON,
  itemFields: (args) => ({ action: actionOf(args) }),
  failedStatus: "failed",
  hostedFailedStatus: "incomplete",
  outputOf: (item) => Array.isArray(item.output) ? reportOf(item) : undefined,
  argumentsOf: ({ action }) => isRecord(action) ? withoutNulls(action) : undefined,
  timeMs: (args) => callMs(commandsOf(args).length, limitsOf(args)),
  check: (args) => {
    const commands = commandsOf(args);
    if (typeof commands === "string") return commands;
    return commands.length === 0 ? "commands is missing: a list of texts." : undefined;
  },
  verify: verifyContainer,
  run,
};

/** Whether the client runs the commands, on its own machine. */
const isLocal = ({ environment }: JsonObject): boolean =>
  isRecord(environment) && environment.type === "local";

/**
 * The provider's own shell, unless the caller wants the gateway's container: by name, by its id, or for files and a
 * network that only the gateway has.
 */
function nativeAt(endpoint: Endpoint, { engine, environment }: JsonObject): HostedTool | undefined {
  const { provider, upstreamModel, pricing } = endpoint;
  if (provider.wire !== "responses" || provider.builtIn === true || engine === "openrouter") return undefined;
  // Without a price of its containers nobody knows that it has them.
  if (!knowsOpenAiTools(upstreamModel) || pricing?.codeInterpreter === undefined) return undefined;
  return namesOwnParts(environment) ? undefined : native;
}

const native: HostedTool = {
  type: "hosted",
  wire: "responses",
  kind: "shell",
  value: { type: "shell", environment: { type: "container_auto" } },
};

/** Whether an environment names a container, files or hosts, which the gateway knows and the provider does not. */
const namesOwnParts = (environment: unknown): boolean =>
  isRecord(environment) &&
  (environment.type === "container_reference" || textsOf(environment.file_ids).length > 0 ||
    (isRecord(environment.network_policy) && environment.network_policy.type === "allowlist"));

/** Report for the model on an item with results. */
function reportOf({ output, container_id, files, notes }: JsonObject): string {
  const cited = Array.isArray(files) ? files.filter(isRecord) : [];
  const named = cited.map(({ filename, file_id }) => ({ path: filename, file_id }));
  return JSON.stringify({ output, container_id, ...(named.length === 0 ? {} : { files: named }), notes });
}

/** All three keys are there. */
function actionOf(args: JsonObject): JsonObject {
  const commands = commandsOf(args);
  const { timeout_ms, max_output_length } = args;
  return {
    commands: typeof commands === "string" ? [] : commands,
    timeout_ms: typeof timeout_ms === "number" ? Math.floor(timeout_ms) : null,
    max_output_length: typeof max_output_length === "number" ? Math.floor(max_output_length) : null,
  };
}

const withoutNulls = (action: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(action).filter(([, value]) => value !== null));

async function run(input: ToolInput): Promise<ToolOutcome> {
  const { args, signal, countCommands } = input;
  const commands = commandsOf(args);
  if (typeof commands === "string") return failedCall(commands);
  const limits = limitsOf(args);
  const container = await openContainer(input);
  const result = await container.run({ language: "bash", commands, timeoutMs: limits.timeoutMs, signal });
  countCommands({ commands: result.results.length, seconds: result.seconds });
  const output = result.results.map((one) => shownResult(one, limits));
  const failed = result.results.find(({ status }) => status.type === "failed");
  const shown = {
    output,
    container_id: container.id,
    files: citedFiles(container.id, result.files),
    ...(result.notes.length === 0 ? {} : { notes: result.notes }),
  };
  return {
    output: reportOf(shown),
    fields: {
      ...shown,
      ...(failed?.status.type === "failed" ? { error: failed.status.reason } : {}),
    },
    ...(failed === undefined ? {} : { failed: true }),
  };
}
