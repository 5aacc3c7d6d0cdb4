/** The end of a process that failed: a sentence and a status. */

import { systemSentence } from "../../shared/util/system_reason.ts";
import { CommandError } from "../cli/command_error.ts";
import { ConfigError } from "../config/config_error.ts";
import { StartError } from "../management/core/start_error.ts";
import { CatalogFileError } from "../providers/catalog/operator_file.ts";
import { StoreError } from "../storage/stores/store.ts";

/** A setting, an argument or the port is wrong. */
export const EXIT_USAGE = 2;
/** The store is damaged, or not the one it was. */
export const EXIT_STORE = 78;

const encoder = new TextEncoder();
const printError = (text: string) => Deno.stderr.writeSync(encoder.encode(`${text}\n`));

interface ExitOptions {
  /** A command that does not start a gateway to serve says what is wrong and no more. */
  readonly isStart: boolean;
}

/** Prints one sentence for what an operator can mend; everything else is our fault, and is thrown with its stack. */
export function exitWithError(error: unknown, { isStart }: ExitOptions): never {
  if (error instanceof CommandError) {
    printError(error.message);
    Deno.exit(EXIT_USAGE);
  }
  if (
    error instanceof StoreError || error instanceof ConfigError || error instanceof StartError ||
    error instanceof CatalogFileError
  ) {
    printError(`${isStart ? "Tollgate cannot start. " : ""}${error.message}`);
    Deno.exit(error instanceof StoreError ? exitCodeOf(error) : EXIT_USAGE);
  }
  const sentence = systemSentence(error);
  if (sentence === undefined) throw error;
  printError(`${isStart ? "Tollgate cannot go on. " : ""}${sentence}`);
  Deno.exit(EXIT_USAGE);
}

function exitCodeOf({ kind }: StoreError): number {
  return kind === "corrupt" || kind === "lost" ? EXIT_STORE : EXIT_USAGE;
}
