/** The gateway's HTTP server alone, before an answer of the test's choosing, and clients that send it bytes. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { HttpServer, type HttpServerOptions } from "../../server/http/http_server/http_server.ts";
import type { HttpReply } from "../../server/http/http_server/reply.ts";
import type { ClientRequest } from "../../server/http/http_server/incoming_request.ts";
import type { LogFields } from "../../server/runtime.ts";
import { type FakeClock, fakeClock } from "./clock.ts";
import { isClosed } from "./raw.ts";
import { until } from "./until.ts";

/** A line of the log. */
type Warning = LogFields & { readonly message: string };

export interface FrontRig {
  readonly front: HttpServer;
  readonly clock: FakeClock;
  readonly connect: () => Promise<RawClient>;
  /** Failures that the server reported. */
  readonly failures: unknown[];
  /** The lines of its log. */
  readonly warnings: Warning[];
}

export type Answer = (request: ClientRequest) => HttpReply | Promise<HttpReply>;

export interface FrontRigOptions {
  readonly answer: Answer;
  readonly limits?: Partial<HttpServerOptions["limits"]>;
  readonly lastRequestsMs?: number;
  /** Stands before the real listener. */
  readonly listener?: (real: Deno.TcpListener) => Deno.TcpListener;
  readonly openSpare?: HttpServerOptions["openSpare"];
}

/** Runs a test; afterwards the server has stopped and holds no deadline. */
export async function withFront(
  { answer, limits, lastRequestsMs = 0, listener = (real) => real, openSpare = () => undefined }:
    FrontRigOptions,
  test: (rig: FrontRig) => Promise<void>,
): Promise<void> {
  const clock = fakeClock();
  const failures: unknown[] = [];
  const warnings: Warning[] = [];
  const clients: RawClient[] = [];
  const front = new HttpServer(listener(Deno.listen({ hostname: "127.0.0.1", port: 0 })), {
    clock,
    lastRequestsMs,
    limits: {
      connections: 1_000,
      firstByteMs: 10_000,
      headMs: 30_000,
      idleMs: 75_000,
      writeStallMs: 60_000,
      ...limits,
    },
    handle: answer,
    protocolError: ({ status, message }) => new Response(message, { status }),
    onError: (error) => failures.push(error),
    warn: (message, fields) => warnings.push({ message, ...fields }),
    openSpare,
  });
  const connect = async () => {
    const client = new RawClient(await Deno.connect({ hostname: "127.0.0.1", port: front.addr.port }));
    clients.push(client);
    return client;
  };
  try {
    await test({ front, clock, connect, failures, warnings });
  } finally {
    for (const client of clients) client.close();
    await front.shutdown();
    for (const client of clients) await client.ended();
  }
  assert.equal(clock.open, 0, "no deadline is left open");
}

/** A client that says and hears bytes, each as a character. */
export class RawClient {
  heard = "";
  /** How the connection has ended: `""` while it has not. */
  end: "" | "closed" | "reset" = "";
  readonly #conn: Deno.TcpConn;
  readonly #reading: Promise<void>;
  #paused = false;
  #resume = () => {};
  #open = true;

  constructor(conn: Deno.TcpConn) {
    this.#conn = conn;
    conn.setNoDelay();
    this.#reading = this.#read();
  }

  /** Sends each text in a packet of its own. What the other side no longer takes is dropped. */
  async send(...texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      const bytes = Buffer.from(text, "latin1");
      try {
        for (let at = 0; at < bytes.length;) at += await this.#conn.write(bytes.subarray(at));
      } catch (error) {
        if (!isClosed(error)) throw error;
        return;
      }
    }
  }

  /** Waits until so much was heard. */
  hears(what: string | RegExp): Promise<void> {
    const heard = () => typeof what === "string" ? this.heard.includes(what) : what.test(this.heard);
    return until(heard, { what: `${String(what)} in ${JSON.stringify(this.heard.slice(-300))}` });
  }

  /** Waits for the other side's end, and tells all that was heard. */
  async rest(): Promise<string> {
    await until(() => this.end !== "", { what: "the end of the connection" });
    return this.heard;
  }

  /** Reads nothing until told to. */
  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#resume();
  }

  halfClose(): Promise<void> {
    return this.#conn.closeWrite();
  }

  close(): void {
    this.resume();
    if (this.#open) this.#conn.close();
    this.#open = false;
  }

  ended(): Promise<void> {
    return this.#reading;
  }

  async #read(): Promise<void> {
    const room = new Uint8Array(64 * 1024);
    try {
      for (;;) {
        if (this.#paused) await new Promise<void>((resolve) => this.#resume = resolve);
        const size = await this.#conn.read(room);
        if (size === null) break;
        this.heard += Buffer.from(room.subarray(0, size)).toString("latin1");
      }
      this.end = "closed";
    } catch (error) {
      if (!isClosed(error)) throw error;
      this.end = "reset";
    }
  }
}
