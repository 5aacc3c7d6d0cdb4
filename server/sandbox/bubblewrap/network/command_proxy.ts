/**
 * The proxy of one command of a container, and its only way to a network: everything is decided here, whatever the
 * programs in the container do (docs/internals/isolation.md).
 */

import type { Clock } from "../../../runtime.ts";
import { ProtocolError } from "../../../http/http_server/protocol_error.ts";
import { AllowedRequests, RequestRefused } from "../../allowed_requests.ts";
import { MAX_FETCHED_BYTES } from "../../messages.ts";
import type { FetchPage } from "../../process_calls.ts";
import type { NetworkPolicy } from "../../sandbox.ts";
import type { BoxConnection } from "./box_connection.ts";
import { ConnectionWatch } from "./connection_watch.ts";
import { pageAnswer, refusalAnswer, TUNNEL_MADE } from "./proxy_answer.ts";
import { readProxyRequest } from "./proxy_request.ts";
import { passTunnel, type TunnelSocket } from "./tunnel.ts";

/** The guarded way out for programs that speak TLS themselves. Rejects with an error whose message is for the model. */
export type OpenTunnel = (input: {
  /** `https://host:port/`. */
  readonly url: string;
  readonly allows: (url: URL) => boolean;
  readonly signal: AbortSignal;
}) => Promise<TunnelSocket>;

export interface CommandProxyOptions {
  readonly network: NetworkPolicy;
  readonly fetchPage: FetchPage;
  readonly openTunnel: OpenTunnel;
  readonly clock: Clock;
}

/** Sentences that a command is told besides its output. */
const MAX_NOTES = 5;
/** Bytes of a program that are read behind an answer, so that the system does not take the answer back. */
const MAX_UNREAD_BYTES = 1024 * 1024;

interface Watched {
  readonly connection: BoxConnection;
  readonly watch: ConnectionWatch;
}

export class CommandProxy {
  readonly #options: CommandProxyOptions;
  readonly #requests: AllowedRequests;
  readonly #end = new AbortController();
  readonly #notes = new Set<string>();

  constructor(options: CommandProxyOptions) {
    this.#options = options;
    this.#requests = new AllowedRequests(options.network);
  }

  /** Sentences on what was refused or broken off: not every client shows its user what a proxy says. */
  get notes(): readonly string[] {
    return [...this.#notes];
  }

  /** The command has ended, and everything that is under way with it. */
  close(): void {
    this.#end.abort(new Error("The command has ended."));
  }

  /** Serves one connection to its end. Never rejects. */
  readonly serve = async (connection: BoxConnection): Promise<void> => {
    const watch = new ConnectionWatch(this.#options.clock, this.#end.signal);
    const stop = () => connection.close();
    watch.signal.addEventListener("abort", stop);
    if (watch.signal.aborted) stop();
    try {
      await this.#answer({ connection, watch });
      await readRest(connection);
    } catch (_error) {
      // The program has gone: there is nobody to be told.
    }
    if (watch.signal.aborted) this.#note(watch.signal.reason);
    watch.end();
  };

  /** Rejects where the program has gone. */
  async #answer(watched: Watched): Promise<void> {
    const { connection, watch } = watched;
    let answer: Uint8Array | undefined;
    try {
      answer = await this.#served(watched);
    } catch (error) {
      if (watch.signal.aborted) return;
      this.#note(error);
      answer = refusalAnswer(statusOf(error), messageOf(error));
    }
    if (answer === undefined) return;
    await connection.write(answer);
    connection.end();
  }

  /** The answer; undefined for a tunnel, at its end. Rejects, with an error for the model, before anything was answered. */
  async #served({ connection, watch }: Watched): Promise<Uint8Array | undefined> {
    const { fetchPage, openTunnel } = this.#options;
    const request = await readProxyRequest(connection);
    if (request === undefined) return undefined;
    const { url, rest, isHead } = request;
    this.#requests.count();
    const asked = { url, allows: this.#requests.allows, signal: watch.signal };
    if (request.type === "page") {
      const { body = new Uint8Array(0), ...page } = await fetchPage(asked);
      if (body.length > MAX_FETCHED_BYTES) throw new Error("The reply is larger than 10 MiB.");
      return pageAnswer({ ...page, body, isHead });
    }
    const socket = await openTunnel(asked);
    const close = () => socket.close();
    watch.signal.addEventListener("abort", close);
    if (watch.signal.aborted) close();
    await this.#pass({ connection, watch }, { socket, url, first: rest }).finally(close);
    return undefined;
  }

  /** Never rejects: nothing may be answered within a tunnel. */
  async #pass(
    { connection, watch }: Watched,
    tunnel: { readonly socket: TunnelSocket; readonly url: string; readonly first: Uint8Array },
  ): Promise<void> {
    try {
      await connection.write(TUNNEL_MADE);
      const why = await passTunnel({ connection, ...tunnel, onBytes: () => watch.go() });
      if (why !== undefined) this.#note(new Error(why));
    } catch (_error) {
      // The program has gone.
    }
  }

  #note(error: unknown): void {
    if (this.#notes.size < MAX_NOTES && !this.#end.signal.aborted) this.#notes.add(messageOf(error));
  }
}

async function readRest(connection: BoxConnection): Promise<void> {
  let left = MAX_UNREAD_BYTES;
  for (let bytes = await connection.read(); bytes !== undefined; bytes = await connection.read()) {
    left -= bytes.length;
    if (left < 0) return;
  }
}

const messageOf = (error: unknown): string => error instanceof Error ? error.message : String(error);

function statusOf(error: unknown): number {
  if (error instanceof RequestRefused) return 403;
  return error instanceof ProtocolError ? error.status : 502;
}
