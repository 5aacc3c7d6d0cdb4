/**
 * Runs the tests: `deno task test` all of them, `deno task test PATH…` those below the paths, `deno task test:fast`
 * the quick ones. Files that no other test can disturb run in parallel. Those of `exclusive` measure time or load the
 * machine, so they run one after the other.
 */

import { testFiles } from "./support/test_files.ts";

const root = new URL("../", import.meta.url);

/** Suites that need the machine for themselves: paths of files, or of folders with a slash behind them. */
const exclusive: readonly string[] = [
  "tests/bench/",
  "tests/faults/client_test.ts",
  "tests/faults/disconnects_test.ts",
  "tests/faults/store_file_test.ts",
  "tests/files/disconnects_test.ts",
  "tests/http_server/disconnects_test.ts",
  "tests/http_server/drain_test.ts",
  "tests/http_server/slow_clients_test.ts",
  "tests/local/voice_test.ts",
  "tests/local/voice_threads_test.ts",
  "tests/reader/",
  "tests/speech/audio_property_test.ts",
  "tests/start_test.ts",
  "tests/tasks_test.ts",
];

/**
 * Stories in a real browser, which loads the machine too, the keeper's watch, and containers, whose commands have
 * seconds. What drives the browser, and the keeper, read /proc, which Deno allows with all permissions only.
 */
const privileged: readonly string[] = [
  "tests/console/",
  "tests/containers/",
  "tests/keeper/",
  "tests/sandbox/",
];

/** Campaigns of minutes. They mostly wait, so they run beside the exclusive ones, only with TOLLGATE_TEST_ALL=1. */
const campaigns: readonly string[] = ["tests/instances/", "tests/kill/"];

const isIn = (paths: readonly string[]) => (file: string) =>
  paths.some((path) => path.endsWith("/") ? file.startsWith(path) : file === path);

/** Unit tests that are not slow, and the golden tests of the wires. */
const isFast = (file: string) =>
  !file.endsWith("_slow_test.ts") && (!file.startsWith("tests/") || file.startsWith("tests/golden/"));

interface Result {
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
  readonly ok: boolean;
}

const none: Result = { passed: 0, failed: 0, ignored: 0, ok: true };

const flags = [
  "--config",
  "tests/deno.json",
  "--no-check",
  "--no-prompt",
  "--v8-flags=--enable-experimental-regexp-engine,--enable-experimental-regexp-engine-on-excessive-backtracks",
];

const permissions = ["net", "env", "read", "write", "run"].map((name) => `--allow-${name}`);

/** The numbers of Deno's closing line. */
function resultOf(output: string, ok: boolean): Result {
  // deno-lint-ignore no-control-regex -- colours of a terminal
  const plain = output.replaceAll(/\x1b\[[0-9;]*m/g, "");
  const line = plain.match(/^(?:ok|FAILED) \| .*$/gm)?.at(-1) ?? "";
  const count = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0);
  const [passed, failed] = [count("passed"), count("failed")];
  return { passed, failed: ok ? failed : Math.max(failed, 1), ignored: count("ignored"), ok };
}

/** The test processes that run. */
const running = new Set<Deno.ChildProcess>();
let stopped = false;

function stop(): void {
  stopped = true;
  for (const child of running) {
    try {
      child.kill("SIGTERM");
    } catch (error) {
      // It has just ended by itself: a terminal sends its signal to every process.
      if (!(error instanceof TypeError)) throw error;
    }
  }
}

interface RunOptions {
  readonly parallel?: boolean;
  /** Shows the output when it is over, instead of as it comes. */
  readonly quiet?: boolean;
  readonly allPermissions?: boolean;
}

async function run(
  files: readonly string[],
  { parallel = false, quiet = false, allPermissions = false }: RunOptions = {},
): Promise<Result> {
  if (files.length === 0 || stopped) return none;
  const allowed = allPermissions ? ["--allow-all"] : permissions;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", ...flags, ...allowed, ...(parallel ? ["--parallel"] : []), ...files],
    cwd: root,
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  running.add(child);
  const decoder = new TextDecoder();
  let output = "";
  for await (const bytes of child.stdout) {
    output += decoder.decode(bytes, { stream: true });
    if (!quiet) await Deno.stdout.write(bytes);
  }
  const { success } = await child.status;
  running.delete(child);
  if (quiet) console.log(output);
  return resultOf(output, success);
}

const sum = (results: readonly Result[]): Result =>
  results.reduce((all, one) => ({
    passed: all.passed + one.passed,
    failed: all.failed + one.failed,
    ignored: all.ignored + one.ignored,
    ok: all.ok && one.ok,
  }), none);

async function runAll(files: readonly string[], all: boolean): Promise<Result> {
  const [inCampaign, isExclusive, isPrivileged] = [isIn(campaigns), isIn(exclusive), isIn(privileged)];
  for (const path of [...campaigns, ...exclusive, ...privileged]) {
    if (!files.some(isIn([path]))) throw new Error(`tests/run.ts names ${path}, which has no tests`);
  }
  const rest = files.filter((file) => !inCampaign(file) && !isPrivileged(file));
  const parallel = await run(rest.filter((file) => !isExclusive(file)), { parallel: true });
  const beside = all ? run(files.filter(inCampaign), { quiet: true }) : Promise.resolve(none);
  const series = await run(rest.filter(isExclusive));
  const stories = await run(files.filter(isPrivileged), { allPermissions: true });
  if (!all) console.log("\nSkipped: kills and several instances under load (TOLLGATE_TEST_ALL=1 runs them)");
  return sum([parallel, series, stories, await beside]);
}

/** Paths and options as they are; those that run with other permissions apart. */
async function runChosen(args: readonly string[], files: readonly string[]): Promise<Result> {
  const below = (arg: string) => {
    const path = arg.replace(/^\.\//, "").replace(/\/$/, "");
    return files.filter(isIn([path, `${path}/`]));
  };
  const isPrivileged = isIn(privileged);
  const chosen = args.flatMap(below);
  const apart = chosen.filter(isPrivileged);
  if (apart.length === 0) return await run(args);
  const options = args.filter((arg) => below(arg).length === 0);
  return sum([
    await run(
      apart.length < chosen.length ? [...options, ...chosen.filter((file) => !isPrivileged(file))] : [],
    ),
    await run([...options, ...apart], { allPermissions: true }),
  ]);
}

async function main(args: readonly string[]): Promise<number> {
  // A stop of this program stops its tests; it ends after them.
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, stop);
  const started = performance.now();
  const fast = args.includes("--fast");
  /** Paths and options of `deno test`. */
  const own = args.filter((arg) => arg !== "--fast");
  const files = await testFiles(root);
  const all = Deno.env.get("TOLLGATE_TEST_ALL") === "1";
  const chosen = own.length > 0 ? own : fast ? files.filter(isFast) : files;
  const duration = own.length > 0
    ? ""
    : fast
    ? ", about half a minute"
    : all
    ? ", about 15 minutes"
    : ", about 5 minutes";
  console.log(own.length > 0 ? `Running ${own.join(" ")}` : `Running ${chosen.length} test files${duration}`);
  const result = own.length > 0
    ? await runChosen(own, files)
    : fast
    ? await run(chosen, { parallel: true })
    : await runAll(chosen, all);
  const seconds = Math.round((performance.now() - started) / 1_000);
  const { passed, failed, ignored, ok } = result;
  console.log(
    `\n${ok ? "ok" : "FAILED"} | ${passed} passed | ${failed} failed | ${ignored} ignored (${seconds}s)`,
  );
  return ok && passed > 0 && !stopped ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
