/**
 * A client of HTTP/1.1 that sends exactly the bytes that it is given, in the packets that it is given, and reads
 * what comes back as strictly as the standard (RFC 9112) lets a client be.
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { connect } from "node:net";
import { isClosed } from "./raw.ts";
import { readReply, type Reply, type ReplyOptions } from "./reply.ts";
import { patiently, pause } from "./until.ts";

/** Text goes out byte by byte: a character above 255 has no place in it. */
export type Bytes = string | Uint8Array;

/** How the other side has ended a connection. */
export type Ending = "fin" | "reset";

export function bytesOf(bytes: Bytes): Uint8Array {
  if (typeof bytes !== "string") return bytes;
  const [other] = /[^\0-\xff]/.exec(bytes) ?? [];
  assert.equal(other, undefined, "a character that is no byte");
  return Buffer.from(bytes, "latin1");
}

export class Line implements AsyncDisposable {
  readonly #connection: Deno.TcpConn;
  #rest: Uint8Array = new Uint8Array(0);
  #ending: Ending | undefined;

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
    connection.setNoDelay();
  }

  static async open(port: number): Promise<Line> {
    return new Line(await Deno.connect({ port, hostname: "127.0.0.1" }));
  }

  /** Each chunk is a packet of its own. Tells whether all of it could be sent: a server that refuses may leave. */
  async send(...chunks: readonly Bytes[]): Promise<boolean> {
    for (const [at, chunk] of chunks.entries()) {
      // The server reads in the meantime.
      if (at > 0) await pause(1);
      if (!await this.#write(bytesOf(chunk))) return false;
    }
    return true;
  }

  async #write(bytes: Uint8Array): Promise<boolean> {
    try {
      for (let at = 0; at < bytes.length;) at += await this.#connection.write(bytes.subarray(at));
      return true;
    } catch (error) {
      if (isClosed(error)) return false;
      throw error;
    }
  }

  /** The next whole answer. Fails when it is not one by the standard, is cut short, or does not come. */
  async reply(options: ReplyOptions = {}): Promise<Reply> {
    const first = this.#rest;
    this.#rest = new Uint8Array(0);
    const { reply, rest } = await readReply(() => this.more(), { ...options, first });
    this.#rest = rest;
    return reply;
  }

  /** Bytes as they come; undefined once the other side has ended. */
  async more(): Promise<Uint8Array | undefined> {
    if (this.#rest.length > 0) {
      const rest = this.#rest;
      this.#rest = new Uint8Array(0);
      return rest;
    }
    if (this.#ending !== undefined) return undefined;
    const buffer = new Uint8Array(64 * 1024);
    const size = await patiently(this.#read(buffer), "an answer's bytes");
    if (typeof size === "number") return buffer.subarray(0, size);
    this.#ending = size;
  }

  async #read(buffer: Uint8Array): Promise<number | Ending> {
    try {
      return await this.#connection.read(buffer) ?? "fin";
    } catch (error) {
      if (isClosed(error)) return "reset";
      throw error;
    }
  }

  /** Waits for the other side's end; fails when there is another byte before it. */
  async ended(): Promise<Ending> {
    const bytes = await this.more();
    assert.equal(bytes && new TextDecoder().decode(bytes), undefined, "nothing comes behind the last answer");
    return this.#ending ?? "fin";
  }

  /** Everything until the other side's end, as text. */
  async rest(): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    for (let bytes = await this.more(); bytes !== undefined; bytes = await this.more()) {
      text += decoder.decode(bytes, { stream: true });
    }
    return text + decoder.decode();
  }

  /** Says that no more will be sent, and goes on listening. */
  async halfClose(): Promise<void> {
    try {
      await this.#connection.closeWrite();
    } catch (error) {
      if (!(error instanceof Deno.errors.NotConnected) && !isClosed(error)) throw error;
    }
  }

  hangUp(): void {
    try {
      this.#connection.close();
    } catch (error) {
      if (!isClosed(error)) throw error;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.hangUp();
    // The other side hears of it before the test goes on.
    return pause(0);
  }
}

/** A client that can end with a reset at any moment, which a connection of `Deno.connect` cannot. */
export interface Resetting {
  send(bytes: Bytes): Promise<void>;
  /** Bytes that have come so far. */
  received(): number;
  reset(): Promise<void>;
}

export async function openResetting(port: number): Promise<Resetting> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let received = 0;
  let over = false;
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("error", () => {
    over = true;
  });
  socket.on("data", (bytes) => {
    received += bytes.length;
  });
  await patiently(new Promise<void>((resolve) => socket.once("connect", () => resolve())), "a connection");
  return {
    send: (bytes) =>
      new Promise((resolve) => {
        if (over || socket.destroyed) return resolve();
        socket.write(bytesOf(bytes), () => resolve());
      }),
    received: () => received,
    reset: async () => {
      socket.resetAndDestroy();
      await patiently(closed, "the end of a connection");
    },
  };
}
