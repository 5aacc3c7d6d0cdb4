/** Commands on the store of a gateway that is stopped: they call nobody. */

import { unknownFlagSentence } from "../config/unknown_flag.ts";
import { CommandError } from "./command_error.ts";
import { parseArguments } from "./parse_arguments.ts";

type LocalCommandName = "recover" | "reencrypt";

interface LocalCommand {
  readonly name: LocalCommandName;
  readonly summary: string;
  /** Behind the summary where help is asked for. */
  readonly help: string;
}

export const localCommands: readonly LocalCommand[] = [
  {
    name: "recover",
    summary: "Creates a management key with the gateway stopped, where the last one is lost.",
    help: "Takes no words. Run it with the gateway's own settings (TOLLGATE_DATA or TOLLGATE_STORE).\n" +
      "Delete the lost key afterwards: management-keys delete.",
  },
  {
    name: "reencrypt",
    summary: "Encrypts stored provider keys with a new master key, with the gateway stopped.",
    help: "Takes no words. TOLLGATE_NEW_MASTER_KEY is the new key, 32 random bytes in base64;\n" +
      "TOLLGATE_MASTER_KEY, or master.key in the data folder, is still the old one.",
  },
];

type LocalCommandLine =
  | { readonly name: LocalCommandName; readonly asJson: boolean; readonly help?: undefined }
  | { readonly help: string };

/** Undefined where the words begin no command of this kind. Throws a CommandError for what it does not take. */
export function parseLocalCommand(args: readonly string[]): LocalCommandLine | undefined {
  const found = localCommands.find(({ name }) => name === args[0]);
  if (found === undefined) return undefined;
  const { words, flags } = parseArguments(args);
  const { name, summary, help } = found;
  if (flags.has("help")) {
    return { help: `  ${name}  ${summary}\n\n${help}\n    --json  the result as JSON\n` };
  }
  const unknown = unknownFlagSentence({ command: name, flags: flags.keys(), known: ["json", "help"] });
  if (unknown !== undefined) throw new CommandError(unknown);
  if (words.length > 1) throw new CommandError(`${name} takes no words behind it`);
  return { name, asJson: flags.has("json") };
}
