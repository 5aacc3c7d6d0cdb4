/** The gateway's side of the keeper: starts it, hands it runs, and knows when it has ended. */

import { fileURLToPath } from "node:url";
import type { Clock, Logger } from "../runtime.ts";
import { FrameReader, FrameWriter, streamReader } from "./frames.ts";
import {
  type KeeperEvent,
  keeperEventSchema,
  type ProgramName,
  type RunOutcome,
  type SessionProgramName,
} from "./messages.ts";

export interface ProgramRun {
  readonly outcome: RunOutcome;
  /** What went wrong in the program, for the log. */
  readonly detail?: string;
  /** The program's standard output; empty unless it is done. */
  readonly output: Uint8Array<ArrayBuffer>;
}

export interface ProgramInput {
  /** The program's standard input. */
  readonly input: Uint8Array<ArrayBuffer>;
  /** Ends the program. */
  readonly signal: AbortSignal;
}

export interface ProgramFrame {
  /** Not yet checked. */
  readonly header: Readonly<Record<string, unknown>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

export interface SessionInput {
  /** Beyond it the program is ended. */
  readonly memoryMib: number;
  /** Gets the program's frames. */
  readonly onFrame: (frame: ProgramFrame) => void;
}

export interface SentFrame {
  readonly header: Readonly<Record<string, unknown>>;
  readonly body?: Uint8Array;
  /** The program is ended where it does not answer in time. */
  readonly timeMs?: number;
}

/** A program that stays. */
export interface ProgramSession {
  send(frame: SentFrame): void;
  /** Ends it at once; harmless when it has ended. */
  kill(): void;
  /** How it ended, once it has. Rejects with KeeperUnavailable. */
  readonly ended: Promise<Omit<ProgramRun, "output">>;
}

/** Runs programs outside of the gateway's process. */
export interface Keeper {
  /** Why no program can be run; undefined while they can. */
  readonly unavailableReason: string | undefined;
  /** Rejects with KeeperUnavailable, or with the signal's reason. */
  run(program: ProgramName, options: ProgramInput): Promise<ProgramRun>;
  /** Starts a program that stays. Throws KeeperUnavailable. */
  open(program: SessionProgramName, options: SessionInput): ProgramSession;
  /** Ends every program. */
  close(): Promise<void>;
}

export class KeeperUnavailable extends Error {
  override readonly name = "KeeperUnavailable";
}

export interface StartKeeperOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Where Deno finds its cache and its packages: nothing else of the environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Called while the process may still start programs; nothing is started afterwards but by the keeper. */
export function startKeeper(options: StartKeeperOptions): Keeper {
  const command = Deno.execPath();
  if (Deno.permissions.querySync({ name: "run", command }).state !== "granted") {
    return unavailableKeeper("The gateway may start no programs: see SECURITY.md, The keeper.");
  }
  const child = new Deno.Command(command, {
    args: ["run", "--allow-all", "--no-prompt", "--frozen", "--cached-only", ...keeperPaths],
    env: options.env,
    clearEnv: true,
    // A terminal's signals are for the gateway, which may still need its children.
    detached: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  return new KeeperProcess(child, options);
}

/** One that never runs a program. */
export function unavailableKeeper(reason: string): Keeper {
  return {
    unavailableReason: reason,
    run: () => Promise.reject(new KeeperUnavailable(reason)),
    open: () => {
      throw new KeeperUnavailable(reason);
    },
    close: () => Promise.resolve(),
  };
}

const localPath = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const keeperPaths = [`--config=${localPath("../../deno.json")}`, localPath("main.ts")];

/** Time for an orderly end. */
const CLOSE_MS = 1_000;
const ENDED = "The keeper has ended. Restart the gateway to read documents and to run commands again.";

class KeeperProcess implements Keeper {
  readonly #child: Deno.ChildProcess;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #requests: FrameWriter;
  readonly #runs = new Map<number, PromiseWithResolvers<ProgramRun>>();
  readonly #ended: Promise<void>;
  readonly #onFrame = new Map<number, SessionInput["onFrame"]>();
  #nextId = 0;
  #closing = false;
  unavailableReason: string | undefined;

  constructor(child: Deno.ChildProcess, { clock, log }: Pick<StartKeeperOptions, "clock" | "log">) {
    this.#child = child;
    this.#clock = clock;
    this.#log = log;
    this.#requests = new FrameWriter(child.stdin);
    this.#ended = this.#listen();
  }

  async run(program: ProgramName, { input, signal }: ProgramInput): Promise<ProgramRun> {
    if (this.unavailableReason !== undefined) throw new KeeperUnavailable(this.unavailableReason);
    signal.throwIfAborted();
    const id = this.#nextId++;
    const run = Promise.withResolvers<ProgramRun>();
    const stop = () => {
      this.#send({ type: "stop", id });
      run.reject(signal.reason);
    };
    this.#runs.set(id, run);
    signal.addEventListener("abort", stop, { once: true });
    this.#send({ type: "run", id, program }, input);
    try {
      return await run.promise;
    } finally {
      signal.removeEventListener("abort", stop);
      this.#runs.delete(id);
    }
  }

  open(program: SessionProgramName, { memoryMib, onFrame }: SessionInput): ProgramSession {
    if (this.unavailableReason !== undefined) throw new KeeperUnavailable(this.unavailableReason);
    const id = this.#nextId++;
    const run = Promise.withResolvers<ProgramRun>();
    this.#runs.set(id, run);
    this.#onFrame.set(id, onFrame);
    this.#send({ type: "open", id, program, memoryMib });
    const ended = run.promise.finally(() => {
      this.#runs.delete(id);
      this.#onFrame.delete(id);
    });
    return {
      ended,
      send: ({ header, body, timeMs }) => this.#send({ type: "send", id, header, timeMs }, body),
      kill: () => this.#send({ type: "stop", id }),
    };
  }

  async close(): Promise<void> {
    this.#closing = true;
    const cancel = this.#clock.after(CLOSE_MS, () => this.#kill());
    await this.#requests.close();
    await this.#ended;
    cancel();
  }

  /** One that hears nothing any more must not hold up the gateway's stop. */
  #kill(): void {
    try {
      this.#child.kill("SIGKILL");
    } catch (error) {
      // It has ended in this moment.
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /** A pipe that breaks ends the reading side as well, which tells everyone. */
  #send(header: object, body?: Uint8Array): void {
    this.#requests.write(header, body).catch(() => this.#end(ENDED));
  }

  async #listen(): Promise<void> {
    const events = new FrameReader(streamReader(this.#child.stdout));
    try {
      for (let frame = await events.next(); frame !== undefined; frame = await events.next()) {
        this.#take(keeperEventSchema.parse(frame.header), frame.body);
      }
    } catch (error) {
      this.#log.error("Invalid message from keeper", { error: String(error) });
    }
    this.#end(ENDED);
    const { code, signal } = await this.#child.status;
    if (!this.#closing) this.#log.error("Keeper ended", { code, signal });
  }

  #take(event: KeeperEvent, output: Uint8Array<ArrayBuffer>): void {
    if (event.type === "installing") {
      return this.#log.info("Fetching packages of a program", { name: event.program });
    }
    if (event.type === "frame") {
      const { id, header } = event;
      return this.#onFrame.get(id)?.({ header, body: output });
    }
    const { id, outcome, detail } = event;
    this.#runs.get(id)?.resolve({ outcome, detail, output });
  }

  #end(reason: string): void {
    this.unavailableReason ??= reason;
    for (const run of this.#runs.values()) run.reject(new KeeperUnavailable(reason));
  }
}
