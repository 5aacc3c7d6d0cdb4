/** Error of a request that no route will see. */

/** Statuses that the server itself answers with. */
export type ProtocolErrorStatus = 400 | 408 | 414 | 431 | 500 | 503 | 505;

/** Answered, and the connection closed: where its next request would begin is not known. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly status: ProtocolErrorStatus;

  constructor(status: ProtocolErrorStatus, message: string) {
    super(message);
    this.status = status;
  }
}

/** Thrown by a handler, or by the body of its reply, to end the connection without a further byte. */
export class NoReply extends Error {
  override readonly name = "NoReply";
}

export const malformedRequest = (what: string) =>
  new ProtocolError(400, `The request is not HTTP/1.1: ${what}.`);

/** Errors of a connection whose other end is closed. */
const disconnectErrors = [
  "BadResource",
  "BrokenPipe",
  "ConnectionAborted",
  "ConnectionReset",
  "Interrupted",
  "NotConnected",
  "TimedOut",
] as const;

export const isDisconnect = (error: unknown) =>
  disconnectErrors.some((name) => error instanceof Deno.errors[name]);
