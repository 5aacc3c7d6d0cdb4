/**
 * How much memory the process may still take. The keeper ends a process at its limit, and with it what it has not told
 * the gateway; so what does not fit is refused before. V8 collects by the size of its heap, and knows nothing of the
 * limit: buffers that nobody uses any more would fill it.
 */

const MIB = 1024 * 1024;
const WASM_PAGE_BYTES = 64 * 1024;
/** Pages of the program itself, which the keeper does not count; there are some more of them later. */
const PROGRAM_BYTES = 32 * MIB;
/** Left for what is between two looks: strings of commands, code, the next command. */
const HEADROOM = 1 / 8;
const MAX_HEADROOM_BYTES = 64 * MIB;
/** A collection is worth its time where so much was taken since the last one. */
const WORTH = 1 / 32;
/** V8 leaves the freeing of buffers to another thread; the next collection begins with what that one has not done. */
const COLLECTIONS = 2;
/** Less is taken without a look. */
const UNSEEN_BYTES = 256 * 1024;
/** So little may use half of the headroom: a process that is full can still tell why, and make room. */
const SMALL_BYTES = 64 * 1024;

interface MemoryRoomOptions {
  /** At which the keeper ends the process. */
  readonly limitBytes: number;
  /** Resident, with the program's own pages. */
  readonly residentBytes: () => number;
  /** Finds what nobody uses before it returns; V8 gives some of that back later. */
  readonly collectNow: () => void;
  /** Frees all that nobody uses. */
  readonly collectLater: () => Promise<void>;
}

export class MemoryRoom {
  readonly #options: MemoryRoomOptions;
  readonly #headroom: number;
  /** Taken since the last look. */
  #unseen = 0;
  /** Bytes in use behind the last collection. */
  #collected = 0;

  constructor(options: MemoryRoomOptions) {
    this.#options = options;
    this.#headroom = Math.min(options.limitBytes * HEADROOM, MAX_HEADROOM_BYTES);
  }

  /** Whether so many more bytes can be taken. */
  has(bytes: number): boolean {
    this.#unseen += bytes;
    if (this.#unseen < UNSEEN_BYTES) return true;
    const fits = this.#isBelow(this.#mostFor(bytes));
    this.#unseen = fits ? 0 : UNSEEN_BYTES;
    return fits;
  }

  /** Python's memory grows only where there is room, and Python says so where there is none. */
  boundWebAssembly(): void {
    const { grow } = WebAssembly.Memory.prototype;
    const hasRoom = (bytes: number) => this.has(bytes);
    WebAssembly.Memory.prototype.grow = function (pages) {
      if (!hasRoom(pages * WASM_PAGE_BYTES)) throw new RangeError("There is no memory for this");
      return grow.call(this, pages);
    };
  }

  /** Frees what can be freed where so many bytes do not fit, which takes a few turns of the event loop. */
  async make(bytes: number): Promise<void> {
    if (!this.#wantsCollection(bytes)) return;
    await this.#options.collectLater();
    this.#collected = this.#used();
  }

  /** The same where something large may not be used any more, whatever the last collection has found. */
  async makeAgain(bytes = this.#headroom): Promise<void> {
    this.#collected = 0;
    await this.make(bytes);
  }

  /** Now and then: room for what does not ask. */
  async tidy(): Promise<void> {
    await this.make(this.#headroom);
  }

  /** Whether {@link tidy} has nothing to do. */
  get isTidy(): boolean {
    return !this.#wantsCollection(this.#headroom);
  }

  #wantsCollection(bytes: number): boolean {
    if (this.#unseen + bytes < UNSEEN_BYTES || this.#used() <= this.#mostFor(bytes)) return false;
    return this.#isWorthIt;
  }

  /** So many bytes will be garbage. */
  freed(bytes: number): void {
    this.#collected -= bytes;
  }

  /** Most bytes that may be in use before so much more is taken. */
  #mostFor(bytes: number): number {
    const headroom = bytes <= SMALL_BYTES ? this.#headroom / 2 : this.#headroom;
    return this.#options.limitBytes - headroom - bytes;
  }

  #isBelow(most: number): boolean {
    if (this.#used() <= most) return true;
    if (!this.#isWorthIt) return false;
    for (let at = 0; at < COLLECTIONS && this.#used() > most; at++) this.#options.collectNow();
    this.#collected = this.#used();
    return this.#collected <= most;
  }

  get #isWorthIt(): boolean {
    return this.#used() - this.#collected >= this.#options.limitBytes * WORTH;
  }

  #used(): number {
    return this.#options.residentBytes() - PROGRAM_BYTES;
  }
}
