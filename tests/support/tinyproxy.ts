/** A forward proxy of Debian, as operators run them. */

import { freePort } from "./free_port.ts";
import { need } from "./need.ts";
import { until } from "./until.ts";

export interface TinyproxyOptions {
  /** Wants these credentials, `user:password`. */
  readonly credentials?: string;
}

export interface Tinyproxy extends AsyncDisposable {
  readonly port: number;
  /** Reads its log: a line for each request. */
  readonly log: () => Promise<string>;
  /** Ends it, before the end of the test. */
  readonly stop: () => Promise<void>;
}

/** Whether it is installed; see `need` for where it is not. */
export function hasTinyproxy(): boolean {
  try {
    new Deno.Command("tinyproxy", { args: ["-v"], stdout: "null", stderr: "null" }).outputSync();
    return true;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return need(false, { what: "the program tinyproxy", for: "Tests of proxies on the way out" });
  }
}

export async function startTinyproxy({ credentials }: TinyproxyOptions = {}): Promise<Tinyproxy> {
  const folder = await Deno.makeTempDir({ prefix: "tinyproxy-" });
  const port = freePort();
  const log = `${folder}/log`;
  const settings = [
    `Port ${port}`,
    "Listen 127.0.0.1",
    "Allow 127.0.0.1",
    "Timeout 60",
    `LogFile "${log}"`,
    "LogLevel Connect",
    ...(credentials === undefined ? [] : [`BasicAuth ${credentials.replace(":", " ")}`]),
  ];
  await Deno.writeTextFile(`${folder}/conf`, `${settings.join("\n")}\n`);
  const child = new Deno.Command("tinyproxy", {
    args: ["-d", "-c", `${folder}/conf`],
    stdout: "null",
    stderr: "null",
  }).spawn();
  await until(() => isListening(port), { what: "the start of tinyproxy" });
  let running = true;
  const stop = async () => {
    if (!running) return;
    running = false;
    child.kill("SIGKILL");
    await child.status;
  };
  return {
    port,
    log: () => Deno.readTextFile(log),
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionRefused) return false;
    throw error;
  }
}
