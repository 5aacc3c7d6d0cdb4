/** Processes under measurement: started, watched through /proc, stopped. */

import { SERVING, v8Argument } from "../../server/config/process/v8_flags.ts";
import { ALL_OPEN } from "./job.ts";

/** The same V8 flags as `deno task start`. */
const COMMON = [
  "--no-prompt",
  v8Argument(SERVING),
];

/** And permission to read and write any file. */
const FLAGS = [...COMMON, "--allow-net", "--allow-env", "--allow-read", "--allow-write"];

const path = (file: string) => new URL(file, import.meta.url).pathname;

/** Milliseconds of processor time that one tick of /proc/<pid>/stat stands for: USER_HZ is 100 on Linux. */
const TICK_MS = 10;
const PAGE_BYTES = 4096;

/** User and system time of a process so far, all its threads, in milliseconds; NaN where there is no /proc. */
export async function cpuMs(pid: number): Promise<number> {
  const stat = await readProc(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11] ?? NaN) + Number(fields[12] ?? NaN)) * TICK_MS;
}

/** Resident memory of a process in bytes; NaN where there is no /proc. */
export async function rssBytes(pid: number): Promise<number> {
  const statm = await readProc(`/proc/${pid}/statm`);
  return Number(statm.split(" ")[1] ?? NaN) * PAGE_BYTES;
}

/** The most resident memory that a process has had, in bytes; NaN where there is no /proc. */
export async function peakBytes(pid: number): Promise<number> {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(await readProc(`/proc/${pid}/status`)) ?? [];
  return Number(kib ?? NaN) * 1024;
}

/** Milliseconds for which a process's main thread was ready and had no processor; NaN where Linux does not say. */
export async function waitedMs(pid: number): Promise<number> {
  const [, nanoseconds] = (await readProc(`/proc/${pid}/task/${pid}/schedstat`)).split(" ");
  return Number(nanoseconds ?? NaN) / 1e6;
}

/** Memory of a process in bytes, its share of what it shares with others among it; NaN where there is no /proc. */
export async function shareBytes(pid: number): Promise<number> {
  const [, kib] = /^Pss:\s+(\d+) kB$/m.exec(await readProc(`/proc/${pid}/smaps_rollup`)) ?? [];
  return Number(kib ?? NaN) * 1024;
}

/** Open files and connections of a process; NaN where there is no /proc. */
export async function countHandles(pid: number): Promise<number> {
  const { stdout, success } = await new Deno.Command("ls", { args: [`/proc/${pid}/fd`], stderr: "null" })
    .output();
  return success ? new TextDecoder().decode(stdout).trim().split("\n").length : NaN;
}

/** Through `cat`, because Deno lets only a process with every permission read another one's /proc. */
async function readProc(file: string): Promise<string> {
  const { stdout } = await new Deno.Command("cat", { args: [file], stderr: "null" }).output();
  return new TextDecoder().decode(stdout);
}

/** Lines of a process's output, as they come. */
export async function* linesOf(output: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let held = "";
  for await (const text of output.pipeThrough(new TextDecoderStream())) {
    const lines = (held + text).split("\n");
    held = lines.pop() ?? "";
    yield* lines;
  }
  if (held !== "") yield held;
}

export interface Server {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

function stopper(child: Deno.ChildProcess): () => Promise<void> {
  return async () => {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended by itself.
    }
    await child.status;
  };
}

/** Starts a server of this folder that prints its port as its first line. */
export async function startServer(file: string, args: readonly string[] = []): Promise<Server> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--config", path("../deno.json"), ...FLAGS, path(file), ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = linesOf(child.stdout);
  const port = Number((await lines.next()).value);
  if (!(port > 0)) throw new Error(`Cannot start ${file}: it printed no port`);
  return { pid: child.pid, port, stop: stopper(child) };
}

/** A gateway, and how many ms it took from its start as a process to its first answer. */
export interface StartedServer extends Server {
  /** That it runs, or how it has ended, for the message of a failure. */
  readonly state: () => string;
  readonly startMs: number;
}

