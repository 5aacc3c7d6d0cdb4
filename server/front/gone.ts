/** What errors of Deno mean: that a client has left, or that this process lacks something. */

/** Of a connection whose other end is there no longer. */
const ends = [
  Deno.errors.BadResource,
  Deno.errors.BrokenPipe,
  Deno.errors.ConnectionAborted,
  Deno.errors.ConnectionReset,
  Deno.errors.Interrupted,
  Deno.errors.NotConnected,
  Deno.errors.TimedOut,
];

export const isGone = (error: unknown) => ends.some((one) => error instanceof one);

const shortages: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM"]);

/** True where the system has no file descriptor or no memory left for another connection. */
export function isShortage(error: unknown): boolean {
  return error instanceof Error && "code" in error && shortages.has(String(error.code));
}
