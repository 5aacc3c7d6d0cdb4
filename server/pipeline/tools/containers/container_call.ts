/** Common parts of the tools that run code in a container. */

import { cutMiddle } from "../../../../shared/util/text.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type {
  ChangedFile,
  CommandResult,
  Container,
  ContainerRequest,
  RunResult,
} from "../../../sandbox/containers/containers.ts";
import type { ToolInput, ToolRequest, ToolSession } from "../tool_definition.ts";

export const DEFAULT_TIMEOUT_MS = 30_000;
export const MAX_TIMEOUT_MS = 300_000;
/** Both are of the processor: where it is busy, a command may take so many times longer by the clock. */
const CLOCK_FACTOR = 4;
/** Characters of a command's output that the model is given, of stdout and of stderr. */
const DEFAULT_OUTPUT_LENGTH = 30_000;
const MAX_OUTPUT_LENGTH = 60_000;
/** Commands of one call. */
const MAX_COMMANDS = 50;
/** For the wait until a process is free, its start, and the storing of files. */
export const MORE_MS = 60_000;
/** All commands of a call together, and a single one of the longest. */
const MAX_CALL_MS = CLOCK_FACTOR * MAX_TIMEOUT_MS;

/** How the operator switches on what runs code. */
export const SWITCH_ON =
  "It runs code in containers, which are switched off here: TOLLGATE_SANDBOX, or a machine that may start no programs.";

interface CallLimits {
  readonly timeoutMs: number;
  readonly outputLength: number;
}

/** Parameters that bound a command, for the description of a tool. */
export const limitParameters = {
  timeout_ms: {
    type: "integer",
    minimum: 1,
    maximum: MAX_TIMEOUT_MS,
    description:
      `Milliseconds of the processor after which a command is ended; ${DEFAULT_TIMEOUT_MS} unless set. A command that ` +
      `waits is ended after ${CLOCK_FACTOR} times as long.`,
  },
  max_output_length: {
    type: "integer",
    minimum: 1,
    maximum: MAX_OUTPUT_LENGTH,
    description: `Characters of the output that are shown; ${DEFAULT_OUTPUT_LENGTH} unless set.`,
  },
} as const;

/** The limits of a call; what is beyond one counts as it. */
export function limitsOf({ timeout_ms, max_output_length }: JsonObject): CallLimits {
  const within = (value: unknown, { fallback, most }: { readonly fallback: number; readonly most: number }) =>
    typeof value === "number" && value >= 1 ? Math.min(Math.floor(value), most) : fallback;
  return {
    timeoutMs: within(timeout_ms, { fallback: DEFAULT_TIMEOUT_MS, most: MAX_TIMEOUT_MS }),
    outputLength: within(max_output_length, { fallback: DEFAULT_OUTPUT_LENGTH, most: MAX_OUTPUT_LENGTH }),
  };
}

/** Milliseconds by the clock that a call may take in all. */
export const callMs = (commands: number, { timeoutMs }: CallLimits): number =>
  Math.min(Math.max(1, commands) * CLOCK_FACTOR * timeoutMs, MAX_CALL_MS) + MORE_MS;

export const describedCommands = {
  commands: {
    type: "array",
    items: { type: "string" },
    minItems: 1,
    maxItems: MAX_COMMANDS,
    description: "Shell commands, which run one after the other.",
  },
} as const;

/** The commands of a call. A string says what is wrong with them. */
export function commandsOf({ command, commands }: JsonObject): readonly string[] | string {
  const all: readonly unknown[] = Array.isArray(commands) ? commands : command === undefined ? [] : [command];
  const texts = all.filter((one) => typeof one === "string" && one !== "");
  if (texts.length < all.length) return "A command is no text, or is empty.";
  if (texts.length > MAX_COMMANDS) {
    return `There are ${texts.length} commands; at most ${MAX_COMMANDS} are allowed.`;
  }
  return texts.map(String);
}

/** The container of the request, as the tool's settings want it. Throws an ApiError. */
export async function openContainer({ settings, session, deps, memory }: ToolInput): Promise<Container> {
  return await openCurrent(containerRequest(settings, session), { deps, memory });
}

/** The one in which a named container goes on, where an earlier call of the request has restarted it. */
export async function openCurrent(
  request: ContainerRequest,
  { deps, memory }: Pick<ToolInput, "deps" | "memory">,
): Promise<Container> {
  const { containerId } = request;
  if (containerId === undefined) return await deps.containers.open(request);
  return await deps.containers.open({ ...request, containerId: memory.currentContainer(containerId) });
}

/** A new container in the place of this one, for later calls of the request too. */
export async function restartContainer(
  old: Container,
  { memory }: Pick<ToolInput, "memory">,
): Promise<Container> {
  const container = await old.restart();
  memory.addRestart(old.id, container.id);
  return container;
}

/** Throws an ApiError where there is none. */
export async function verifyContainer({ settings, session, deps }: ToolRequest): Promise<void> {
  await deps.containers.verify(containerRequest(settings, session));
}

/** Reads the container request in `environment`. */
function containerRequest({ environment, sleep_after_seconds: sleep }: JsonObject, session: ToolSession) {
  const wanted = isRecord(environment) ? environment : {};
  return {
    ...session,
    containerId: typeof wanted.container_id === "string" ? wanted.container_id : undefined,
    fileIds: textsOf(wanted.file_ids),
    network: networkOf(wanted.network_policy),
    sleepAfterSeconds: typeof sleep === "number" ? sleep : undefined,
  } satisfies ContainerRequest;
}

/** Domains that the settings of a tool allow. */
export function allowedDomains({ environment }: JsonObject): readonly string[] {
  const network = networkOf(isRecord(environment) ? environment.network_policy : undefined);
  return network?.type === "allowlist" ? network.domains : [];
}

function networkOf(policy: unknown): ContainerRequest["network"] {
  if (!isRecord(policy)) return undefined;
  return policy.type === "allowlist"
    ? { type: "allowlist", domains: textsOf(policy.allowed_domains) }
    : { type: "disabled" };
}

export const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

/** Files that a result names. */
const MAX_CITED = 10;

/** Files of a result, as clients see them. */
export const citedFiles = (containerId: string, files: readonly ChangedFile[]): readonly JsonObject[] =>
  files.slice(0, MAX_CITED).map(({ fileId, path }) => ({
    type: "container_file_citation",
    container_id: containerId,
    file_id: fileId,
    filename: path,
    start_index: 0,
    end_index: 0,
  }));

/** One command as the model is told of it. */
export function shownResult(result: CommandResult, { outputLength }: CallLimits): JsonObject {
  const { status } = result;
  const [stdout, stderr] = [cutMiddle(result.stdout, outputLength), cutMiddle(result.stderr, outputLength)];
  switch (status.type) {
    case "exit":
      return { stdout, stderr, outcome: { type: "exit", exit_code: status.exitCode } };
    case "timeout":
      return { stdout, stderr, outcome: { type: "timeout" } };
    case "failed":
      return { stdout, stderr: status.reason, outcome: { type: "exit", exit_code: FAILED } };
    default:
      return status satisfies never;
  }
}

/** Exit code that a shell gives for a command that a signal has ended. */
const FAILED = 137;

/** Tells the model what there is besides its commands' output. */
export const reportedBesides = ({ files, notes }: RunResult): JsonObject => ({
  ...(files.length === 0 ? {} : {
    files: files.slice(0, MAX_CITED).map(({ path, fileId }) => ({ path, file_id: fileId })),
  }),
  ...(notes.length === 0 ? {} : { notes }),
});
