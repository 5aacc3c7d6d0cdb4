/** Something that a view reads: its data, whether it is being read, and why that failed. */

import { type ReadonlySignal, signal } from "@preact/signals";
import { ConnectionLost } from "./api.ts";

export interface Resource<T> {
  /** Undefined until it was read; kept while it is read again. */
  readonly data: ReadonlySignal<T | undefined>;
  readonly loading: ReadonlySignal<boolean>;
  /** Why the last reading failed; a lost connection is no failure, because the page says that by itself. */
  readonly failure: ReadonlySignal<Error | undefined>;
  /** Reads it, or reads it again; an earlier reading that has not ended is dropped. */
  load(): Promise<void>;
  /** Changes the data at once, before the gateway has confirmed it. */
  set(data: T): void;
  /** Drops a reading that has not ended. */
  stop(): void;
}

export function createResource<T>(read: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const data = signal<T | undefined>(undefined);
  const loading = signal(false);
  const failure = signal<Error | undefined>(undefined);
  let running: AbortController | undefined;

  async function load(): Promise<void> {
    running?.abort();
    const own = running = new AbortController();
    loading.value = true;
    try {
      const found = await read(own.signal);
      if (own.signal.aborted) return;
      data.value = found;
      failure.value = undefined;
    } catch (error) {
      if (own.signal.aborted) return;
      failure.value = error instanceof ConnectionLost ? failure.value : toError(error);
    } finally {
      if (running === own) loading.value = false;
    }
  }

  return {
    data,
    loading,
    failure,
    load,
    set: (next) => {
      data.value = next;
    },
    stop: () => {
      running?.abort();
      loading.value = false;
    },
  };
}

export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
