/** `deno task admin`: the management operations from a command line, over HTTP like everybody else's. */

import { tryParseJson } from "../../shared/util/json.ts";
import type { Runtime } from "../runtime.ts";
import { parseArguments } from "./parse_arguments.ts";
import {
  assertKnownFlags,
  buildCommandRequest,
  type CommandRequest,
  confirmationReason,
} from "./command_request.ts";
import { type Command, commandList, findCommand } from "./commands.ts";
import { flagHelp } from "./flag_help.ts";
import { creditLimitReason } from "./credit_limit_reason.ts";
import { CommandError } from "./command_error.ts";
import { type FileStreams, requireDownloadTarget, uploadForm } from "./file_transfer.ts";
import { completeHashes } from "./hash_prefix.ts";
import { parseUrlFlag } from "./parse_url_flag.ts";
import { errorMessageOf } from "./parse_reply.ts";
import { formatReply } from "./format_reply.ts";

export interface AdminCommandOptions {
  readonly args: readonly string[];
  /** Address of the gateway, without a trailing slash. */
  readonly url: string;
  /** Undefined when none is set. */
  readonly managementKey: string | undefined;
  readonly fetch: Runtime["fetch"];
  /** Characters of a line. */
  readonly width: number;
  readonly streams: FileStreams;
}

interface CommandOutput {
  readonly out: string;
  /** Status of the process: 0 done, 1 refused by the gateway. */
  readonly code: 0 | 1;
}

const USAGE = `deno task admin <command> [words] [--field value …]

  --json        the reply as JSON, also a refusal
  --yes         do what cannot be undone
  --url <url>   the gateway, where it is not the one of HOST and PORT
  --help        behind a command: its flags

The management key is read from TOLLGATE_MANAGEMENT_KEY. A key is named by its hash, or by the first characters of it
(six or more) where no other key has the same. On a narrow terminal tables name the columns that they leave out; --json has them all.

`;

/** Flags of the command line itself; all others are fields of the operation. */
const ownFlags: ReadonlySet<string> = new Set(["json", "yes", "url"]);

/** Runs a management operation; a fault on this side is a CommandError. */
export async function runAdmin(options: AdminCommandOptions): Promise<CommandOutput> {
  const { words, flags } = parseArguments(options.args);
  if (words.length === 0) return { out: `${USAGE}${commandList()}\n`, code: 0 };
  const found = findCommand(words);
  if (flags.has("help")) return { out: helpFor(words, found?.command), code: 0 };
  if (found === undefined) throw unknown(words);
  const { command } = found;
  assertKnownFlags(command, flags);
  const target = { ...options, url: parseUrlFlag(flags.get("url")) ?? options.url };
  const read = (path: string) => readBody(path, target);
  const fields = new Map([...flags].filter(([name]) => !ownFlags.has(name)));
  const call = buildCommandRequest({
    command,
    ...await completeHashes({ command, rest: found.rest, flags: fields, read }),
  });
  if (flags.get("yes") !== "true") {
    const danger = confirmationReason(command, call) ??
      await creditLimitReason({ name: command.name, call, read });
    if (danger !== undefined) throw new CommandError(`${command.name} needs --yes: ${danger}`);
  }
  return await runCall(call, { command, target, asJson: flags.get("json") === "true" });
}

interface CallOptions {
  readonly command: Command;
  readonly target: AdminCommandOptions;
  readonly asJson: boolean;
}

async function runCall(
  call: CommandRequest,
  { command, target, asJson }: CallOptions,
): Promise<CommandOutput> {
  const { output } = command.row;
  if (output === "bytes") requireDownloadTarget(command.name, target.streams);
  const response = await sendRequest(call, target);
  if ((output === "bytes" || output === "events") && response.ok && response.body !== null) {
    await target.streams.write(response.body);
    return { out: "", code: 0 };
  }
  const { body, refusal } = await readReply(response);
  const shown = asJson ? JSON.stringify(body, null, 2) : refusal ?? formatReply(body, target);
  return { out: `${shown}\n`, code: refusal === undefined ? 0 : 1 };
}

/**
 * Makes the help of a command with its flags, or of a family with its commands. Throws a CommandError for what is
 * neither.
 */
function helpFor(words: readonly string[], command: Command | undefined): string {
  if (command !== undefined) return `${commandList(command.name)}\n${flagHelp(command.row)}`;
  const family = commandList(words.join(" "));
  if (family === "") throw unknown(words);
  return `${family}\n`;
}

function unknown(words: readonly string[]): CommandError {
  const [family = ""] = words;
  const near = commandList(family);
  return new CommandError(
    `Unknown command "${words.slice(0, 2).join(" ")}". ${
      near === "" ? "deno task admin lists those that there are" : `There are:\n${near}`
    }`,
  );
}

/** Undefined where the gateway refuses it: the command that follows is refused too, and says why. */
async function readBody(path: string, options: AdminCommandOptions): Promise<unknown> {
  const { body, refusal } = await readReply(await sendRequest({ method: "GET", path }, options));
  return refusal === undefined ? body : undefined;
}

interface Reply {
  readonly body: unknown;
  /** Undefined where it is done. */
  readonly refusal?: string;
}

async function readReply(response: Response): Promise<Reply> {
  const text = await response.text();
  const body = tryParseJson(text) ?? { reply: text.slice(0, 500) };
  if (response.ok) return { body };
  return { body, refusal: `${response.status} ${errorMessageOf(body) ?? response.statusText}` };
}

async function sendRequest(
  { method, path, body, form }: CommandRequest,
  options: AdminCommandOptions,
): Promise<Response> {
  const { url, managementKey, streams } = options;
  if (managementKey === undefined) {
    throw new CommandError("TOLLGATE_MANAGEMENT_KEY is not set: commands need a management key");
  }
  const headers: Record<string, string> = { authorization: `Bearer ${managementKey}` };
  if (body !== undefined) headers["content-type"] = "application/json";
  const text = body === undefined ? undefined : JSON.stringify(body);
  const sent = { method, headers, body: form === undefined ? text : await uploadForm(form, streams) };
  return await options.fetch(`${url}/v1${path}`, sent).catch((cause: unknown) => {
    throw new CommandError(`No gateway answers at ${url}: start it, or name another with --url`, { cause });
  });
}
