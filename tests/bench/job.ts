/** Jobs of the load generator, and its results: JSON between two processes. */

import * as z from "zod";

/** Where a request goes, and with what. */
const target = z.object({
  port: z.number(),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

/** Keeps `connections` busy for a while; all durations in milliseconds. */
export const requestsJob = target.extend({
  kind: z.literal("requests"),
  connections: z.number(),
  warmupMs: z.number(),
  durationMs: z.number(),
  /** Instead of the body, a prompt of so many tokens to the same model: too long to be told on a command line. */
  tokens: z.number().optional(),
  /** Milliseconds that a connection waits between two requests. */
  pauseMs: z.number().optional(),
  /** Instead of one key for all requests: `made` of the first so many that bench_keys.ts makes, or nobody's. */
  keys: z.discriminatedUnion("type", [
    z.object({ type: z.literal("made"), count: z.number() }),
    z.object({ type: z.literal("nobody") }),
  ]).optional(),
  /** Status that every answer should have; 200 by default. */
  status: z.number().optional(),
});

/** Opens `streams` over `openMs` and reads each to its end. */
export const streamsJob = target.extend({
  kind: z.literal("streams"),
  streams: z.number(),
  deltas: z.number(),
  openMs: z.number(),
});

export const job = z.discriminatedUnion("kind", [requestsJob, streamsJob]);

/** Where files are sent to and fetched from: a gateway, or files_bare.ts. Every file has `bytes`. */
const filesTarget = z.object({
  port: z.number(),
  headers: z.record(z.string(), z.string()),
  bytes: z.number(),
  /** Files at once, each over a connection of its own. */
  count: z.number(),
});

export const uploadsJob = filesTarget.extend({
  kind: z.literal("uploads"),
  content: z.enum(["text", "binary"]),
  /** Rate of each upload; as fast as it goes by default. */
  bytesPerSecond: z.number().optional(),
});

/** Fetches the file `id`; `slow` of the readers take no more than `bytesPerSecond`. */
export const downloadsJob = filesTarget.extend({
  kind: z.literal("downloads"),
  id: z.string(),
  slow: z.number().default(0),
  bytesPerSecond: z.number().optional(),
});

export const filesJob = z.discriminatedUnion("kind", [uploadsJob, downloadsJob]);

export type UploadsJob = Readonly<z.infer<typeof uploadsJob>>;
export type DownloadsJob = Readonly<z.infer<typeof downloadsJob>>;

export type Target = Readonly<z.infer<typeof target>>;
export type RequestsJob = Readonly<z.infer<typeof requestsJob>>;
export type StreamsJob = Readonly<z.infer<typeof streamsJob>>;

/** Latencies in milliseconds. NaN does not survive JSON, so a slice without an answer has null. */
export const requestsResult = z.object({
  requests: z.number(),
  failures: z.number(),
  perSecond: z.number(),
  p50: z.number().nullable(),
  p99: z.number().nullable(),
});

/** Lateness in milliseconds, from a delta's writing at the upstream to its reading here. */
export const streamsResult = z.object({
  deltas: z.number(),
  /** Deltas that never came, came twice or came out of order. */
  lost: z.number(),
  /** Streams that did not end as they should. */
  failures: z.number(),
  /** While every stream was open. */
  p50: z.number().nullable(),
  p99: z.number().nullable(),
  /** Over the whole run, the opening included. */
  p99Whole: z.number().nullable(),
  /** Milliseconds between two deltas of one stream, while every stream was open. */
  gapP99: z.number().nullable(),
});

export type RequestsResult = Readonly<z.infer<typeof requestsResult>>;
export type StreamsResult = Readonly<z.infer<typeof streamsResult>>;

/** Output of files_load.ts: milliseconds for all of them, bytes and ids of those that came whole. */
export const filesResult = z.object({
  ids: z.array(z.string()),
  ms: z.number(),
  bytes: z.number(),
  failures: z.number(),
});
export type FilesResult = Readonly<z.infer<typeof filesResult>>;

/** Output of translate.ts and prompt.ts: one figure a round. */
export const roundsResult = z.array(z.number());

/** Output of routing.ts: microseconds a request, by what it asks for. */
export const routingResult = z.record(z.string(), z.number());

/** Output of fill_keys.ts. */
export const fillResult = z.object({ keys: z.number(), seconds: z.number() });
export type FillResult = Readonly<z.infer<typeof fillResult>>;

/** Output of fill_receipts.ts. */
export const fillReceiptsResult = z.object({ receipts: z.number(), seconds: z.number() });
export type FillReceiptsResult = Readonly<z.infer<typeof fillReceiptsResult>>;

/** Milliseconds of waiting, processor time in µs a receipt, receipts a second. */
const commitFigures = z.object({
  p50: z.number(),
  p99: z.number(),
  cpuUs: z.number(),
  perSecond: z.number(),
});

/** Output of commits.ts: by what a commit holds, and by when it begins. */
export const commitsResult = z.object({
  forms: z.array(commitFigures.extend({ name: z.string(), group: z.number() })),
  moments: z.array(commitFigures.extend({ name: z.string(), clients: z.number() })),
});
export type CommitsResult = Readonly<z.infer<typeof commitsResult>>;

/** The line that says that every stream is open, before the last line with the result. */
export const ALL_OPEN = "all open";

/** Job of the browser in the console of a gateway. */
export const consoleJob = z.object({
  port: z.number(),
  managementKey: z.string(),
  repetitions: z.number(),
});

/** Job of browse.ts. */
export const browseJob = z.object({
  port: z.number(),
  managementKey: z.string(),
  sessions: z.number(),
  /** Between two views of a session. */
  pauseMs: z.number(),
});
export type BrowseJob = Readonly<z.infer<typeof browseJob>>;

/** Milliseconds, and requests below `/console/api`: one of each for every repetition. */
const consoleFigures = z.object({ ms: z.array(z.number()), requests: z.array(z.number()) });

/** By what was done. */
export const consoleResult = z.record(z.string(), consoleFigures);

export type ConsoleJob = Readonly<z.infer<typeof consoleJob>>;
export type ConsoleFigures = Readonly<z.infer<typeof consoleFigures>>;
