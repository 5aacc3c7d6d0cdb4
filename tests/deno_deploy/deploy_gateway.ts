/** The gateway as Deno Deploy starts it: `main.ts`, its variables, an assigned KV database, and few permissions. */

import type { KvConnect } from "./kv_connect.ts";
import { DEPLOY_PERMISSIONS } from "./profile.ts";
import { HEAP_MIB, METRICS_TOKEN } from "./platform_limits.ts";
import { v8Argument } from "../../server/config/process/v8_flags.ts";
import { linesOf } from "../bench/process.ts";

export const MANAGEMENT_KEY = "deploy-management-key-of-32-characters-x";
export const API_KEY = "deploy-api-key-of-at-least-32-characters";

const HEAP = v8Argument([`--max-old-space-size=${HEAP_MIB}`]);

export interface DeployedGateway {
  readonly url: string;
  readonly pid: number;
  /** Lines of its log, as they come. */
  readonly log: readonly string[];
  /** Sends what the platform sends, and resolves with the exit status. */
  readonly stop: (signal?: Deno.Signal) => Promise<number>;
}

/** Starts it and waits until it listens. */
export async function deployGateway(
  kv: KvConnect,
  env: Readonly<Record<string, string>> = {},
): Promise<DeployedGateway> {
  const root = new URL("../../", import.meta.url);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--frozen", "--cached-only", "--no-prompt", HEAP, ...DEPLOY_PERMISSIONS, "main.ts"],
    cwd: root,
    env: {
      ...kv.env,
      DENO_DEPLOY: "true",
      PORT: "0",
      TOLLGATE_MANAGEMENT_KEY: MANAGEMENT_KEY,
      TOLLGATE_API_KEY: API_KEY,
      TOLLGATE_METRICS_TOKEN: METRICS_TOKEN,
      LOG_FORMAT: "json",
      ...env,
    },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const log: string[] = [];
  const { promise: listening, resolve, reject } = Promise.withResolvers<number>();
  const reading = (async () => {
    for await (const line of linesOf(child.stderr)) {
      log.push(line);
      const port = /"message":"Gateway started".*"port":(\d+)/.exec(line)?.[1];
      if (port !== undefined) resolve(Number(port));
    }
    reject(new Error(`The gateway did not start:\n${log.join("\n")}`));
  })();
  const stop = async (signal: Deno.Signal = "SIGINT") => {
    child.kill(signal);
    const { code } = await child.status;
    await reading;
    return code;
  };
  return { url: `http://127.0.0.1:${await listening}`, pid: child.pid, log, stop };
}
