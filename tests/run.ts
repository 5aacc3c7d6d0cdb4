/**
 * Runs the tests: `deno task test` all of them, `deno task test PATH…` those below the paths, `deno task test:fast`
 * the quick ones, `deno task test --random` the random suites. Files run in parallel in one process, except those that
 * another file would disturb there: they run in series, each series in a process of its own.
 */

import { noTests, runTests, stopTests, sumOf, type TestResult, wasStopped } from "./support/test_process.ts";
import { randomSuites } from "./support/random_suites.ts";
import { seed } from "./support/seed.ts";
import {
  browser,
  drawn,
  isIn,
  isLong,
  isOf,
  measured,
  pages,
  runsAlone,
  type Series,
  series,
} from "./support/series.ts";
import { processesText, slowestText } from "./support/test_times.ts";
import { testFiles } from "./support/test_files.ts";

const root = new URL("../", import.meta.url);

/** Unit tests that are not slow, and the golden tests of the wires. */
const isFast = (file: string) =>
  !file.endsWith("_slow_test.ts") && (!file.startsWith("tests/") || file.startsWith("tests/golden/"));

const RANDOM = "--random";

/** Where `deno test` runs, and the seed that all its processes take. */
const usual = { cwd: root, env: { SEED: String(seed) } };

/** Tests that measure or drive a browser: less disturbed there. */
const atLast: readonly Series[] = [measured, browser, pages];

/**
 * Runs the files that are in no series in parallel, and then the series that are `last`, beside each other; the other
 * ones, which wait much or work at a low priority, run beside all of them from the beginning.
 */
async function runListed(files: readonly string[], last = atLast): Promise<TestResult> {
  const run = (one: Series) => {
    const { name, allPermissions } = one;
    return runTests(files.filter(isOf(one)), { ...usual, name, allPermissions, wholeFiles: true });
  };
  const beside = series.filter((one) => !last.includes(one)).map(run);
  const rest = files.filter((file) => !runsAlone(file));
  const parallel = await runTests(rest, { ...usual, name: "parallel", parallel: true });
  return sumOf([parallel, ...await Promise.all([...last.map(run), ...beside])]);
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
  const isPrivileged = (file: string) => series.some((one) => one.allPermissions && isOf(one)(file));
  const run = (some: readonly string[], allPermissions: boolean) =>
    some.length === 0 ? noTests : runTests([...options, ...some], { ...usual, allPermissions });
  return sumOf([
    await run(chosen.filter((file) => !isPrivileged(file)), false),
    await run(chosen.filter(isPrivileged), true),
  ]);
}

const MODES = ["--fast", RANDOM];

/** Runs what the arguments name, and says in its first line which tests with which seed. */
async function runBy(args: readonly string[], all: boolean): Promise<TestResult> {
  const files = await testFiles(root);
  for (const path of [...series.flatMap(({ paths }) => paths), ...drawn]) {
    if (!files.some(isIn([path]))) {
      throw new Error(`tests/support/series.ts names ${path}, which has no tests`);
    }
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
    const chosen = (await randomSuites(root, files)).filter((file) => !isLong(file) && !drawn.includes(file));
    say(`${chosen.length} random test files`);
    // There are few of them, and no browser's.
    return await runListed(chosen, []);
  }
  say(`${files.length} test files, up to half an hour`);
  const result = await runListed(all ? files : files.filter((file) => !isLong(file)));
  if (!all) {
    console.log(
      "\nSkipped: the image, and kills and several instances under load (TOLLGATE_TEST_ALL=1 runs them)",
    );
  }
  return result;
}

async function main(args: readonly string[]): Promise<number> {
  // A stop of this program stops its tests; it ends after them.
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, stopTests);
  const started = performance.now();
  const all = Deno.env.get("TOLLGATE_TEST_ALL") === "1";
  const { passed, failed, ignored, ok: ended, errors, times, processes } = await runBy(args, all);
  if (all && ignored > 0) {
    console.log(`\n${ignored} tests were skipped, and with TOLLGATE_TEST_ALL=1 none may be`);
  }
  const ok = ended && passed > 0 && !wasStopped() && !(all && ignored > 0);
  const seconds = Math.round((performance.now() - started) / 1_000);
  for (const text of [processesText(processes), slowestText(times)]) {
    if (text !== "") console.log(`\n${text}`);
  }
  if (errors !== "") console.log(`\nWhat failed:\n\n${errors}`);
  console.log(
    `\n${ok ? "ok" : "FAILED"} | ${passed} passed | ${failed} failed | ${ignored} ignored (${seconds}s)`,
  );
  return ok ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
