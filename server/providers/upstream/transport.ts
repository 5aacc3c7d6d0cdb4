/** One exchange with a provider: bytes out, status and bytes back. Knows no wire. */

import type { AbortSignalLike } from "./call_abort.ts";

export interface UpstreamRequest {
  /** `http:` or `https:`, with no credentials in it. Refused unless it is below `baseUrl`. */
  readonly url: string;
  /** The provider's address, without a trailing slash. */
  readonly baseUrl: string;
  /** Hash of the stored credential that authorises the call: a connection carries calls of one only. */
  readonly credentialHash: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `POST` by default. A GET has an empty body. */
  readonly method?: "GET" | "POST";
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** Cuts the exchange at any stage; the connection is closed at once. */
  readonly signal: AbortSignalLike;
  /** Over a new connection: one that has been used before might end without an answer. */
  readonly fresh?: boolean;
  /** Called when the connection is there and the first byte goes out. */
  readonly onSent?: () => void;
}

/** The provider's answer once its headers are here. Exactly one of `text`, `read` and `discard` is used. */
export interface UpstreamResponse {
  readonly status: number;
  /** The header's value in any spelling of its name; repeated ones joined by commas; null when it is missing. */
  header(name: string): string | null;
  /** The whole body; throws {@link ResponseTooLarge} as soon as it has more than `cap` decoded bytes. */
  text(cap: number): Promise<string>;
  /**
   * The next chunk of the body, undefined at its end; throws when the connection breaks. Nothing is taken from
   * the connection ahead of the reader beyond a fixed amount, so a slow reader slows the provider.
   */
  read(): Promise<Uint8Array | undefined>;
  /**
   * Lets go of the answer, also in the middle of reading it. The connection is kept for others when the rest
   * of the body is short and comes at once; any other is closed.
   */
  discard(): void;
}

/**
 * Makes the call; rejects when no answer's headers could be had. Redirects are not followed: they would carry
 * the credential elsewhere.
 */
export type Transport = (call: UpstreamRequest) => Promise<UpstreamResponse>;

/** The provider sent more than it may. */
export class ResponseTooLarge extends Error {
  override readonly name = "ResponseTooLarge";
}

/** The kinds of failures that the transport itself finds out; it passes on all others as the runtime's own errors. */
export type TransportErrorKind =
  | "connect_timeout"
  | "proxy"
  | "tls"
  | "connection_reset"
  | "cut"
  | "bad_http"
  | "bad_address";

export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly kind: TransportErrorKind;

  constructor(fault: TransportErrorKind, message: string, { cause }: { readonly cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = fault;
  }
}

/**
 * A connection that had carried calls before ended without a byte of an answer: mostly the provider had closed it
 * while it was unused. Whether the provider has read the request nobody can tell.
 */
export class KeptConnectionEnded extends TransportError {
  constructor(cause: unknown) {
    super("connection_reset", "The provider closed a kept connection before it answered", { cause });
  }
}

/** Bytes came that belong to no request: what else comes on this connection may be the answer to another one. */
export class UnrequestedBytes extends TransportError {
  constructor(what: string) {
    super("bad_http", `The provider does not speak HTTP: ${what}`);
  }
}
