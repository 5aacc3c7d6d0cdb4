/** The times of test files, read from what `deno test` prints, and of its processes; in words. */

export interface FileTime {
  readonly file: string;
  /** Time of its tests one after the other, in ms. Deno rounds a test of more than a second down to seconds. */
  readonly ms: number;
}

const units: ReadonlyMap<string, number> = new Map([["µs", 0.001], ["ms", 1], ["s", 1_000], ["m", 60_000]]);

/** `1m2s`, `833ms` or `787µs`. */
const milliseconds = (duration: string): number =>
  [...duration.matchAll(/(\d+)(µs|ms|s|m)/g)]
    .reduce((sum, [, number, unit = ""]) => sum + Number(number) * (units.get(unit) ?? 0), 0);

/** Steps stand as `test ... step` where files run in parallel, and their tests behind them. */
function isStep(name: string, tests: ReadonlyMap<string, number>): boolean {
  const parts = name.split(" ... ");
  return parts.some((_, at) => at > 0 && tests.has(parts.slice(0, at).join(" ... ")));
}

/** The output has no colours. */
export function fileTimes(output: string): readonly FileTime[] {
  const files = new Map<string, Map<string, number>>();
  let current = "";
  for (const line of output.split("\n")) {
    current = /^running \d+ tests? from \.\/(\S+)$/.exec(line)?.[1] ?? current;
    const ended = /^(?:\.\/(\S+) => )?(\S.*) \.\.\. (?:ok|FAILED)(?: \(due to [^)]*\))? \(([\dµms]+)\)$/
      .exec(line);
    if (ended === null) continue;
    const [, file = current, name = "", duration = ""] = ended;
    const tests = files.get(file) ?? new Map<string, number>();
    files.set(file, tests.set(name, milliseconds(duration)));
  }
  return [...files].map(([file, tests]) => {
    const own = [...tests].filter(([name]) => !isStep(name, tests));
    return { file, ms: own.reduce((sum, [, ms]) => sum + ms, 0) };
  });
}

const MOST = 10;

const timeLine = (ms: number, of: string) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${of}`;

/** The slowest ten, one a line; empty where fewer than two files ran. */
export function slowestText(times: readonly FileTime[]): string {
  if (times.length < 2) return "";
  const slowest = times.toSorted((one, other) => other.ms - one.ms).slice(0, MOST);
  const lines = slowest.map(({ file, ms }) => timeLine(ms, file));
  return ["Slowest files, by the time of their tests:", ...lines].join("\n");
}

export interface ProcessTime {
  readonly name: string;
  /** From its start to its end, in ms. */
  readonly ms: number;
}

/** How long each process of tests ran, one a line; empty where there was one. */
export function processesText(processes: readonly ProcessTime[]): string {
  if (processes.length < 2) return "";
  return ["Processes of tests:", ...processes.map(({ name, ms }) => timeLine(ms, name))].join("\n");
}
