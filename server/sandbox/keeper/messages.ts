/** The verbs between gateway and keeper. Nothing of them is a command line: programs are named, see programs.ts. */

import * as z from "zod";

/** Programs that read their input, write their output and end. */
const programNames = ["reader"] as const;
/** Programs that stay, and exchange frames with the gateway. */
const sessionProgramNames = ["sandbox", "bubblewrap"] as const;

export type ProgramName = (typeof programNames)[number];
export type SessionProgramName = (typeof sessionProgramNames)[number];

/** Limits on time are in milliseconds of the processor: a busy machine must not end a program. */
export const CLOCK_FACTOR = 4;
/** Share of a wait for the processor that does not count; with all of it a program could stay for ever where it gets none. */
export const UNCOUNTED_WAIT = 2 / 3;

const id = z.int().nonnegative();
/** Header of a frame of a program that stays. */
const header = z.record(z.string(), z.unknown());

/** To the keeper. */
export const keeperRequestSchema = z.discriminatedUnion("type", [
  /** The body is the program's standard input. */
  z.strictObject({ type: z.literal("run"), id, program: z.enum(programNames) }),
  z.strictObject({
    type: z.literal("open"),
    id,
    program: z.enum(sessionProgramNames),
    memoryMib: z.int().min(64).max(16_384),
  }),
  /**
   * A frame for a program that stays. With `timeMs` the program is ended where it does not answer within so many
   * milliseconds of the processor, or {@link CLOCK_FACTOR} times as many by the clock: with any frame but one of
   * {@link betweenFrames}.
   */
  z.strictObject({ type: z.literal("send"), id, header, timeMs: z.int().positive().optional() }),
  /** Ends the program at once; harmless when it has ended. */
  z.strictObject({ type: z.literal("stop"), id }),
]);

/**
 * Types of frames that a program sends before it answers: it asks something, or tells what it has printed. The last
 * three are for the keeper alone: work begins that does not count in the command's time, such as the start of an
 * interpreter; what follows counts again; and there is no start memory of Python.
 */
export const betweenFrames: ReadonlySet<unknown> = new Set([
  "call",
  "printed",
  "uncounted",
  "counted",
  "no_start_memory",
]);

/**
 * Milliseconds of the processor that work which does not count may take during one command; what it takes beyond that
 * counts. The keeper, which cannot know whether a program says the truth, gives it {@link UNCOUNTED_REACH} times as many.
 */
export const MAX_UNCOUNTED_MS = 20_000;
export const UNCOUNTED_REACH = 1.5;

export type KeeperRequest = z.output<typeof keeperRequestSchema>;

/** How a run ended. */
export const runOutcomes = [
  "done",
  /** The program ended by itself with another status than 0. */
  "failed",
  "time_limit",
  "memory_limit",
  "output_limit",
  "stopped",
  /** Its packages are not in Deno's cache and could not be fetched. */
  "not_installed",
  /** The system did not start it. */
  "not_started",
] as const;

export type RunOutcome = (typeof runOutcomes)[number];

/** From the keeper. */
export const keeperEventSchema = z.discriminatedUnion("type", [
  /** The body is what the program wrote on its standard output, of one that stays nothing. */
  z.strictObject({
    type: z.literal("ended"),
    id,
    outcome: z.enum(runOutcomes),
    detail: z.string().optional(),
  }),
  /** From a program that stays. */
  z.strictObject({ type: z.literal("frame"), id, header }),
  /** Packages of a program are being fetched. */
  z.strictObject({
    type: z.literal("installing"),
    program: z.enum([...programNames, ...sessionProgramNames]),
  }),
]);

export type KeeperEvent = z.output<typeof keeperEventSchema>;
