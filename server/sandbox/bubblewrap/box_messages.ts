/**
 * Frames between the gateway and the keeper about one container of the engine `bubblewrap`. The gateway runs one
 * program after the other; the keeper answers with the output of each, and with its end.
 */

import * as z from "zod";
import { boxProgramNames } from "./box_programs.ts";
import { forwarderEventSchema, forwarderRequestSchema } from "./network/forwarder_messages.ts";

const id = z.int().nonnegative();

/** To the keeper. The body is standard input of the program. */
export const boxRequestSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("start"),
    request: id,
    program: z.enum(boxProgramNames),
    /** Milliseconds of the processor; four times as many by the clock. */
    timeMs: z.int().positive(),
    /** Bytes of the body that an interpreter begins with, and does not need where it has begun before. */
    stateBytes: id,
    isLast: z.boolean(),
  }),
  /** More of standard input, once the part before has been taken. */
  z.strictObject({ type: z.literal("input"), request: id, isLast: z.boolean() }),
  /** For the forwarder, which the first of them starts. The body is of the frame. */
  z.strictObject({ type: z.literal("network"), frame: forwarderRequestSchema }),
]);

/** From the keeper. */
export const boxReplySchema = z.discriminatedUnion("type", [
  /** The files are held; sent once. */
  z.strictObject({ type: z.literal("ready") }),
  /** There is room for more of standard input. */
  z.strictObject({ type: z.literal("taken"), request: id }),
  /** The body is output. */
  z.strictObject({ type: z.literal("output"), request: id, name: z.enum(["stdout", "stderr"]) }),
  z.strictObject({
    type: z.literal("exited"),
    request: id,
    code: z.int(),
    /** Why the keeper has ended it. */
    limit: z.enum(["time", "memory", "output", "stopped"]).optional(),
    /** The interpreter that ran the code has begun with it. */
    isNew: z.boolean().optional(),
  }),
  /** From the forwarder. The body is of the frame. */
  z.strictObject({ type: z.literal("network"), frame: forwarderEventSchema }),
]);

export type BoxReply = z.output<typeof boxReplySchema>;
export type BoxEnd = Pick<Extract<BoxReply, { type: "exited" }>, "code" | "limit" | "isNew">;
