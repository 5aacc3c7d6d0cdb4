/** The answer of `node:http`, read piece by piece or as a whole. */

import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import type { Clock } from "../world.ts";
import { decoded } from "./decode.ts";
import { TooLarge, TransportError, type UpstreamAnswer } from "./transport.ts";

/** How long and how far the rest of a discarded answer is awaited, to keep its connection. */
const LINGER_MS = 500;
const LINGER_BYTES = 16 * 1024;

interface Waiting {
  readonly resolve: (bytes: Uint8Array | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const wholeText = new TextDecoder();

export class NodeAnswer implements UpstreamAnswer {
  readonly status: number;
  readonly #incoming: IncomingMessage;
  readonly #body: Readable;
  readonly #clock: Clock;
  #error: unknown;
  #ended = false;
  #watching = false;
  #waiting: Waiting | undefined;

  constructor(incoming: IncomingMessage, clock: Clock) {
    this.status = incoming.statusCode ?? 0;
    this.#incoming = incoming;
    this.#clock = clock;
    this.#body = decoded(incoming, (error) => this.broke(error));
    this.#body.on("error", (error) => this.broke(error));
  }

  header(name: string): string | null {
    const value = this.#incoming.headers[name.toLowerCase()];
    if (Array.isArray(value)) return value.join(", ");
    return typeof value === "string" ? value : null;
  }

  /** A body that came along with its headers is decoded at once; any other is read piece by piece. */
  text(cap: number): Promise<string> {
    const first = toBytes(this.#body.read());
    const whole = this.#body === this.#incoming && this.#incoming.complete &&
      this.#incoming.readableLength === 0;
    if (!whole || (first?.length ?? 0) > cap) return this.#collect(first, cap);
    return Promise.resolve(first === undefined ? "" : wholeText.decode(first));
  }

  async #collect(first: Uint8Array | undefined, cap: number): Promise<string> {
    const decoder = new TextDecoder();
    let size = 0;
    let text = "";
    for (let bytes = first ?? await this.read(); bytes !== undefined; bytes = await this.read()) {
      size += bytes.length;
      if (size > cap) {
        this.#body.destroy();
        throw new TooLarge(`The provider's answer is longer than ${cap} bytes.`);
      }
      text += decoder.decode(bytes, { stream: true });
    }
    return text + decoder.decode();
  }

  read(): Promise<Uint8Array | undefined> {
    this.#watch();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#hand();
    });
  }

  discard(): void {
    if (this.#ended || this.#error !== undefined) return;
    this.fail(new Error("The answer was let go of"));
    const incoming = this.#incoming;
    if (this.#body !== incoming) {
      this.#body.destroy();
      return;
    }
    let left = LINGER_BYTES;
    const giveUp = () => incoming.destroy();
    const cancel = this.#clock.after(LINGER_MS, giveUp);
    incoming.once("close", cancel);
    incoming.removeAllListeners("readable");
    incoming.on("data", ({ length }: Uint8Array) => {
      left -= length;
      if (left < 0) giveUp();
    });
    incoming.resume();
  }

  /** The connection broke: what has come already can still be read, then it is told. */
  broke(cause: unknown): void {
    this.fail(
      cause instanceof TransportError ? cause : new TransportError("cut", "The answer broke off", { cause }),
    );
  }

  /** Ends the reading with an error. */
  fail(error: unknown): void {
    this.#error ??= error;
    this.#hand();
  }

  #watch(): void {
    if (this.#watching) return;
    this.#watching = true;
    this.#body.on("readable", () => this.#hand());
    this.#body.on("end", () => {
      this.#ended = true;
      this.#hand();
    });
  }

  /** Gives whoever waits what there is: bytes, the error behind them, or the end. */
  #hand(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    const bytes = toBytes(this.#body.read());
    if (bytes === undefined && this.#error === undefined && !this.#ended) return;
    this.#waiting = undefined;
    if (bytes !== undefined) waiting.resolve(bytes);
    else if (this.#error !== undefined) waiting.reject(this.#error);
    else waiting.resolve(undefined);
  }
}

/** `Readable.read` is untyped; without an encoding it gives bytes or null. */
function toBytes(piece: unknown): Uint8Array | undefined {
  return piece instanceof Uint8Array ? piece : undefined;
}