/** State of a process that has not ended. */
export const RUNNING = "is running";
/** How long the gateway may take until it is ready, in milliseconds. */
const START_MS = 60_000;
/** How long one look whether it is ready may take. */
const READY_MS = 1_000;

export interface GatewayProcessOptions {
  /** Whether it may start its keeper, which reads documents and runs commands. */
  readonly keeper?: boolean;
  /** The port on which V8's inspector listens. */
  readonly inspect?: number;
}

/** Starts the gateway as its start task does, on a port that it finds free itself, and waits until it is ready. */
export async function startGateway(
  env: Readonly<Record<string, string>>,
  { keeper = false, inspect }: GatewayProcessOptions = {},
): Promise<StartedServer> {
  const from = performance.now();
  const flags = [
    ...FLAGS,
    ...(keeper ? [`--allow-run=${Deno.execPath()}`] : []),
    ...(inspect === undefined ? [] : [`--inspect=127.0.0.1:${inspect}`]),
  ];
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--config", path("../../deno.json"), "--frozen", ...flags, path("../../main.ts")],
    env: { ...env, PORT: "0" },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const stop = stopper(child);
  let state = RUNNING;
  child.status.then(({ code, signal }) => state = `has ended with ${signal ?? `status ${code}`}`);
  const late = setTimeout(stop, START_MS);
  try {
    const port = await portOf(child.stdout);
    let lastReply = "it told no port";
    for (const until = from + START_MS; port > 0 && performance.now() < until;) {
      lastReply = await readiness(port);
      if (lastReply !== READY) await new Promise((resolve) => setTimeout(resolve, 5));
      else return { pid: child.pid, port, stop, state: () => state, startMs: performance.now() - from };
    }
    const ended = state;
    await stop();
    throw new Error(
      `Cannot start the gateway: it ${ended} and was not ready within ${START_MS} ms: ${lastReply}`,
    );
  } finally {
    clearTimeout(late);
  }
}

/** The port in the banner; NaN when there is none. What is printed after that line is not read. */
async function portOf(output: ReadableStream<Uint8Array>): Promise<number> {
  for await (const line of linesOf(output)) {
    const found = / listens on http:\/\/[^ ]*:(\d+)/.exec(line)?.[1];
    if (found !== undefined) return Number(found);
  }
  return NaN;
}

const READY = "ready";

/** {@link READY}, or why it is not. */
async function readiness(port: number): Promise<string> {
  try {
    const signal = AbortSignal.timeout(READY_MS);
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal });
    const text = await answer.text();
    return answer.ok ? READY : `${answer.status} ${text}`;
  } catch (error) {
    // Nobody listens yet, or nobody answers.
    return String(error);
  }
}

export interface ScriptOptions {
  readonly onLine?: (line: string) => void;
  /** True for a script that drives a browser: it reads /proc, which Deno allows with all permissions only. */
  readonly allPermissions?: boolean;
}

/** Runs a script of this folder to its end; returns its last line, which is JSON. */
export async function runScript(
  file: string,
  args: readonly string[],
  { onLine = () => {}, allPermissions = false }: ScriptOptions = {},
): Promise<unknown> {
  const flags = allPermissions ? [...COMMON, "--allow-all"] : FLAGS;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--config", path("../deno.json"), ...flags, path(file), ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let last = "";
  for await (const line of linesOf(child.stdout)) {
    onLine(line);
    last = line;
  }
  const { code } = await child.status;
  if (code !== 0) throw new Error(`${file} ended with status ${code}`);
  return JSON.parse(last);
}

/** Runs the load generator; `onAllOpen` is called when it says that every stream is open. */
export function load(job: unknown, onAllOpen: () => void = () => {}): Promise<unknown> {
  const onLine = (line: string) => {
    if (line === ALL_OPEN) onAllOpen();
  };
  return runScript("load.ts", [JSON.stringify(job)], { onLine });
}
