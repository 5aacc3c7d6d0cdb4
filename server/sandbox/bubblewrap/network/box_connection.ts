/** One connection of a program in a container, as the gateway has it: bytes in, bytes out, one part at a time. */

import { type ForwarderRequest, MAX_DATA_BYTES } from "./forwarder_messages.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export type SendFrame = (frame: ForwarderRequest, body?: Uint8Array) => void;

const GONE = "The program has closed its connection.";

export class BoxConnection {
  readonly #id: number;
  readonly #send: SendFrame;
  /** Came, and is not read yet. */
  #held: Bytes | undefined;
  #hasEnded = false;
  #isClosed = false;
  /** Somebody waits for bytes. */
  #reading: PromiseWithResolvers<void> | undefined;
  /** Somebody waits until the program's side has room. */
  #writing: PromiseWithResolvers<void> | undefined;

  constructor(id: number, send: SendFrame) {
    this.#id = id;
    this.#send = send;
  }

  /** The next bytes; undefined where nothing more comes. For one reader. */
  async read(): Promise<Bytes | undefined> {
    while (this.#held === undefined && !this.#hasEnded && !this.#isClosed) {
      this.#reading = Promise.withResolvers();
      await this.#reading.promise;
    }
    const bytes = this.#held;
    this.#held = undefined;
    if (bytes !== undefined && !this.#isClosed) this.#send({ type: "taken", connection: this.#id });
    return bytes;
  }

  /** Resolves once all of it was taken. Rejects where the program has gone. For one writer. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += MAX_DATA_BYTES) {
      if (this.#isClosed) throw new Error(GONE);
      this.#writing = Promise.withResolvers();
      this.#send({ type: "data", connection: this.#id }, bytes.subarray(at, at + MAX_DATA_BYTES));
      await this.#writing.promise;
    }
  }

  /** Nothing more is written. */
  end(): void {
    if (!this.#isClosed) this.#send({ type: "end", connection: this.#id });
  }

  /** Harmless when it is closed. */
  close(): void {
    if (this.#isClosed) return;
    this.#send({ type: "close", connection: this.#id });
    this.lose();
  }

  /** It is closed on the program's side. */
  lose(): void {
    this.#isClosed = true;
    this.#held = undefined;
    this.#reading?.resolve();
    this.#writing?.reject(new Error(GONE));
    this.#writing?.promise.catch(() => {
      // A writer that waits is told; there may be none.
    });
  }

  /** Takes bytes of the program. Throws where it did not wait for its turn. */
  takeData(bytes: Bytes): void {
    if (this.#held !== undefined || this.#hasEnded || bytes.length > MAX_DATA_BYTES) {
      throw new Error("A forwarder sends more than was taken");
    }
    this.#held = bytes;
    this.#reading?.resolve();
  }

  takeEnd(): void {
    this.#hasEnded = true;
    this.#reading?.resolve();
  }

  takeTaken(): void {
    this.#writing?.resolve();
  }
}
