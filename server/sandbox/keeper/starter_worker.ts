/**
 * A thread of the gateway's process that starts keepers, and has the right to nothing else. The other threads give
 * that right back. They can say to this one that it should start a keeper, hand bytes on, or end it: the command is
 * here.
 */

import { fileURLToPath } from "node:url";
import type { FromStarter, ToProcess, ToStarter } from "./starter_messages.ts";

/** A thread's global scope, which the types take for a window's. */
interface Scope {
  onmessage: (event: { readonly data: ToStarter }) => void;
  postMessage(message: FromStarter, taken?: Transferable[]): void;
}

const asScope = (scope: unknown) => scope as Scope;
const scope = asScope(globalThis);

const localPath = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const keeperPaths = [`--config=${localPath("../../../deno.json")}`, localPath("main.ts")];

interface StartedKeeper {
  readonly id: number;
  readonly child: Deno.ChildProcess;
  readonly input: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly output: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  hasEnded: boolean;
}

/** Environment and arguments of the keeper: the first ones are kept. */
let prepared: Pick<Extract<ToStarter, { type: "prepare" }>, "env" | "args"> | undefined;
/** The last one. */
let keeper: StartedKeeper | undefined;

function receive({ data }: { readonly data: ToStarter }): void {
  if (data.type === "prepare") prepared ??= data;
  else if (data.type === "start") start(data.id);
  else if (keeper?.id === data.id) handle(keeper, data);
}

/** One at a time. */
function start(id: number): void {
  if (keeper?.hasEnded === false) return;
  try {
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--allow-all",
        "--no-prompt",
        "--frozen",
        "--cached-only",
        ...keeperPaths,
        ...prepared?.args ?? [],
      ],
      env: { ...prepared?.env },
      clearEnv: true,
      // A terminal's signals are for the gateway, which may still need its children.
      detached: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const started = {
      id,
      child,
      input: child.stdin.getWriter(),
      output: child.stdout.getReader(),
      hasEnded: false,
    };
    keeper = started;
    scope.postMessage({ type: "started", id });
    child.status.then((status) => tellEnd(started, status));
  } catch (error) {
    scope.postMessage({ type: "failed", id, error: String(error) });
  }
}

function handle(keeper: StartedKeeper, message: ToProcess): void {
  switch (message.type) {
    case "write":
      return void write(keeper, message.bytes);
    case "close":
      return void keeper.input.close().catch(() => {
        // It has ended already.
      });
    case "read":
      return void read(keeper);
    case "kill":
      return kill(keeper);
    default:
      message satisfies never;
  }
}

async function write({ id, input }: StartedKeeper, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const error = await input.write(bytes).then(() => undefined, String);
  scope.postMessage({ type: "written", id, error });
}

/** A pipe that breaks is at its end. */
async function read({ id, output }: StartedKeeper): Promise<void> {
  const bytes = await output.read().then(({ value }) => value, () => undefined);
  scope.postMessage({ type: "read", id, bytes }, bytes === undefined ? [] : [bytes.buffer]);
}

function tellEnd(keeper: StartedKeeper, { code, signal }: Deno.CommandStatus): void {
  keeper.hasEnded = true;
  scope.postMessage({ type: "ended", id: keeper.id, code, signal });
}

function kill({ child }: StartedKeeper): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    // It has ended in this moment.
    if (!(error instanceof TypeError)) throw error;
  }
}

scope.onmessage = receive;
