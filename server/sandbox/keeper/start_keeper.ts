/** Starts the keeper, and starts it again when it has ended. */

import type { Cancel, Clock, LogFields, Logger } from "../../runtime.ts";
import type { SandboxFolders } from "../bubblewrap/sandbox_folders.ts";
import {
  type Keeper,
  KeeperUnavailable,
  type ProgramInput,
  type ProgramRun,
  type ProgramSession,
  type SessionInput,
  unavailableKeeper,
} from "./keeper.ts";
import { KeeperProcess } from "./keeper_process.ts";
import type { ProgramName, SessionProgramName } from "./messages.ts";
import { PendingSession } from "./pending_session.ts";
import { createStarter, type Starter, StarterEnded } from "./starter.ts";

interface StartKeeperOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Where Deno finds its cache and its packages: nothing else of the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Absent: this system's own programs run in containers, without further packages of Python. */
  readonly folders?: SandboxFolders;
}

/** Called while the process may still start programs; only the keeper's starter may afterwards. */
export function startKeeper({ clock, log, env, folders = {} }: StartKeeperOptions): Keeper {
  const command = Deno.execPath();
  if (Deno.permissions.querySync({ name: "run", command }).state !== "granted") {
    return unavailableKeeper("The gateway may start no programs: see SECURITY.md, The keeper.");
  }
  return new RestartedKeeper({ clock, log, starter: createStarter({ env, folders }) });
}

interface RestartedKeeperOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly starter: Starter;
}

/** Time for an orderly end. */
const CLOSE_MS = 1_000;
export const FIRST_PAUSE_MS = 1_000;
export const MAX_PAUSE_MS = 60_000;
/** One that has lived so long was well: the next pause is the first again. */
export const WELL_MS = 60_000;
/** So long a run waits for a keeper. */
const WAIT_MS = 30_000;

const RESTARTING = "The keeper has ended and is being started again. Try again in a moment.";
const STARTED_AGAIN = "Keeper started again";
const STOPPING = "The gateway is stopping.";
const FAILED =
  "The keeper cannot be started; the log says why. Restart the gateway to read documents and run commands again.";

export class RestartedKeeper implements Keeper {
  readonly #options: RestartedKeeperOptions;
  readonly #waiting = new Set<PromiseWithResolvers<KeeperProcess>>();
  #running: KeeperProcess | undefined;
  /** Why there will be none any more. */
  #lasting: string | undefined;
  #problem: string | undefined;
  /** Messages that were logged since a keeper was last well. */
  readonly #told = new Set<string>();
  /** Monotonic ms of the next start. */
  #startAt = -Infinity;
  /** Ends the pause before the next start. */
  #endPause: Cancel | undefined;
  readonly #ended: Promise<void>;

  constructor(options: RestartedKeeperOptions) {
    this.#options = options;
    this.#ended = this.#keep();
  }

  get unavailableReason(): string | undefined {
    if (this.#lasting !== undefined) return this.#lasting;
    return this.#startAt - this.#options.clock.monotonic() > WAIT_MS ? RESTARTING : undefined;
  }

  get problem(): string | undefined {
    return this.#lasting ?? this.#problem;
  }

  async run(program: ProgramName, input: ProgramInput): Promise<ProgramRun> {
    input.signal.throwIfAborted();
    const process = this.#usable ?? await this.#next(input.signal);
    return await process.run(program, input);
  }

  open(program: SessionProgramName, input: SessionInput): ProgramSession {
    const process = this.#usable;
    if (process !== undefined) return process.open(program, input);
    if (this.unavailableReason !== undefined) throw new KeeperUnavailable(this.unavailableReason);
    return new PendingSession(async (signal) => (await this.#next(signal)).open(program, input));
  }

  async close(): Promise<void> {
    this.#finish(STOPPING);
    const { clock, starter } = this.#options;
    const running = this.#running;
    const cancel = clock.after(CLOSE_MS, () => running?.kill());
    // One that is being started loses its pipes, and ends by that.
    if (running === undefined) starter.close();
    else await running.close();
    await this.#ended;
    cancel();
    starter.close();
  }

  get #usable(): KeeperProcess | undefined {
    return this.#running?.hasEnded === false ? this.#running : undefined;
  }

  /** The keeper that is being started. */
  async #next(signal: AbortSignal): Promise<KeeperProcess> {
    if (this.unavailableReason !== undefined) throw new KeeperUnavailable(this.unavailableReason);
    const next = Promise.withResolvers<KeeperProcess>();
    const leave = () => next.reject(signal.reason);
    this.#waiting.add(next);
    signal.addEventListener("abort", leave, { once: true });
    const cancel = this.#options.clock.after(WAIT_MS, () => next.reject(new KeeperUnavailable(RESTARTING)));
    try {
      return await next.promise;
    } finally {
      cancel();
      signal.removeEventListener("abort", leave);
      this.#waiting.delete(next);
    }
  }

  /** There is none for the rest of the gateway's life. */
  #finish(reason: string): void {
    this.#lasting ??= reason;
    this.#endPause?.();
    for (const next of this.#waiting) next.reject(new KeeperUnavailable(this.#lasting));
  }

  /** Until the keeper is closed, or nothing can be started any more. */
  async #keep(): Promise<void> {
    let pause = FIRST_PAUSE_MS;
    while (this.#lasting === undefined) {
      const wasWell = await this.#live();
      this.#running = undefined;
      if (this.#lasting !== undefined) return;
      if (wasWell) pause = FIRST_PAUSE_MS;
      await this.#pause(pause);
      pause = Math.min(2 * pause, MAX_PAUSE_MS);
    }
  }

  /** One keeper, from its start to its end. False where it did not live long. */
  async #live(): Promise<boolean> {
    const { clock, starter, log } = this.#options;
    const startedAt = clock.monotonic();
    const isWell = () => clock.monotonic() - startedAt >= WELL_MS;
    try {
      const process = await starter.start();
      const running = new KeeperProcess({ process, log, endReason: RESTARTING });
      this.#use(running);
      const { code, signal } = await running.ended;
      if (isWell()) this.#told.clear();
      if (this.#lasting === undefined) this.#tell("Keeper ended; it is started again", { code, signal });
    } catch (error) {
      if (error instanceof StarterEnded) this.#finish(FAILED);
      if (this.#lasting !== STOPPING) this.#tell("Cannot start the keeper", { error: String(error) });
    }
    this.#problem = RESTARTING;
    return isWell();
  }

  /** Each message once in a row of ends that follow each other. */
  #tell(message: string, fields: LogFields): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#options.log.error(message, fields);
  }

  #use(running: KeeperProcess): void {
    if (this.#problem !== undefined && !this.#told.has(STARTED_AGAIN)) {
      this.#told.add(STARTED_AGAIN);
      this.#options.log.info(STARTED_AGAIN);
    }
    this.#running = running;
    this.#problem = undefined;
    for (const next of this.#waiting) next.resolve(running);
  }

  async #pause(ms: number): Promise<void> {
    const { clock } = this.#options;
    const over = Promise.withResolvers<void>();
    this.#startAt = clock.monotonic() + ms;
    const cancel = clock.after(ms, over.resolve);
    this.#endPause = over.resolve;
    await over.promise;
    cancel();
    this.#startAt = -Infinity;
    this.#endPause = undefined;
  }
}
