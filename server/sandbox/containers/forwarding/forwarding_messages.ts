/** Calls between instances of the gateway, and the messages that answer them. */

import * as z from "zod";
import { MAX_OUTPUT_BYTES } from "../../messages.ts";

/** Operations, as the last part of a call's path names them. */
export const forwardedOperations = ["run", "turn"] as const;
export type ForwardedOperation = typeof forwardedOperations[number];

/** Body of `run`: commands, one after the other. */
export const runCallSchema = z.object({
  workspace_id: z.uuid(),
  language: z.enum(["bash", "python"]),
  commands: z.array(z.string()).max(1_000),
  timeout_ms: z.int().min(1),
});

/** Body of `turn`: the container is kept free of everybody else for the caller, until it ends the call. */
export const turnCallSchema = z.object({ workspace_id: z.uuid() });

const text = z.string().max(100_000);
/** An output, with the words that say that something was left out of it. */
const output = z.string().max(MAX_OUTPUT_BYTES + 10_000);

export const messageSchema = z.discriminatedUnion("type", [
  /** This instance does not have the container, or has it no more. Nothing was done. */
  z.object({ type: z.literal("gone") }),
  /** The container is the caller's now. */
  z.object({ type: z.literal("granted") }),
  /** A command has ended; of `run`, in the order of the commands. */
  z.object({
    type: z.literal("ran"),
    stdout: output,
    stderr: output,
    status: z.discriminatedUnion("type", [
      z.object({ type: z.literal("exit"), exitCode: z.int() }),
      z.object({ type: z.literal("timeout") }),
      z.object({ type: z.literal("failed"), reason: text }),
    ]),
  }),
  /** The end of `run`. */
  z.object({
    type: z.literal("ended"),
    files: z.array(z.object({ path: text, size: z.int().nonnegative() })).max(1_000),
    notes: z.array(text).max(1_000),
    seconds: z.number().nonnegative(),
  }),
  /** It could not be done, and this instance's log says why. */
  z.object({ type: z.literal("failed") }),
]);
export type InstanceMessage = z.infer<typeof messageSchema>;

/** Milliseconds of silence after which the instance that is called says that it is still there. */
export const BEAT_MS = 5_000;
/** Milliseconds of silence after which it is taken to be gone. */
export const SILENT_MS = 3 * BEAT_MS;
/** Most bytes of one message: an output takes six bytes of JSON for each of its own at most. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Beginning of a message in the event stream. */
export const MESSAGE_PREFIX = "data: ";
