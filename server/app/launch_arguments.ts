/** The programs behind the tasks of deno.json: their permissions and V8 flags, as arguments of `deno run`. */

import { permissionValue, writablePaths } from "../config/data_folder.ts";
import { LINEAR_REGEXPS, SERVING, v8Argument } from "../config/process/v8_flags.ts";
import type { VariableSource } from "../config/variables.ts";

interface Program {
  /** Options of `deno run` besides permissions and V8 flags. */
  readonly options?: readonly string[];
  /** Files are those that the settings name, unless the command line names one. */
  readonly paths: "settings" | "any";
  /** Whether it may start Deno, for the keeper. */
  readonly keeper?: true;
  readonly sys?: "uid" | "statfs";
  readonly v8?: readonly string[];
  /** The word for main.ts. */
  readonly command?: string;
}

const gateway = { paths: "settings", keeper: true, sys: "statfs", v8: SERVING } as const;

/** By the name of its task. */
const programs: ReadonlyMap<string, Program> = new Map<string, Program>([
  ["start", gateway],
  ["dev", { ...gateway, options: ["--watch"] }],
  ["admin", { paths: "settings", v8: LINEAR_REGEXPS, command: "admin" }],
  ["doctor", { paths: "settings", sys: "uid", v8: LINEAR_REGEXPS, command: "doctor" }],
  ["backup", { paths: "any", command: "backup" }],
  ["restore", { paths: "any", command: "restore" }],
  ["scores", { paths: "any", command: "scores" }],
  ["import-litellm", { paths: "any", command: "import-litellm" }],
  ["compact", { paths: "settings", command: "compact" }],
  ["migrate", { paths: "settings", command: "migrate" }],
]);

/** Packages whose files the built-in models read while they run. */
const packages = ["@echogarden/espeak-ng-emscripten", "@fontsource/pt-sans", "@takumi-rs/wasm"] as const;

/** The code that threads import, and the packages above in Deno's cache. */
async function installedPaths(): Promise<readonly string[]> {
  const { fileURLToPath } = await import("node:url");
  const [, registry] = /^(file:\/\/.*\/npm\/[^/]+)\/zod\//.exec(import.meta.resolve("zod")) ?? [];
  const folders = registry === undefined ? [] : packages.map((name) => `${registry}/${name}`);
  const code = [
    "../local_provider",
    "../speech",
    "../sandbox/keeper",
    "../storage/stores/copy_thread",
    "../../shared",
    "../../console/dist",
  ]
    .map((path) => new URL(path, import.meta.url).href);
  return [...code, ...folders].map((url) => fileURLToPath(url));
}

/** Every setting may name a file: loaded only here, because all of them delay the start. */
async function settingsPaths(source: VariableSource): Promise<readonly string[]> {
  const { readablePaths } = await import("../config/process/permissions.ts");
  const { providerSettings } = await import("../providers/mod.ts");
  return [...await readablePaths({ ...source, providerSettings }), ...await installedPaths()];
}

async function pathFlags(paths: Program["paths"], source: VariableSource): Promise<readonly string[]> {
  if (paths === "any") return ["--allow-read", "--allow-write"];
  const [read, write] = [await settingsPaths(source), writablePaths(source)];
  return [`--allow-read=${permissionValue(read)}`, `--allow-write=${permissionValue(write)}`];
}

/**
 * The arguments of `deno run` for a task, with the settings that its process has. Undefined: there is no such program.
 * Throws a ConfigError for a path that Deno would take for several.
 */
export async function launchArguments(
  task: string,
  source: VariableSource,
): Promise<readonly string[] | undefined> {
  const program = programs.get(task);
  if (program === undefined) return undefined;
  const { options = [], paths, keeper, sys, v8, command } = program;
  return [
    ...options,
    "--frozen",
    "--no-prompt",
    "--allow-net",
    "--allow-env",
    ...await pathFlags(paths, source),
    // The name `deno` does not stand for this program where Deno came through npm.
    ...keeper === undefined ? [] : [`--allow-run=${permissionValue([Deno.execPath()])}`],
    ...sys === undefined ? [] : [`--allow-sys=${sys}`],
    ...v8 === undefined ? [] : [v8Argument(v8)],
    "main.ts",
    ...command === undefined ? [] : [command],
  ];
}
