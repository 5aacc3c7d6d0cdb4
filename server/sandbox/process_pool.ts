/**
 * Processes of an engine, each lent to one user at a time. A process serves one container and then ends, because what
 * has run in it may have stayed; it is kept for a while for the container's next command.
 */

import { Semaphore } from "../../shared/util/semaphore.ts";
import { type Keeper, KeeperUnavailable } from "./keeper/keeper.ts";
import type { Cancel, Clock, Logger } from "../runtime.ts";
import { ProcessEnded } from "./process_session.ts";
import {
  type CommandSandbox,
  type NetworkPolicy,
  type OpenProcessInput,
  SandboxError,
  type SandboxProcess,
} from "./sandbox.ts";

/** A process that has been started, for whichever container. */
interface EngineSession {
  /** Resolves once it can be used. Rejects with ProcessEnded. */
  readonly ready: Promise<void>;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  /** Or will in a moment. */
  readonly hasEnded: boolean;
  /** Harmless when it has ended. */
  kill(): void;
}

/** A session with the files of a container. */
interface EngineProcess extends SandboxProcess {
  readonly session: EngineSession;
  readonly network: NetworkPolicy;
  /** Puts the container's files in. Rejects with ProcessEnded. */
  load(entries: ReturnType<OpenProcessInput["entries"]>): Promise<void>;
}

interface UseInput {
  readonly network: NetworkPolicy;
  readonly onRelease: (process: EngineProcess, version: string | undefined) => void;
}

/** The part in which engines differ. */
interface Engine<Session extends EngineSession> {
  /** Throws KeeperUnavailable; where there comes no keeper later, that is the cause of its end. */
  start(): Session;
  /** Gives a session to a container. */
  use(session: Session, input: UseInput): EngineProcess;
}

interface ProcessPoolOptions<Session extends EngineSession> {
  readonly engine: Engine<Session>;
  readonly keeper: Pick<Keeper, "unavailableReason" | "problem">;
  readonly clock: Clock;
  readonly log: Logger;
  /** At the same time. */
  readonly processes: number;
  /** Whether one is kept ready once containers have been used. */
  readonly spare: boolean;
  /** Memory of one process, in MiB. */
  readonly memoryMib: number;
}

/** A process that waits for the next command of its container. */
interface WarmProcess {
  readonly process: EngineProcess;
  readonly version: string;
  readonly cancel: Cancel;
}

/** Milliseconds for which a process is kept behind a command. */
export const WARM_MS = 60_000;
export const WAIT_MS = 30_000;

const NOT_INSTALLED = "The packages that run commands could not be fetched: run `deno task setup`.";
const BUSY = "Too many commands are running. Try again in a moment.";
const NOT_STARTED = "No process for commands could be started.";
const ENDED = "The command was ended before it began.";
/** Reasons that are no fault of the sandbox. */
const usual: ReadonlySet<SandboxError["reason"]> = new Set(["busy", "ended"]);

export class ProcessPool<Session extends EngineSession> implements CommandSandbox {
  readonly #options: ProcessPoolOptions<Session>;
  readonly #slots: Semaphore;
  /** By container, the one unused longest first. */
  readonly #warm = new Map<string, WarmProcess>();
  /** With their users. */
  readonly #open = new Map<EngineProcess, string>();
  /** Containers that wait for a process, and what ends that. */
  readonly #waiting = new Map<AbortController, string>();
  #spare: Session | undefined;
  #isClosed = false;
  /** Problem of the latest attempt to have a process. */
  #problem: string | undefined;

