/** The program as an operator starts it, in a process of its own. */

import { type Env, expandTask, root } from "./task.ts";

export interface ProgramOptions {
  readonly env?: Env;
  readonly args?: readonly string[];
  /** Task of deno.json; `start` where it is absent. */
  readonly task?: string;
}

/** As `deno task` would run it. */
async function command({ env = {}, args = [], task: name = "start" }: ProgramOptions): Promise<Deno.Command> {
  const task = await expandTask(name, { PORT: "0", NO_COLOR: "1", LOG_FORMAT: "json", ...env });
  return new Deno.Command(Deno.execPath(), {
    args: [...task.args, ...args],
    cwd: root,
    env: task.env,
    stdout: "piped",
    stderr: "piped",
  });
}

/** Runs it to its end. */
export async function ended(options: ProgramOptions) {
  const { code, stdout, stderr } = await (await command(options)).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

export interface Started {
  /** Everything on standard output up to the line that names the console. */
  readonly banner: string;
  readonly address: string;
  readonly send: (signal: Deno.Signal) => void;
  /** Sends the signal; the status and what was logged until then. */
  readonly stop: (signal?: Deno.Signal) => Promise<{ readonly code: number; readonly log: string }>;
}

/** Starts it and waits until it listens. */
export async function started(env: Readonly<Record<string, string>>): Promise<Started> {
  const child = (await command({ env })).spawn();
  const log = new Response(child.stderr).text();
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  let banner = "";
  // An empty line ends what the start prints.
  while (!banner.endsWith("\n\n")) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`It ended before it listened: ${await log}`);
    banner += decoder.decode(value, { stream: true });
  }
  const address = /listens on (http:\S+)/.exec(banner)?.[1] ?? "";
  const stop = async (signal: Deno.Signal = "SIGTERM") => {
    child.kill(signal);
    const { code } = await child.status;
    await reader.cancel();
    return { code, log: await log };
  };
  return { banner, address, send: (signal) => child.kill(signal), stop };
}

export async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
