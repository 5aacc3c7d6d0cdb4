/** V8's flags of the programs that the tasks run. */

/** Patterns that a backtracking engine takes too long for run in linear time. */
export const LINEAR_REGEXPS: readonly string[] = [
  "--enable-experimental-regexp-engine",
  "--enable-experimental-regexp-engine-on-excessive-backtracks",
];

/** A process that serves for weeks: the same speed after every start, and memory that is not given back too eagerly. */
export const SERVING: readonly string[] = [
  ...LINEAR_REGEXPS,
  "--invocation-count-for-turbofan=1000",
  "--no-memory-reducer",
  "--no-allocation-site-pretenuring",
];

/** The one argument of `deno run` for all of them. */
export const v8Argument = (flags: readonly string[]): string => `--v8-flags=${flags.join(",")}`;
