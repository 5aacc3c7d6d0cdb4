/** How a call is cut off: what of an `AbortSignal` a transport needs, and no more. */

/** An `AbortSignal` is one. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", run: () => void): void;
  removeEventListener(type: "abort", run: () => void): void;
}

/** Cut once at most. Every call has one, and the runtime's own are event targets, which cost several times as much. */
export class CallAbort implements AbortSignalLike {
  #reason: Error | undefined;
  #listeners: readonly (() => void)[] = [];

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  get reason(): unknown {
    return this.#reason;
  }

  throwIfAborted(): void {
    if (this.#reason !== undefined) throw this.#reason;
  }

  addEventListener(_type: "abort", run: () => void): void {
    this.#listeners = this.#listeners.length === 0 ? [run] : [...this.#listeners, run];
  }

  removeEventListener(_type: "abort", run: () => void): void {
    this.#listeners = this.#listeners.filter((one) => one !== run);
  }

  abort(): void {
    if (this.#reason !== undefined) return;
    this.#reason = new DOMException("The call was cut", "AbortError");
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const run of listeners) run();
  }
}

/** The same as one of the runtime's own, for what takes nothing else. */
export function toAbortSignal(signal: AbortSignalLike): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  if (signal.aborted) return AbortSignal.abort(signal.reason);
  const abort = new AbortController();
  signal.addEventListener("abort", () => abort.abort(signal.reason));
  return abort.signal;
}
