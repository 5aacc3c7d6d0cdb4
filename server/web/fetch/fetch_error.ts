/** Why a guarded fetch has no result. */

export type FetchErrorKind =
  /** The URL is none, or has a scheme, port or user that is not allowed. */
  | "invalid_url"
  /** The host is not on the public Internet. */
  | "forbidden_host"
  | "dns"
  | "connection"
  | "tls"
  | "proxy"
  /** Not all of it came in time. */
  | "timeout"
  | "too_large"
  | "too_many_redirects"
  | "bad_response";

/** The message is one sentence for a model or its user: it names the host, and nothing of this network. */
export class FetchError extends Error {
  override readonly name = "FetchError";
  readonly kind: FetchErrorKind;

  constructor(kind: FetchErrorKind, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.kind = kind;
  }
}
