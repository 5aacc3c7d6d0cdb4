/** A request as the routes see it: what they use of `Request`, straight from the connection. */

import type { RequestBody } from "./request_body.ts";
import type { RequestLineAndHeaders } from "./request_head.ts";

/** `Headers`, as far as anybody asks for them. */
export interface HeaderReader {
  get(name: string): string | null;
}

/** A request that came over a connection of ours. */
export class IncomingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderReader;
  readonly #body: RequestBody;
  #gone = false;
  #abandoned = false;
  #onGone: (() => void) | undefined;

  constructor({ method, url, headers }: RequestLineAndHeaders, body: RequestBody) {
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.#body = body;
  }

  /** Piece by chunk; null when there is none. Only one of `body` and `text` is read, and once. */
  get body(): AsyncIterable<Uint8Array> | null {
    return this.#body.empty ? null : this.#body;
  }

  /** Rejects when the body breaks off or is none. */
  text(): Promise<string> {
    return this.#body.text();
  }

  /**
   * Calls `run` when the client disconnects before its answer is out, or at once when it has left. One may listen.
   */
  onDisconnect(run: () => void): () => void {
    this.#onGone = run;
    if (this.#gone) this.#tell();
    return () => this.#onGone = undefined;
  }

  /** The client has disconnected. */
  disconnect(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#tell();
  }

  #tell(): void {
    if (this.#onGone === undefined) return;
    this.#abandoned = true;
    this.#onGone();
  }

  get disconnected(): boolean {
    return this.#gone;
  }

  /**
   * Somebody has heard that the client disconnected, and given its answer up: what comes instead says nothing to
   * it.
   */
  get abandoned(): boolean {
    return this.#abandoned;
  }
}

/** A request through either API: our own connections, or a platform that hands requests in. */
export type ClientRequest = Request | IncomingRequest;
