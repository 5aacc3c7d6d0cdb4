/** Runs programs outside of the gateway's process, as the rest of the gateway sees it. */

import type { ProgramName, RunOutcome, SessionProgramName } from "./messages.ts";

export interface ProgramRun {
  readonly outcome: RunOutcome;
  /** Error in the program, for the log. */
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

interface ProgramFrame {
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
  /** Why no program can be run, nor in a moment; undefined while they can. */
  readonly unavailableReason: string | undefined;
  /** For the operator: why none is run now, also where that is over in a moment. */
  readonly problem: string | undefined;
  /**
   * Waits for a keeper that is being started. Rejects with KeeperUnavailable where that takes too long, and where it
   * ends under the run; or with the signal's reason.
   */
  run(program: ProgramName, options: ProgramInput): Promise<ProgramRun>;
  /** Starts a program that stays, as soon as there is a keeper. Throws KeeperUnavailable. */
  open(program: SessionProgramName, options: SessionInput): ProgramSession;
  /** Ends every program. */
  close(): Promise<void>;
}

export class KeeperUnavailable extends Error {
  override readonly name = "KeeperUnavailable";
}

/** One that never runs a program. */
export function unavailableKeeper(reason: string): Keeper {
  return {
    unavailableReason: reason,
    problem: reason,
    run: () => Promise.reject(new KeeperUnavailable(reason)),
    open: () => {
      throw new KeeperUnavailable(reason);
    },
    close: () => Promise.resolve(),
  };
}
