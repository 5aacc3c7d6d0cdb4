/** How long tests may run; `limit_tests.ts` holds each to it, and `test_process.ts` what does not even end then. */

/** By which every limit is longer: `.ci/run` passes it on to a machine that does other work besides. */
export const TIME_FACTOR = Number(Deno.env.get("TOLLGATE_TEST_TIME_FACTOR") ?? 1);

/** Seconds of every test that the list below does not name: many times what the longest takes, on a busy machine too. */
const USUAL = Number(Deno.env.get("TOLLGATE_TEST_SECONDS") ?? 300);

/** Campaigns whose tests need longer: paths of files, or of folders with a slash behind them, and seconds. */
export const longer: ReadonlyMap<string, number> = new Map([
  ["tests/kill/", 900],
  // Each command of the documents is a process of its own.
  ["tests/docs/commands_test.ts", 900],
  ["tests/instances/", 900],
  // Processes of containers, and Python in them, start at the lowest priority.
  ["tests/bubblewrap/", 600],
  ["tests/containers/", 600],
  // Packages of a whole system are fetched, and Python starts as above.
  ["tests/deploy/", 900],
  ["tests/sandbox/", 1_800],
]);

/** Milliseconds that each test of a file may run; its path begins at the checkout's folder. */
export function limitOf(file: string): number {
  for (const [path, seconds] of longer) {
    if (path.endsWith("/") ? file.startsWith(path) : file === path) return seconds * 1_000 * TIME_FACTOR;
  }
  return USUAL * 1_000 * TIME_FACTOR;
}
