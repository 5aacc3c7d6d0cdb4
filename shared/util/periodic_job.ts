/** Work that is done now and then, from the start to the end of a gateway. */

/** Between two steps of one time. */
const PAUSE_MS = 1_000;

interface PeriodicJobOptions {
  readonly runtime: {
    readonly clock: { after(ms: number, run: () => void): () => void };
    readonly log: { warn(message: string, fields: { readonly error: string }): void };
  };
  readonly everyMs: number;
  /** Until the first time; as long as between two, by default. */
  readonly firstMs?: number;
  /** True where there may be more to do, which is done a second later. The signal aborts when the job is closed. */
  readonly step: (signal: AbortSignal) => Promise<boolean | void>;
  /** Written to the log with the error of a step. The next time is as if it had not failed. */
  readonly failure: string;
}

export class PeriodicJob {
  readonly #options: PeriodicJobOptions;
  readonly #stop = new AbortController();
  #cancel: () => void;
  #running: Promise<void> = Promise.resolve();

  constructor(options: PeriodicJobOptions) {
    this.#options = options;
    this.#cancel = this.#after(options.firstMs ?? options.everyMs);
  }

  /** Waits for a step that is under way. */
  async close(): Promise<void> {
    this.#stop.abort(new Error("The gateway stops"));
    this.#cancel();
    await this.#running;
  }

  #after(ms: number): () => void {
    return this.#options.runtime.clock.after(ms, () => {
      this.#running = this.#run();
    });
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { runtime: { log }, everyMs, step, failure } = this.#options;
    const { signal } = this.#stop;
    let hasMore = false;
    try {
      hasMore = await step(signal) === true;
    } catch (error) {
      // A step that ends early because the job is closed has not failed.
      if (error !== signal.reason) log.warn(failure, { error: String(error) });
    }
    if (!signal.aborted) this.#cancel = this.#after(hasMore ? PAUSE_MS : everyMs);
  }
}
