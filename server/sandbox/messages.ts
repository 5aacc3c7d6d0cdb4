/**
 * Messages between the gateway and the process of a container, as frames (server/sandbox/keeper/frames.ts). The
 * gateway asks one thing after another, and each is answered by one frame; in the middle of a command the process may
 * ask something back (`call`). Nothing that a process says is believed: it may have been taken over by what it runs.
 */

import * as z from "zod";

export const HOME = "/home/user";

/** Bytes of stdout and of stderr that are kept. */
export const MAX_OUTPUT_BYTES = 1024 * 1024;
/** Bytes that one frame carries. */
export const MAX_CHUNK_BYTES = 8 * 1024 * 1024;
/** A container may hold fewer entries than this: a command that changes more has gone too far. */
export const MAX_CHANGES = 4_000;
/** Bytes of one name, as file systems have it. */
export const MAX_NAME_BYTES = 255;
/** Most characters of all exported variables, names and values. */
export const MAX_ENVIRONMENT_CHARS = 32 * 1024;
/** Most bytes of one reply to `curl`. */
export const MAX_FETCHED_BYTES = 10 * 1024 * 1024;

const size = z.int().nonnegative();
const mode = z.int().min(0).max(0o7777);
const modifiedAt = z.number().min(-8.64e15).max(8.64e15);
/** Relative to the home folder. */
const path = z.string().min(1).max(4_096);

const entrySchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("file"), path, mode, modifiedAt, size }),
  z.strictObject({ type: z.literal("folder"), path, mode, modifiedAt }),
  z.strictObject({ type: z.literal("link"), path, target: z.string().min(1).max(4_096) }),
]);

const id = z.int().nonnegative();

/**
 * To the process. Bodies are packs (pack.ts), unless it is said otherwise. `request` numbers them; whatever a process
 * says in return has the number of its request.
 */
export const processRequestSchema = z.discriminatedUnion("type", [
  /** The pack has {@link loadSchema}, and the contents one behind the other. */
  z.strictObject({ type: z.literal("load"), request: id }),
  /** The pack has {@link commandSchema}. */
  z.strictObject({ type: z.literal("run"), request: id }),
  /** The pack has {@link readSchema}. */
  z.strictObject({ type: z.literal("read"), request: id }),
  /** Answer to a `call`, by its name. */
  z.strictObject({ type: z.literal("answer"), id }),
]);

export const loadSchema = z.array(z.strictObject({
  entry: entrySchema,
  /** Bytes of its content in this pack; more of it follows in the next ones. */
  bytes: size,
  /** The content goes on from an earlier pack. */
  isContinued: z.boolean(),
}));

/** Name and value. */
const environment = z.array(z.tuple([z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string()]));

export const commandSchema = z.strictObject({
  language: z.enum(["bash", "python"]),
  code: z.string(),
  workingFolder: z.string(),
  environment,
  /** Whether there is a `curl`. */
  network: z.boolean(),
  /** Milliseconds of the processor after which the process ends it by itself. */
  timeMs: z.int().positive(),
});

export const readSchema = z.strictObject({ path, offset: size, length: size });

/** From the process. */
export const processReplySchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("ready") }),
  z.strictObject({ type: z.literal("loaded"), request: id }),
  /** It has no memory for what was to be loaded. */
  z.strictObject({ type: z.literal("full"), request: id }),
  /** The pack has {@link endedSchema}, stdout and stderr. */
  z.strictObject({ type: z.literal("ended"), request: id }),
  /** The body is the bytes. */
  z.strictObject({ type: z.literal("content"), request: id }),
  z.strictObject({ type: z.literal("call"), request: id, id, name: z.enum(["fetch", "packages", "wheel"]) }),
  /**
   * Output of a running command: what it has printed since the last one. The pack has {@link printedSchema} and both.
   */
  z.strictObject({ type: z.literal("printed"), request: id }),
]);

export type ProcessReply = z.output<typeof processReplySchema>;
/** Replies that answer a request. */
export type ProcessAnswer = Exclude<ProcessReply, { type: "ready" | "call" | "printed" }>;
export type CallName = Extract<ProcessReply, { type: "call" }>["name"];

/** Bytes of the two that follow. */
export const printedSchema = z.strictObject({ stdout: size, stderr: size });

export const endedSchema = z.strictObject({
  exitCode: z.int().min(0).max(255),
  /** It was ended at its time limit. */
  isTimedOut: z.boolean(),
  /** Bytes of the two that follow. */
  stdout: size.max(MAX_OUTPUT_BYTES),
  stderr: size.max(MAX_OUTPUT_BYTES),
  workingFolder: z.string().max(4_096),
  environment,
  changes: z.array(z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("written"), entry: entrySchema }),
    z.strictObject({ type: z.literal("deleted"), path }),
  ])).max(MAX_CHANGES),
  isOverflow: z.boolean(),
  isNewInterpreter: z.boolean(),
});

/** Body of a `fetch` call. */
export const fetchCallSchema = z.strictObject({
  url: z.string().max(8_192),
  method: z.string().max(16),
});

/** The bytes of the reply follow in the pack. */
export const fetchAnswerSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("reply"),
    status: z.int(),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
  }),
  z.strictObject({ type: z.literal("failed"), message: z.string() }),
]);

/** Body of a `packages` call: names of modules that could not be imported. */
export const packagesCallSchema = z.strictObject({
  modules: z.array(z.string().min(1).max(200)).min(1).max(50),
});

export const packagesAnswerSchema = z.strictObject({
  wheels: z.array(z.strictObject({ filename: z.string().max(300), size })),
  /** Error of what could not be had, in one sentence for the model. */
  message: z.string().optional(),
});

/** Body of a `wheel` call: a part of one of those that `packages` named. Its bytes are those of the answer's pack. */
export const wheelCallSchema = z.strictObject({ filename: z.string().max(300), offset: size });
