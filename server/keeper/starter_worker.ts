/**
 * A thread of the gateway's process that starts keepers, and has the right to nothing else. The other threads give
 * that right back, and can only say to this one that it should start a keeper, or end it: the command is here.
 */

import { fileURLToPath } from "node:url";
import type { FromStarter, ToStarter } from "./starter_messages.ts";

/** A thread's global scope, which the types take for a window's. */
interface Scope {
  onmessage: (event: { readonly data: ToStarter }) => void;
  postMessage(message: FromStarter, taken?: Transferable[]): void;
}

const asScope = (scope: unknown) => scope as Scope;
const scope = asScope(globalThis);

const localPath = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const keeperPaths = [`--config=${localPath("../../deno.json")}`, localPath("main.ts")];

/** Of the keeper: what comes first is kept. */
let environment: Readonly<Record<string, string>> | undefined;
let running: Deno.ChildProcess | undefined;

function receive({ data }: { readonly data: ToStarter }): void {
  switch (data.type) {
    case "prepare":
      environment ??= data.env;
      return;
    case "start":
      // One at a time.
      if (running === undefined) start();
      return;
    case "kill":
      return kill();
    default:
      data satisfies never;
  }
}

function start(): void {
  try {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--allow-all", "--no-prompt", "--frozen", "--cached-only", ...keeperPaths],
      env: { ...environment },
      clearEnv: true,
      // A terminal's signals are for the gateway, which may still need its children.
      detached: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    running = child;
    const { stdin, stdout } = child;
    scope.postMessage({ type: "started", stdin, stdout }, [stdin, stdout]);
    child.status.then(tellEnd);
  } catch (error) {
    scope.postMessage({ type: "failed", error: String(error) });
  }
}

function tellEnd({ code, signal }: Deno.CommandStatus): void {
  running = undefined;
  scope.postMessage({ type: "ended", code, signal });
}

function kill(): void {
  try {
    running?.kill("SIGKILL");
  } catch (error) {
    // It has ended in this moment.
    if (!(error instanceof TypeError)) throw error;
  }
}

scope.onmessage = receive;
