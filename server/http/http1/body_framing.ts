/** Where the body of a message ends: by its length or by its chunks (RFC 9112, sections 6 and 7). */

/** Slice of a body in a chunk of a connection's bytes. */
export interface BodySlice {
  /** Bytes that were taken, framing included. */
  readonly used: number;
  /** The body's share of them, as a view where it is in one chunk; undefined when there is none. */
  readonly body?: Uint8Array;
}

export interface BodyFraming {
  readonly done: boolean;
  /** Takes what there is of the body; throws when it is none. */
  find(bytes: Uint8Array): BodySlice;
  /** The connection has ended; throws in the middle of a body. */
  end(): void;
}

/** How strictly chunks are read, and what is thrown. */
export interface ChunkedRules {
  /** The line before a chunk; its first group is the size. */
  readonly size: RegExp;
  /** A line behind the last chunk. */
  readonly trailer: RegExp;
  /** Bytes of one line. */
  readonly maxLine: number;
  /** Bytes of all lines behind the last chunk. */
  readonly maxTrailer: number;
  /** Bytes of everything that sizes carry besides. */
  readonly maxExtensions: number;
  readonly faults: BodyErrors;
}

export interface BodyErrors {
  /** It is no body. */
  bad(what: string): Error;
  /** It broke off. */
  cut(): Error;
}

/** A body whose length was told. */
export class FixedLengthFraming implements BodyFraming {
  #left: number;
  readonly #cut: () => Error;

  constructor(length: number, { cut }: Pick<BodyErrors, "cut">) {
    this.#left = length;
    this.#cut = cut;
  }

  get done(): boolean {
    return this.#left === 0;
  }

  find(bytes: Uint8Array): BodySlice {
    const used = Math.min(bytes.length, this.#left);
    this.#left -= used;
    return used === 0 ? { used } : { used, body: bytes.subarray(0, used) };
  }

  end(): void {
    if (!this.done) throw this.#cut();
  }
}

const CR = 13;
const LF = 10;

/**
 * Next part of a chunked body: the line with a size, a chunk, the end of a chunk's line, or the lines behind the
 * last.
 */
type Expecting = "size" | "data" | "end" | "trailer" | "nothing";

/** A body in chunks. What their sizes carry besides, and the lines behind the last one, are dropped. */
export class ChunkedFraming implements BodyFraming {
  readonly #rules: ChunkedRules;
  #expecting: Expecting = "size";
  /** Bytes of the chunk that are still to come. */
  #left = 0;
  #trailer = 0;
  #extensions = 0;

  constructor(rules: ChunkedRules) {
    this.#rules = rules;
  }

  get done(): boolean {
    return this.#expecting === "nothing";
  }

  find(bytes: Uint8Array): BodySlice {
    const chunks: Uint8Array[] = [];
    let used = 0;
    while (used < bytes.length && !this.done) {
      const step = this.#expecting === "data"
        ? this.#data(bytes.subarray(used), chunks)
        : this.#line(bytes.subarray(used));
      if (step === 0) break;
      used += step;
    }
    if (chunks.length === 0) return { used };
    return { used, body: chunks.length === 1 ? chunks[0] : joined(chunks) };
  }

  end(): void {
    if (!this.done) throw this.#rules.faults.cut();
  }

  #data(bytes: Uint8Array, chunks: Uint8Array[]): number {
    const chunk = bytes.subarray(0, this.#left);
    chunks.push(chunk);
    this.#left -= chunk.length;
    if (this.#left === 0) this.#expecting = "end";
    return chunk.length;
  }

  /** Takes one whole line, or nothing when its end is not there yet. */
  #line(bytes: Uint8Array): number {
    const at = bytes.indexOf(LF);
    const { maxLine } = this.#rules;
    if (at === -1 && bytes.length > maxLine || at > maxLine) {
      throw this.#bad("an endless line between chunks");
    }
    if (at === -1) return 0;
    if (bytes[at - 1] !== CR) throw this.#bad("a line between chunks ends badly");
    this.#understand(bytes.subarray(0, at - 1));
    return at + 1;
  }

  #understand(line: Uint8Array): void {
    if (this.#expecting === "size") return this.#begin(line);
    if (this.#expecting === "end") {
      if (line.length > 0) throw this.#bad("a chunk is longer than its size");
      this.#expecting = "size";
      return;
    }
    this.#trailer += line.length + 2;
    if (this.#trailer > this.#rules.maxTrailer) throw this.#bad("an endless trailer");
    if (line.length === 0) this.#expecting = "nothing";
    else if (!this.#rules.trailer.test(textOf(line))) throw this.#bad("a line behind the chunks is none");
  }

  #begin(line: Uint8Array): void {
    const size = this.#rules.size.exec(textOf(line))?.[1];
    if (size === undefined) throw this.#bad("a chunk has no size");
    this.#extensions += line.length - size.length;
    if (this.#extensions > this.#rules.maxExtensions) throw this.#bad("chunks with endless extensions");
    this.#left = Number.parseInt(size, 16);
    this.#expecting = this.#left === 0 ? "trailer" : "data";
  }

  #bad(what: string): Error {
    return this.#rules.faults.bad(what);
  }
}

const textOf = (line: Uint8Array) => String.fromCharCode(...line);

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
