/** `deno task import-litellm FILE`: writes the configuration file of a LiteLLM proxy, and brings its keys. */

import { CommandError } from "../../cli/command_error.ts";
import { parseArguments } from "../../cli/parse_arguments.ts";
import type { Config } from "../../config/config.ts";
import { unknownFlagSentence } from "../../config/unknown_flag.ts";
import { MOST_FILE_BYTES, readNamedText, type VariableSource } from "../../config/variables.ts";
import { createAuditWriter } from "../../management/audit/audit_log.ts";
import { loadSnapshot } from "../../providers/catalog/snapshot.ts";
import type { Runtime } from "../../runtime.ts";
import type { Store } from "../../storage/stores/store.ts";
import { convertFile } from "./convert_file.ts";
import { importKeys } from "./import_keys.ts";
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
  const known = ["out", "keys", "json"];
  const unknown = unknownFlagSentence({ command: "import-litellm", flags: flags.keys(), known });
  if (unknown !== undefined) throw new CommandError(unknown);
  if (path === undefined || more.length > 0) {
    throw new CommandError(
      "Name one file: import-litellm config.yaml [--out tollgate.jsonc] [--keys keys.json]",
    );
  }
  const { source, config, runtime, openStore, write } = options;
  const read = (name: string, file: string) =>
    readNamedText(source, { name, path: file, mostBytes: MOST_FILE_BYTES });
  const parsed = parseLitellmFile(path, read("The file", path));
  // Of every provider, on or off: an empty list would stand for none but the built-in ones.
  const { file, report } = convertFile(parsed, await loadSnapshot([{ id: "openai" }]));
  const keys = flags.get("keys");
  const keyText = keys === undefined ? undefined : read("--keys", keys);
  const out = flags.get("out") ?? DEFAULT_OUT;
  write(out, `${JSON.stringify(file, null, 2)}\n`);
  if (keyText !== undefined) {
    const store = await openStore({ config, runtime });
    try {
      await importKeys(keyText, {
        store,
        audit: createAuditWriter(store, runtime),
        now: runtime.clock.now(),
        report,
      });
    } finally {
      await store.close();
    }
  }
  const text =
    `${report.text}\n\nWritten to ${out}: start with TOLLGATE_CONFIG=${out} and the variables that it names.`;
  return { text, fields: report.fields, asJson: flags.has("json") };
}
