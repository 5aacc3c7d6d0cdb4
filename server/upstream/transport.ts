/** One exchange with a provider: bytes out, status and bytes back. Knows no wire. */

export interface UpstreamCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** The provider's answer once its headers are here. Exactly one of `text`, `read` and `discard` is used. */
export interface UpstreamAnswer {
  readonly status: number;
  header(name: string): string | null;
  /** The whole body; throws {@link TooLarge} as soon as it has more than `cap` decoded bytes. */
  text(cap: number): Promise<string>;
  /** The next piece of the body, undefined at its end; throws when the connection breaks. */
  read(): Promise<Uint8Array | undefined>;
  /** Lets go of the connection. */
  discard(): void;
}

/** Makes the call; rejects when no answer's headers could be had. */
export type Transport = (call: UpstreamCall) => Promise<UpstreamAnswer>;

/** The provider sent more than it may. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}
