/**
 * Runs the tests: `deno task test` all of them, `deno task test PATH…` those below the paths, `deno task test:fast`
 * the quick ones, `deno task test --random` the random suites. Files that no other test can disturb run in parallel.
 * Those of `exclusive` measure time or load the machine, so they run one after the other.
 */

import { noTests, runTests, stopTests, sumOf, type TestResult, wasStopped } from "./support/test_process.ts";
import { randomSuites } from "./support/random_suites.ts";
import { seed } from "./support/seed.ts";
import { slowestText } from "./support/slowest_files.ts";
import { testFiles } from "./support/test_files.ts";

const root = new URL("../", import.meta.url);

/**
 * Suites that need the machine for themselves, or that measure the whole process, in which others run beside them:
 * paths of files, or of folders with a slash behind them.
 */
const exclusive: readonly string[] = [
  "server/providers/upstream/backpressure_slow_test.ts",
  "server/providers/upstream/tls_test.ts",
  "tests/bench/",
  "tests/faults/client_test.ts",
  "tests/faults/disconnects_test.ts",
  "tests/faults/sizes_test.ts",
  "tests/faults/store_file_test.ts",
  "tests/files/disconnects_test.ts",
  "tests/http_server/disconnects_test.ts",
  "tests/http_server/drain_test.ts",
  "tests/http_server/floods_test.ts",
  "tests/http_server/fuzz_test.ts",
  "tests/http_server/slow_clients_test.ts",
  "tests/local/voice_test.ts",
  "tests/local/voice_threads_test.ts",
  "tests/reader/",
  "tests/speech/audio_property_test.ts",
  "tests/start_test.ts",
  "tests/stop_test.ts",
  "tests/tasks_test.ts",
];

/**
 * Stories in a real browser, which loads the machine too, the keeper's watch, and containers, whose commands have
 * seconds. What drives the browser, and the keeper, read /proc, which Deno allows with all permissions only.
 */
const privileged: readonly string[] = [
  "tests/bubblewrap/",
  "tests/console/",
  "tests/containers/",
  "tests/keeper/",
  "tests/sandbox/",
];

/** Campaigns of minutes. They mostly wait, so they run beside the exclusive ones, only with TOLLGATE_TEST_ALL=1. */
const campaigns: readonly string[] = ["tests/instances/", "tests/kill/"];

/** True for a file that no other one runs beside, in the same process. */
export const runsAlone = (file: string): boolean => isIn([...exclusive, ...privileged, ...campaigns])(file);

const isIn = (paths: readonly string[]) => (file: string) =>
  paths.some((path) => path.endsWith("/") ? file.startsWith(path) : file === path);

/** Unit tests that are not slow, and the golden tests of the wires. */
const isFast = (file: string) =>
  !file.endsWith("_slow_test.ts") && (!file.startsWith("tests/") || file.startsWith("tests/golden/"));

/** Where `deno test` runs, and the seed that all its processes take. */
const usual = { cwd: root, env: { SEED: String(seed) } };

interface Chosen {
  readonly files: readonly string[];
  /** Whether the long campaigns are among them. */
  readonly campaigns: boolean;
}

/** Runs each file as its list says. */
async function runListed({ files, campaigns: withCampaigns }: Chosen): Promise<TestResult> {
  const [inCampaign, isExclusive, isPrivileged] = [isIn(campaigns), isIn(exclusive), isIn(privileged)];
  const rest = files.filter((file) => !inCampaign(file) && !isPrivileged(file));
  const parallel = await runTests(rest.filter((file) => !isExclusive(file)), { ...usual, parallel: true });
  const beside = withCampaigns
    ? runTests(files.filter(inCampaign), { ...usual, quiet: true })
    : Promise.resolve(noTests);
  const series = await runTests(rest.filter(isExclusive), usual);
  const stories = await runTests(files.filter(isPrivileged), { ...usual, allPermissions: true });
  return sumOf([parallel, series, stories, await beside]);
}

/** Files below paths, and options as they are; files that run with other permissions apart. */
async function runChosen(args: readonly string[], files: readonly string[]): Promise<TestResult> {
  const below = (arg: string) => {
    const path = arg.replace(/^\.\//, "").replace(/\/$/, "");
    return files.filter(isIn([path, `${path}/`]));
  };
  const chosen = args.flatMap(below);
  if (chosen.length === 0) return await runTests(args, usual);
  const options = args.filter((arg) => below(arg).length === 0);
  const isPrivileged = isIn(privileged);
  const run = (some: readonly string[], allPermissions: boolean) =>
    some.length === 0 ? noTests : runTests([...options, ...some], { ...usual, allPermissions });
  return sumOf([
    await run(chosen.filter((file) => !isPrivileged(file)), false),
    await run(chosen.filter(isPrivileged), true),
  ]);
}

const MODES = ["--fast", "--random"];

/** Runs what the arguments name, and says in its first line which tests with which seed. */
async function runBy(args: readonly string[], all: boolean): Promise<TestResult> {
  const files = await testFiles(root);
  for (const path of [...campaigns, ...exclusive, ...privileged]) {
    if (!files.some(isIn([path]))) throw new Error(`tests/run.ts names ${path}, which has no tests`);
  }
  const [fast, random] = MODES.map((mode) => args.includes(mode));
  /** Paths and options of `deno test`. */
  const own = args.filter((arg) => !MODES.includes(arg));
  const say = (what: string) => console.log(`Running ${what} (SEED=${seed})`);
  if (own.length > 0) {
    say(own.join(" "));
    return await runChosen(own, files);
  }
  if (fast) {
    const chosen = files.filter(isFast);
    say(`${chosen.length} test files, about half a minute`);
    return await runTests(chosen, { ...usual, parallel: true });
  }
  if (random) {
    const chosen = (await randomSuites(root, files)).filter((file) => !isIn(campaigns)(file));
    say(`${chosen.length} random test files`);
    return await runListed({ files: chosen, campaigns: false });
  }
  say(`${files.length} test files, about ${all ? 15 : 5} minutes`);
  const result = await runListed({ files, campaigns: all });
  if (!all) console.log("\nSkipped: kills and several instances under load (TOLLGATE_TEST_ALL=1 runs them)");
  return result;
}

async function main(args: readonly string[]): Promise<number> {
  // A stop of this program stops its tests; it ends after them.
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, stopTests);
  const started = performance.now();
  const all = Deno.env.get("TOLLGATE_TEST_ALL") === "1";
  const { passed, failed, ignored, ok: ended, errors, times } = await runBy(args, all);
  if (all && ignored > 0) {
    console.log(`\n${ignored} tests were skipped, and with TOLLGATE_TEST_ALL=1 none may be`);
  }
  const ok = ended && passed > 0 && !wasStopped() && !(all && ignored > 0);
  const seconds = Math.round((performance.now() - started) / 1_000);
  const slowest = slowestText(times);
  if (slowest !== "") console.log(`\n${slowest}`);
  if (errors !== "") console.log(`\nWhat failed:\n\n${errors}`);
  console.log(
    `\n${ok ? "ok" : "FAILED"} | ${passed} passed | ${failed} failed | ${ignored} ignored (${seconds}s)`,
  );
  return ok ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
