/** The words of the operator's commands on a store, after `main.ts`. */

import { ownValue } from "../../../../shared/util/own_value.ts";
import type { Clock } from "../../../runtime.ts";
import type { StoreCheck } from "./check_store.ts";
import { backupStore, compactStore, restoreStore } from "./store_commands.ts";
import type { StoreReport } from "./store_report.ts";
import { unknownFlagSentence } from "../../../config/unknown_flag.ts";
import { migrateStore } from "./migrate_command.ts";
import { migrations } from "../migrations.ts";
import type { StoreLocation } from "../store_location.ts";
import { StoreError } from "../store.ts";

/** Does it and tells what came of it. Throws a StoreError. */
type StoreCommand = (place: StoreLocation, tools: StoreTools) => Promise<StoreReport>;

interface StoreCommandLine {
  readonly run: StoreCommand;
  readonly asJson: boolean;
}

interface StoreTools {
  readonly clock: Clock;
  /** Tells whether the records of a backup are sound. */
  readonly check?: StoreCheck;
}

interface CommandWords {
  readonly usage: string;
  /** Flags that it knows besides --json, without dashes. */
  readonly flags: readonly string[];
  /** Fewest and most words besides flags. */
  readonly files: readonly [number, number];
  readonly run: (input: CommandArguments) => StoreCommand;
}

interface CommandArguments {
  readonly file?: string;
  readonly flags: ReadonlySet<string>;
}

const table: Readonly<Record<string, CommandWords>> = {
  backup: {
    usage: "deno task backup [FILE] [--json]",
    flags: [],
    files: [0, 1],
    run: ({ file }) => (place, { clock, check }) => backupStore(place, { file, clock, check }),
  },
  restore: {
    usage: "deno task restore FILE [--yes] [--json]",
    flags: ["yes"],
    files: [1, 1],
    run: ({ file = "", flags }) => (place, { clock }) =>
      restoreStore(place, { file, yes: flags.has("yes"), clock }),
  },
  compact: {
    usage: "deno task compact [--json]",
    flags: [],
    files: [0, 0],
    run: () => (place) => compactStore(place),
  },
  migrate: {
    usage: "deno task migrate [--dry-run] [--json]",
    flags: ["dry-run"],
    files: [0, 0],
    run: ({ flags }) => (place, { clock }) =>
      migrateStore(place, { migrations, clock, dryRun: flags.has("dry-run") }),
  },
};

/** Undefined for words that are none of these. Throws a StoreError `invalid` that shows the usage. */
export function parseStoreCommand([name = "", ...rest]: readonly string[]): StoreCommandLine | undefined {
  if (!Object.hasOwn(table, name)) return undefined;
  const words = ownValue(table, name);
  if (!words) return undefined;
  const flags = new Set(rest.filter((word) => word.startsWith("-")).map((flag) => flag.replace(/^--?/, "")));
  const files = rest.filter((word) => !word.startsWith("-"));
  const [fewest, most] = words.files;
  const usage = `Cannot ${name}: the command is ${words.usage}`;
  const unknown = unknownFlagSentence({ command: name, flags, known: [...words.flags, "json"] });
  if (unknown !== undefined) throw new StoreError("invalid", `${usage}. ${unknown}`);
  if (files.length < fewest || files.length > most) throw new StoreError("invalid", usage);
  return { run: words.run({ file: files[0], flags }), asJson: flags.has("json") };
}