  constructor(options: ProcessPoolOptions<Session>) {
    this.#options = options;
    this.#slots = new Semaphore({
      most: options.processes,
      maxWait: { clock: options.clock, ms: WAIT_MS },
    });
  }

  get unavailableReason(): string | undefined {
    return this.#options.keeper.unavailableReason;
  }

  get problem(): string | undefined {
    return this.#options.keeper.problem ?? this.#problem;
  }

  async open(input: OpenProcessInput): Promise<EngineProcess> {
    const end = new AbortController();
    this.#waiting.set(end, input.container);
    try {
      const signal = AbortSignal.any([input.signal, end.signal]);
      const process = await this.#openProcess({ ...input, signal });
      this.#problem = undefined;
      return process;
    } catch (error) {
      if (error instanceof SandboxError && !usual.has(error.reason)) this.#problem = error.message;
      throw error;
    } finally {
      this.#waiting.delete(end);
    }
  }

  async #openProcess(input: OpenProcessInput): Promise<EngineProcess> {
    input.signal.throwIfAborted();
    const warm = this.#takeWarm(input);
    if (warm !== undefined) return this.#lend(warm, input.container);
    const process = this.#processOf(await this.#takeSession(input.signal), input.network);
    const end = () => process.session.kill();
    input.signal.addEventListener("abort", end);
    try {
      await process.session.ready;
      await process.load(input.entries());
    } catch (error) {
      process.session.kill();
      input.signal.throwIfAborted();
      throw this.#openError(error);
    } finally {
      input.signal.removeEventListener("abort", end);
    }
    this.#lend(process, input.container);
    this.#keepSpare();
    return process;
  }

  #lend(process: EngineProcess, container: string): EngineProcess {
    this.#open.set(process, container);
    return process;
  }

  /** That of the container, where it has what it must have. */
  #takeWarm({ container, version, network }: OpenProcessInput): EngineProcess | undefined {
    const warm = this.#warm.get(container);
    if (warm === undefined) return undefined;
    const { process } = warm;
    this.#forgetWarm(container, warm);
    if (!process.session.hasEnded && warm.version === version && isSame(process.network, network)) {
      return process;
    }
    process.session.kill();
    return undefined;
  }

  #forgetWarm(container: string, { cancel }: WarmProcess): void {
    cancel();
    this.#warm.delete(container);
  }

  /** Ends a process that nobody uses where there are too many. Throws a SandboxError where all are used. */
  async #takeSession(signal: AbortSignal): Promise<Session> {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare !== undefined && !spare.hasEnded) return spare;
    if (!this.#slots.tryTake()) {
      this.#endOldestWarm();
      if (!await this.#slots.take(signal)) throw new SandboxError("busy", BUSY);
    }
    return this.#start();
  }

  #endOldestWarm(): void {
    const [oldest] = this.#warm.keys();
    if (oldest !== undefined) this.#endWarm(oldest);
  }

  /** Harmless where there is none. */
  #endWarm(container: string): void {
    const warm = this.#warm.get(container);
    if (warm === undefined) return;
    this.#forgetWarm(container, warm);
    warm.process.session.kill();
  }

  /** In a slot that has been taken. Throws a SandboxError. */
  #start(): Session {
    try {
      if (this.#isClosed) throw new SandboxError("unavailable", "The gateway is stopping.");
      const session = this.#options.engine.start();
      session.ended.then(() => this.#slots.release());
      return session;
    } catch (error) {
      this.#slots.release();
      throw this.#openError(error);
    }
  }

  #processOf(session: Session, network: NetworkPolicy): EngineProcess {
    return this.#options.engine.use(session, {
      network,
      onRelease: (process, version) => this.#release(process, version),
    });
  }

  #release(process: EngineProcess, version: string | undefined): void {
    const container = this.#open.get(process);
    this.#open.delete(process);
    const isKept = container !== undefined && version !== undefined && !this.#isClosed &&
      !this.#slots.hasWaiting && !process.session.hasEnded;
    if (!isKept) return process.session.kill();
    this.#endWarm(container);
    const cancel = this.#options.clock.after(WARM_MS, () => this.#endWarm(container));
    const warm = { process, version, cancel };
    this.#warm.set(container, warm);
    // One that ends by itself must not be taken for one whose end gives a place.
    process.session.ended.then(() => this.#warm.get(container) === warm && this.#forgetWarm(container, warm));
  }

  /** So that the next new container has a process at once. Not where that would take another one's place. */
  #keepSpare(): void {
    if (!this.#options.spare || this.#spare !== undefined || this.#isClosed || !this.#slots.tryTake()) return;
    try {
      const spare = this.#start();
      this.#spare = spare;
      spare.ended.then(() => {
        if (this.#spare === spare) this.#spare = undefined;
      });
    } catch (error) {
      this.#options.log.warn("Cannot keep a spare process", { error: String(error) });
    }
  }

  #openError(error: unknown): SandboxError {
    if (error instanceof SandboxError) return error;
    const cause = error instanceof ProcessEnded ? error.cause : error;
    if (cause instanceof KeeperUnavailable) return new SandboxError("unavailable", cause.message);
    const outcome = error instanceof ProcessEnded ? error.outcome : "failed";
    if (outcome === "not_installed") return new SandboxError("not_installed", NOT_INSTALLED);
    if (outcome === "memory_limit") return new SandboxError("unavailable", tooLarge(this.#options.memoryMib));
    this.#options.log.error("Cannot start process for commands", { reason: outcome, error: String(error) });
    return new SandboxError("unavailable", NOT_STARTED);
  }

  get containers(): readonly string[] {
    return [...new Set([...this.#warm.keys(), ...this.#open.values(), ...this.#waiting.values()])];
  }

  async end(container: string): Promise<void> {
    for (const [end, name] of this.#waiting) {
      if (name === container) end.abort(new SandboxError("ended", ENDED));
    }
    const warm = this.#warm.get(container);
    if (warm !== undefined) this.#forgetWarm(container, warm);
    const used = [...this.#open].filter(([, name]) => name === container).map(([process]) => process);
    await endAll([
      ...(warm === undefined ? [] : [warm.process.session]),
      ...used.map(({ session }) => session),
    ]);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const warm = [...this.#warm.values()];
    for (const { cancel } of warm) cancel();
    this.#warm.clear();
    await endAll([
      ...warm.map(({ process }) => process.session),
      ...[...this.#open.keys()].map(({ session }) => session),
      ...(this.#spare === undefined ? [] : [this.#spare]),
    ]);
  }
}

const tooLarge = (memoryMib: number): string =>
  `The files of this container do not fit into the memory of a process: sandbox.memory_mib is ${memoryMib}. ` +
  "They can be listed, downloaded and deleted by the operations on containers.";

async function endAll(sessions: readonly EngineSession[]): Promise<void> {
  for (const session of sessions) session.kill();
  await Promise.all(sessions.map(({ ended }) => ended));
}

function isSame(a: NetworkPolicy, b: NetworkPolicy): boolean {
  if (a.type === "disabled" || b.type === "disabled") return a.type === b.type;
  return a.domains.length === b.domains.length &&
    a.domains.every((domain, index) => domain === b.domains[index]);
}
