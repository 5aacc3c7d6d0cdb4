/**
 * Frames between the gateway and the forwarder of a container, which stands in its network. The keeper hands them on.
 * One frame of data of each connection is on its way in either direction: the next one is sent once it has been taken.
 */

import * as z from "zod";

const connection = z.int().positive();

/** Bytes that one frame carries. */
export const MAX_DATA_BYTES = 64 * 1024;

/** To the forwarder. */
export const forwarderRequestSchema = z.discriminatedUnion("type", [
  /** Takes connections from now on. */
  z.strictObject({ type: z.literal("listen"), run: z.int().positive() }),
  /** Takes none any more, and closes all. */
  z.strictObject({ type: z.literal("stop") }),
  /** The body is for the program in the container. */
  z.strictObject({ type: z.literal("data"), connection }),
  /** Nothing more comes for the program. */
  z.strictObject({ type: z.literal("end"), connection }),
  z.strictObject({ type: z.literal("close"), connection }),
  /** The last data was taken. */
  z.strictObject({ type: z.literal("taken"), connection }),
]);

/** From the forwarder. */
export const forwarderEventSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("listening"), run: z.int().positive() }),
  /** A program has connected; numbers are never used again. */
  z.strictObject({ type: z.literal("opened"), connection, run: z.int().positive() }),
  /** The body comes from the program. */
  z.strictObject({ type: z.literal("data"), connection }),
  /** The program sends nothing more. */
  z.strictObject({ type: z.literal("end"), connection }),
  /** The program has gone. */
  z.strictObject({ type: z.literal("closed"), connection }),
  /** The last data was taken. */
  z.strictObject({ type: z.literal("taken"), connection }),
]);

export type ForwarderRequest = z.output<typeof forwarderRequestSchema>;
export type ForwarderEvent = z.output<typeof forwarderEventSchema>;
