/** What a program writes on one of its outputs: the beginning of it, where it is too much. */

export class CapturedOutput {
  readonly #most: number;
  readonly #chunks: Uint8Array[] = [];
  #size = 0;

  /** Bytes that are kept. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Takes all; returns how much that was. */
  readonly write = (bytes: Uint8Array): number => {
    const kept = bytes.slice(0, Math.max(0, this.#most - this.#size));
    if (kept.length > 0) this.#chunks.push(kept);
    this.#size += kept.length;
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
