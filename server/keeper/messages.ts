/** The verbs between gateway and keeper. Nothing of them is a command line: programs are named, see programs.ts. */

import * as z from "zod";

export const programNames = ["reader"] as const;

export type ProgramName = (typeof programNames)[number];

const id = z.int().nonnegative();

/** To the keeper. The body of `run` is the program's standard input. */
export const keeperRequestSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("run"), id, program: z.enum(programNames) }),
  /** Ends the program at once; harmless when it has ended. */
  z.strictObject({ type: z.literal("stop"), id }),
]);

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

/** From the keeper. The body of `ended` is what the program wrote on its standard output. */
export const keeperEventSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("ended"),
    id,
    outcome: z.enum(runOutcomes),
    detail: z.string().optional(),
  }),
  /** Packages of a program are being fetched. */
  z.strictObject({ type: z.literal("installing"), program: z.enum(programNames) }),
]);

export type KeeperEvent = z.output<typeof keeperEventSchema>;
