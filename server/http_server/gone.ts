/** What errors of Deno say about a client: that it has left. */

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

export const isDisconnect = (error: unknown) => ends.some((one) => error instanceof one);
