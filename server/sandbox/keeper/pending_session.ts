/** A program that stays, and that starts as soon as there is a keeper for it. */

import type { ProgramRun, ProgramSession, SentFrame } from "./keeper.ts";

/** Rejects with KeeperUnavailable, or with the signal's reason. */
type OpenSession = (signal: AbortSignal) => Promise<ProgramSession>;

export class PendingSession implements ProgramSession {
  readonly #left = new AbortController();
  /** Sent before it was started. */
  readonly #early: SentFrame[] = [];
  #session: ProgramSession | undefined;
  readonly ended: Promise<Omit<ProgramRun, "output">>;

  constructor(open: OpenSession) {
    this.ended = this.#run(open);
  }

  send(frame: SentFrame): void {
    if (this.#session === undefined) this.#early.push(frame);
    else this.#session.send(frame);
  }

  kill(): void {
    this.#left.abort();
    this.#session?.kill();
  }

  async #run(open: OpenSession): Promise<Omit<ProgramRun, "output">> {
    const { signal } = this.#left;
    try {
      this.#session = await open(signal);
    } catch (error) {
      if (signal.aborted) return { outcome: "stopped" };
      throw error;
    }
    for (const frame of this.#early.splice(0)) this.#session.send(frame);
    if (signal.aborted) this.#session.kill();
    return await this.#session.ended;
  }
}
