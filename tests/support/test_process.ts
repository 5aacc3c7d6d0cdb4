/** One process of `deno test`: what it may do, what came of it, and its end where it does not end by itself. */

import { LINEAR_REGEXPS, v8Argument } from "../../server/config/process/v8_flags.ts";
import { DEPLOY_PERMISSIONS, isDeployProfile } from "../deno_deploy/profile.ts";
import { type FileTime, fileTimes, type ProcessTime } from "./test_times.ts";
import { limitOf } from "./time_limits.ts";

export interface TestResult {
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
  readonly ok: boolean;
  /** Names and errors of the tests that failed, as Deno prints them; empty where none did. */
  readonly errors: string;
  readonly times: readonly FileTime[];
  readonly processes: readonly ProcessTime[];
}

export const noTests: TestResult = {
  passed: 0,
  failed: 0,
  ignored: 0,
  ok: true,
  errors: "",
  times: [],
  processes: [],
};

export const sumOf = (results: readonly TestResult[]): TestResult =>
  results.reduce((all, one) => ({
    passed: all.passed + one.passed,
    failed: all.failed + one.failed,
    ignored: all.ignored + one.ignored,
    ok: all.ok && one.ok,
    errors: [all.errors, one.errors].filter((text) => text !== "").join("\n\n"),
    times: [...all.times, ...one.times],
    processes: [...all.processes, ...one.processes],
  }), noTests);

const preload = new URL("limit_tests.ts", import.meta.url).pathname;

const flags = [
  "--config",
  new URL("../deno.json", import.meta.url).pathname,
  "--preload",
  preload,
  "--no-check",
  "--no-prompt",
  v8Argument(LINEAR_REGEXPS),
];

const permissions = isDeployProfile
  ? DEPLOY_PERMISSIONS
  : ["net", "env", "read", "write", "run"].map((name) => `--allow-${name}`);

/** How much longer than its tests' limit a process may say nothing: for loading, hooks and the leak sanitizers. */
const SILENCE_MS = 120_000;

/** Milliseconds from the request to end, on which Deno names the tests that run, to the kill. */
const ENDING_MS = 10_000;

// deno-lint-ignore no-control-regex -- colours of a terminal
const plainText = (output: string) => output.replaceAll(/\x1b\[[0-9;]*m/g, "");

/** Deno's list of errors, which it prints before the names of the tests that failed. */
function errorsIn(text: string): string {
  const start = text.lastIndexOf("\n ERRORS \n");
  if (start === -1) return "";
  const end = text.indexOf("\n FAILURES \n", start);
  return text.slice(start + "\n ERRORS \n".length, end === -1 ? undefined : end).trim();
}

/** The numbers of Deno's closing line, and its list of errors. */
function resultOf(output: string, ok: boolean): Omit<TestResult, "processes"> {
  const text = plainText(output);
  const line = text.match(/^(?:ok|FAILED) \| .*$/gm)?.at(-1) ?? "";
  const count = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0);
  const [passed, failed] = [count("passed"), count("failed")];
  return {
    passed,
    failed: ok ? failed : Math.max(failed, 1),
    ignored: count("ignored"),
    ok,
    errors: errorsIn(text),
    times: fileTimes(text),
  };
}

/** The test processes that run. */
const running = new Set<Deno.ChildProcess>();
let stopped = false;

export const wasStopped = (): boolean => stopped;

/** Stops the test processes that run; no other one starts. */
export function stopTests(): void {
  stopped = true;
  for (const child of running) signal(child, "SIGTERM");
}

function signal(child: Deno.ChildProcess, name: Deno.Signal): void {
  try {
    child.kill(name);
  } catch (error) {
    // It has just ended by itself: a terminal sends its signal to every process.
    if (!(error instanceof TypeError)) throw error;
  }
}

export interface RunOptions {
  readonly parallel?: boolean;
  /** Names it among the processes whose times are told. */
  readonly name?: string;
  /** Shows what was said of a file when its tests are over, so that lines of another process do not mix with it. */
  readonly wholeFiles?: boolean;
  readonly allPermissions?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: URL;
  /** Milliseconds without a line after which it is ended; by default longer than each of its tests may run. */
  readonly silenceMs?: number;
}

/** Runs `deno test` with files, folders and options of its own. */
export async function runTests(args: readonly string[], options: RunOptions = {}): Promise<TestResult> {
  if (args.length === 0 || stopped) return noTests;
  const { parallel = false, wholeFiles = false, name = "tests", allPermissions = false, env = {}, cwd } =
    options;
  const allowed = allPermissions ? ["--allow-all"] : permissions;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", ...flags, ...allowed, ...(parallel ? ["--parallel"] : []), ...args],
    cwd,
    env,
    // A session of its own gets its share of a busy machine, also where all that it runs has a low priority.
    detached: true,
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  running.add(child);
  const started = performance.now();
  const silenceMs = options.silenceMs ?? Math.max(...args.map(limitOf)) + SILENCE_MS;
  const output = await heard(child, { wholeFiles, silenceMs });
  const { success } = await child.status;
  running.delete(child);
  const processes = [{ name, ms: performance.now() - started }];
  const result = { ...resultOf(output.text, success && !output.silent), processes };
  if (!output.silent) return result;
  const silence = silenceText(output.text, { args, silenceMs });
  console.log(`\n${silence}`);
  return sumOf([result, { ...noTests, ok: false, errors: silence }]);
}

/** Begins what Deno says of a file whose tests run one after the other. */
const NEXT_FILE = "\nrunning ";

/** Reads and shows its output until its end, and tells whether it was ended because it printed nothing more. */
async function heard(
  child: Deno.ChildProcess & { readonly stdout: ReadableStream<Uint8Array> },
  { wholeFiles, silenceMs }: { readonly wholeFiles: boolean; readonly silenceMs: number },
) {
  const decoder = new TextDecoder();
  let [text, unseen, silent] = ["", "", false];
  const show = async (end: number) => {
    if (end <= 0) return;
    const bytes = new TextEncoder().encode(unseen.slice(0, end));
    unseen = unseen.slice(end);
    for (let at = 0; at < bytes.length;) at += await Deno.stdout.write(bytes.subarray(at));
  };
  let timers: readonly ReturnType<typeof setTimeout>[] = [];
  const listen = () => {
    timers.forEach(clearTimeout);
    if (silent) return;
    const end = (name: Deno.Signal) => () => {
      silent = true;
      signal(child, name);
    };
    timers = [setTimeout(end("SIGINT"), silenceMs), setTimeout(end("SIGKILL"), silenceMs + ENDING_MS)];
  };
  listen();
  for await (const bytes of child.stdout) {
    if (!silent) listen();
    const part = decoder.decode(bytes, { stream: true });
    text += part;
    unseen += part;
    await show(wholeFiles ? unseen.lastIndexOf(NEXT_FILE) : unseen.length);
  }
  timers.forEach(clearTimeout);
  await show(unseen.length);
  return { text, silent };
}

/** Names the files of which nothing was heard: the loop may stand outside of every test. */
function silenceText(
  output: string,
  { args, silenceMs }: { readonly args: readonly string[]; readonly silenceMs: number },
): string {
  const missing = args.filter((file) => /_test\.tsx?$/.test(file) && !output.includes(file));
  const seconds = Math.round(silenceMs / 1_000);
  return `FAILED: nothing was heard of these tests for ${seconds} s, so they were ended. ` +
    (missing.length > 0
      ? `Not heard of at all: ${missing.join(", ")}`
      : "The last one named above did not end");
}
