/** `deno task import-litellm FILE`: writes the configuration file of a LiteLLM proxy, and brings its teams and keys. */

import { CommandError } from "../../cli/command_error.ts";
import { parseArguments } from "../../cli/parse_arguments.ts";
import type { Config } from "../../config/config.ts";
import { ConfigError } from "../../config/config_error.ts";
import { unknownFlagSentence } from "../../config/unknown_flag.ts";
import { MOST_FILE_BYTES, readNamedText, type VariableSource } from "../../config/variables.ts";
import { createAuditWriter } from "../../management/audit/audit_log.ts";
import { INSTALLATION_ID, installationCollection } from "../../management/core/installation.ts";
import { loadSnapshot } from "../../providers/catalog/snapshot.ts";
import type { Runtime } from "../../runtime.ts";
import type { Store } from "../../storage/stores/store.ts";
import { convertFile } from "./convert_file.ts";
import { importKeys, parseKeyList } from "./import_keys.ts";
import { importTeams, parseTeamList, type TeamHome } from "./import_teams.ts";
import type { ImportReport } from "./import_report.ts";
import type { ModelGroups } from "./model_groups.ts";
import { parseLitellmFile } from "./litellm_file.ts";

interface ImportOptions {
  readonly args: readonly string[];
  readonly source: Pick<VariableSource, "readFile">;
  readonly config: Config;
  readonly runtime: Runtime;
  readonly openStore: (options: { readonly config: Config; readonly runtime: Runtime }) => Promise<Store>;
  /** Writes a new file. Throws where one is there. */
  readonly write: (path: string, text: string) => void;
}

const DEFAULT_OUT = "tollgate.jsonc";

interface ImportResult {
  readonly text: string;
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly asJson: boolean;
}

/** Throws a CommandError, a ConfigError or a StoreError. */
export async function runImport(options: ImportOptions): Promise<ImportResult> {
  const { words: [path, ...more], flags } = parseArguments(options.args);
  const known = ["out", "keys", "teams", "json"];
  const unknown = unknownFlagSentence({ command: "import-litellm", flags: flags.keys(), known });
  if (unknown !== undefined) throw new CommandError(unknown);
  if (path === undefined || more.length > 0) {
    throw new CommandError(
      "Name one file: import-litellm config.yaml [--out tollgate.jsonc] [--keys keys.json] [--teams teams.json]",
    );
  }
  const { source, write } = options;
  const read = (name: string, file: string) =>
    readNamedText(source, { name, path: file, mostBytes: MOST_FILE_BYTES });
  const parsed = parseLitellmFile(path, read("The file", path));
  // Of every provider, on or off: an empty list would stand for none but the built-in ones.
  const { file, report, groups } = convertFile(parsed, await loadSnapshot([{ id: "openai" }]));
  const listIn = (name: string, parse: (text: string) => readonly unknown[]) => {
    const named = flags.get(name);
    return named === undefined ? undefined : parse(read(`--${name}`, named));
  };
  const lists = { teams: listIn("teams", parseTeamList), keys: listIn("keys", parseKeyList) };
  const out = flags.get("out") ?? DEFAULT_OUT;
  const writeFile = () => write(out, `${JSON.stringify(file, null, 2)}\n`);
  if (lists.keys === undefined && lists.teams === undefined) writeFile();
  else await importRows(options, { ...lists, report, groups, writeFile });
  const text =
    `${report.text}\n\nWritten to ${out}: start with TOLLGATE_CONFIG=${out} and the variables that it names.`;
  return { text, fields: report.fields, asJson: flags.has("json") };
}

interface ImportedRows {
  readonly keys: readonly unknown[] | undefined;
  readonly teams: readonly unknown[] | undefined;
  readonly report: ImportReport;
  readonly groups: ModelGroups;
  /** Writes the configuration file. */
  readonly writeFile: () => void;
}

/**
 * Teams before keys, which come into their workspaces. The file is written once the store is there to take them: a command
 * that has to be run again, because a gateway was running, must not meet a file of its own.
 */
async function importRows(
  { config, runtime, openStore }: Pick<ImportOptions, "config" | "runtime" | "openStore">,
  { keys, teams, report, groups, writeFile }: ImportedRows,
): Promise<void> {
  const store = await openStore({ config, runtime });
  try {
    const installed = await installationCollection(store).get(INSTALLATION_ID);
    if (!installed) {
      throw new ConfigError(
        "The store is new: start the gateway once, and stop it, before keys are imported",
      );
    }
    writeFile();
    const { workspace_id: workspaceId } = installed.record;
    const deps = { store, audit: createAuditWriter(store, runtime), runtime, report, groups };
    const homes = teams === undefined ? new Map<string, TeamHome>() : await importTeams(teams, deps);
    if (keys !== undefined) await importKeys(keys, { ...deps, workspaceId, teams: homes });
  } finally {
    await store.close();
  }
}
