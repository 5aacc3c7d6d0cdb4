/** Captures what a program writes on one of its outputs: the beginning of it, where it is too much. */

export class CapturedOutput {
  readonly #most: number;
  readonly #chunks: Uint8Array[] = [];
  readonly #onWritten: ((bytes: Uint8Array) => void) | undefined;
  #size = 0;

  /** Keeps so many bytes. Each write is told in the moment in which it happens. */
  constructor(most: number, onWritten: ((bytes: Uint8Array) => void) | undefined) {
    this.#most = most;
    this.#onWritten = onWritten;
  }

  /** Takes all; returns how much that was. */
  readonly write = (bytes: Uint8Array): number => {
    const kept = bytes.slice(0, Math.max(0, this.#most - this.#size));
    if (kept.length > 0) this.#chunks.push(kept);
    this.#size += kept.length;
    this.#onWritten?.(bytes);
    return bytes.length;
  };

  get bytes(): Uint8Array<ArrayBuffer> {
    return Buffer.concat(this.#chunks);
  }
}

/** Hands out bytes until there are none. */
export function inputReader(bytes: Uint8Array): (buffer: Uint8Array) => number {
  let offset = 0;
  return (buffer) => {
    const chunk = bytes.subarray(offset, offset + buffer.length);
    buffer.set(chunk);
    offset += chunk.length;
    return chunk.length;
  };
}
