/** `deno task admin`: the management operations from a command line, over HTTP like everybody else's. */

import { tryParseJson } from "../../shared/util/json.ts";
import type { Runtime } from "../runtime.ts";
import { parseArguments } from "./parse_arguments.ts";
import { buildCommandRequest, type CommandRequest, confirmationReason } from "./command_request.ts";
import { type Command, commandList, findCommand } from "./commands.ts";
import { flagHelp } from "./flag_help.ts";
import { creditLimitReason } from "./credit_limit_reason.ts";
import { CommandError } from "./command_error.ts";
import { errorMessageOf } from "./parse_reply.ts";
import { formatReply } from "./format_reply.ts";

export interface AdminCommandOptions {
  readonly args: readonly string[];
  /** Of the gateway, without a trailing slash. */
  readonly url: string;
  /** Undefined when none is set. */
  readonly managementKey: string | undefined;
  readonly fetch: Runtime["fetch"];
  /** Characters of a line. */
  readonly width: number;
}

export interface CommandOutput {
  readonly out: string;
  /** Status of the process: 0 done, 1 refused by the gateway. */
  readonly code: 0 | 1;
}

const USAGE = `deno task admin <command> [words] [--field value …]

  --json        the reply as JSON
  --yes         do what cannot be undone
  --url <url>   the gateway, where it is not the one of HOST and PORT

The management key is read from TOLLGATE_MANAGEMENT_KEY.

`;

/** What is wrong on this side is a CommandError. */
export async function runAdmin(options: AdminCommandOptions): Promise<CommandOutput> {
  const { words, flags } = parseArguments(options.args);
  if (words.length === 0) return { out: `${USAGE}${commandList()}\n`, code: 0 };
  const found = findCommand(words);
  if (flags.has("help")) return { out: helpFor(words, found?.command), code: 0 };
  if (found === undefined) throw unknown(words);
  const { command, rest } = found;
  const fields = new Map([...flags].filter(([name]) => !["json", "yes", "url"].includes(name)));
  const call = buildCommandRequest({ command, rest, flags: fields });
  const target = { ...options, url: flags.get("url") ?? options.url };
  if (flags.get("yes") !== "true") {
    const danger = confirmationReason(command, call) ??
      await creditLimitReason({ name: command.name, call, read: (path) => readBody(path, target) });
    if (danger !== undefined) throw new CommandError(`${command.name} needs --yes: ${danger}`);
  }
  const reply = await sendRequest(call, target);
  if (reply.refusal !== undefined) return { out: `${reply.refusal}\n`, code: 1 };
  const asJson = flags.get("json") === "true";
  return {
    out: `${asJson ? JSON.stringify(reply.body, null, 2) : formatReply(reply.body, options)}\n`,
    code: 0,
  };
}

/** Of a command its flags too; of a family its commands. Throws a CommandError for what is neither. */
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
  const reply = await sendRequest({ method: "GET", path }, options);
  return reply.refusal === undefined ? reply.body : undefined;
}

type Reply =
  | { readonly body: unknown; readonly refusal?: undefined }
  | { readonly refusal: string };

async function sendRequest(
  { method, path, body }: CommandRequest,
  options: AdminCommandOptions,
): Promise<Reply> {
  const { url, managementKey } = options;
  if (managementKey === undefined) {
    throw new CommandError("TOLLGATE_MANAGEMENT_KEY is not set: commands need a management key");
  }
  const headers: Record<string, string> = { authorization: `Bearer ${managementKey}` };
  if (body !== undefined) headers["content-type"] = "application/json";
  const sent = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
  const response = await options.fetch(`${url.replace(/\/+$/, "")}/v1${path}`, sent).catch(
    (cause: unknown) => {
      throw new CommandError(`No gateway answers at ${url}: start it, or name another with --url`, { cause });
    },
  );
  const text = await response.text();
  const reply = tryParseJson(text) ?? { reply: text.slice(0, 500) };
  if (response.ok) return { body: reply };
  return { refusal: `${response.status} ${errorMessageOf(reply) ?? response.statusText}` };
}
