/** Bytes that are looked at before they are passed on. */

import { prepend, type Source } from "../../protocols/stream/source.ts";

export interface ByteReader {
  /** The first `count` bytes, still to be read by `rest`; fewer where there are no more. Reads no further. */
  readonly peek: (count: number) => Promise<Uint8Array>;
  /** Drops `count` bytes; false when there were fewer. */
  readonly skip: (count: number) => Promise<boolean>;
  /** All that has not been dropped. The feed is not used any more. */
  readonly rest: () => Source<Uint8Array>;
}

const nothing = new Uint8Array(0);

/** Bytes are copied where they are peeked at; so peek at little. */
export function byteReader(source: Source<Uint8Array>): ByteReader {
  let held: Uint8Array = nothing;
  let ended = false;
  const fill = async (count: number) => {
    while (held.length < count && !ended) {
      const batch = await source.pull();
      if (batch === undefined) ended = true;
      else held = concatBytes([held, ...batch]);
    }
  };
  const peek = async (count: number) => {
    await fill(count);
    return held.subarray(0, count);
  };
  const skip = async (count: number) => {
    let left = count;
    while (left > 0) {
      await fill(1);
      if (held.length === 0) return false;
      const now = Math.min(left, held.length);
      held = held.subarray(now);
      left -= now;
    }
    return true;
  };
  return { peek, skip, rest: () => prepend(held.length > 0 ? [[held]] : [], source) };
}

/** One array of several; the only one itself where there is but one. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const some = parts.filter(({ length }) => length > 0);
  const [first = nothing] = some;
  if (some.length < 2) return first;
  const all = new Uint8Array(some.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of some) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The same bytes in batches of one chunk of at most `size`, so that no step takes long or much. */
export function chunked(source: Source<Uint8Array>, size: number): Source<Uint8Array> {
  let waiting: readonly Uint8Array[] = [];
  let at = 0;
  const pull = async (): Promise<readonly Uint8Array[] | undefined> => {
    for (;;) {
      const [first] = waiting;
      if (first === undefined) {
        const batch = await source.pull();
        if (batch === undefined) return undefined;
        waiting = batch;
        at = 0;
      } else if (at >= first.length) {
        waiting = waiting.slice(1);
        at = 0;
      } else {
        const chunk = first.subarray(at, at + size);
        at += chunk.length;
        return [chunk];
      }
    }
  };
  const cancel = (reason: string) => {
    waiting = [];
    source.cancel(reason);
  };
  return { pull, cancel };
}
