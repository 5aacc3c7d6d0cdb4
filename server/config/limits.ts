/**
 * Time-outs and sizes (server/README.md §3): what the configuration file may change, with the values it need not.
 */

import * as z from "zod";
import type { BlobsPlace } from "./blobs_address.ts";
import { strictObject } from "./strict_object.ts";

const MIB = 1024 * 1024;
const DAY_MS = 86_400_000;
const seconds = (fallback: number) => z.number().positive().max(86_400).default(fallback);
const count = (fallback: number) => z.int().min(1).max(1_000_000).default(fallback);

export const limitsSchema = strictObject({
  /** Size of a request's body. */
  body_bytes: z.int().min(1_024).max(1_024 * MIB).default(32 * MIB),
  body_seconds: seconds(30),
  /** Size of an uploaded file, the time for its upload, the size of all files of a workspace, and of all in the store. */
  file_bytes: z.int().min(1_024).max(10 * 1_024 * MIB).default(100 * MIB),
  upload_seconds: seconds(600),
  workspace_file_bytes: z.int().min(0).max(1_024 * 1_024 * 1_024 * MIB).default(10 * 1_024 * MIB),
  store_file_bytes: z.int().min(0).max(1_024 * 1_024 * MIB).default(1_024 * MIB),
  /** Size of a provider's answer, decoded. */
  answer_bytes: z.int().min(1_024).max(1_024 * MIB).default(128 * MIB),
  connect_seconds: seconds(10),
  /**
   * Streamed calls: until the provider's first byte (60 unless set, 300 at servers of the operator's own, which may have
   * to load a model or read a long prompt first), between two of them, and in all.
   */
  first_byte_seconds: z.number().positive().max(86_400).optional(),
  silence_seconds: seconds(120),
  stream_seconds: seconds(3_600),
  /** Calls that are not streamed, in all. */
  answer_seconds: seconds(600),
  /** Requests with server tools, over all turns of their model; 1,800 streamed and 600 not streamed unless set. */
  loop_seconds: z.number().positive().max(86_400).optional(),
  /** Turns of their model that may call tools; one more without tools follows. */
  loop_turns: z.int().min(1).max(100_000).default(200),
  /** One call of a server tool. */
  tool_seconds: seconds(120),
  /** Until a stream's first comment, and between two of them. */
  heartbeat_seconds: seconds(10),
  /** How long a client may leave its stream unread. */
  unread_seconds: seconds(60),
  /** Calls of providers for one request. */
  attempts: z.int().min(1).max(16).default(4),
  /** Requests without a valid key that an address may make. */
  failed_keys_per_minute: count(60),
  store_seconds: seconds(2),
  /** Tokens: the output cap of a request under a spending limit that names none. */
  default_output_tokens: z.int().min(1).max(10_000_000).default(8_192),
  /** How long a request waits for money that others have reserved, and how many wait under one limit. */
  reservation_seconds: z.number().nonnegative().max(600).default(5),
  reservations_waiting: z.int().nonnegative().max(1_000_000).default(1_000),
  /** Resident memory of the process from which on new requests are refused; none unless set. */
  memory_bytes: z.int().min(128 * MIB).max(1_024 * 1_024 * MIB).optional(),
  /** Streams that are open at a stop get this long to end. */
  drain_seconds: seconds(25),
  /** Connections of clients at the same time; never more than the limit on open files leaves room for. */
  connections: z.int().min(1).max(1_000_000).optional(),
  /** How long receipts are kept. What they have counted is kept for ever. */
  receipt_days: z.int().min(1).max(36_500).default(90),
});

/**
 * In milliseconds and bytes. The fields are those that the modules ask for, so that the record can be handed on.
 */
export interface GatewayLimits {
  readonly maxBodyBytes: number;
  readonly bodyMs: number;
  readonly maxFileBytes: number;
  readonly uploadMs: number;
  readonly workspaceFileBytes: number;
  /** Where the bytes of files are in the store. */
  readonly storeFileBytes: number;
  readonly maxResponseBytes: number;
  readonly connectMs: number;
  readonly firstByteMs: number;
  /** The same at servers of the operator's own. */
  readonly ownFirstByteMs: number;
  readonly idleMs: number;
  readonly streamMs: number;
  readonly wholeResponseMs: number;
  readonly streamedLoopMs: number;
  readonly wholeLoopMs: number;
  readonly loopTurns: number;
  readonly toolMs: number;
  readonly heartbeatMs: number;
  readonly writeStallMs: number;
  readonly attempts: number;
  readonly failedKeysPerMinute: number;
  readonly storeMs: number;
  readonly defaultOutputTokens: number;
  readonly reservationWaitMs: number;
  readonly maxQueuedReservations: number;
  readonly drainMs: number;
  readonly connections: number;
  readonly receiptMs: number;
  readonly memoryBytes?: number;
}

/** Deno Deploy sends SIGINT and kills five seconds later. */
const DEPLOY_DRAIN_SECONDS = 4;

/** The largest file whose bytes are in the store: it takes some seconds to write it. */
export const MOST_STORE_FILE_BYTES = 32 * MIB;

interface LimitsOptions {
  readonly deploy: boolean;
  readonly blobs?: BlobsPlace;
  /** How many files the process may have open. */
  readonly fileLimit: number;
}

/** Files besides connections: the store, the log, the built-in models, and connections that are being refused. */
const OTHER_FILES = 64;

/** A request in progress may need a connection to a provider besides that of its client. */
const maxConnections = (fileLimit: number) => Math.max(1, Math.floor((fileLimit - OTHER_FILES) / 2));

export function parseLimits(
  file: z.output<typeof limitsSchema>,
  { deploy, blobs, fileLimit }: LimitsOptions,
): GatewayLimits {
  const mostFileBytes = blobs === "store" ? MOST_STORE_FILE_BYTES : Infinity;
  const drain = deploy ? Math.min(file.drain_seconds, DEPLOY_DRAIN_SECONDS) : file.drain_seconds;
  return {
    maxBodyBytes: file.body_bytes,
    bodyMs: file.body_seconds * 1_000,
    maxFileBytes: Math.min(file.file_bytes, mostFileBytes),
    uploadMs: file.upload_seconds * 1_000,
    workspaceFileBytes: file.workspace_file_bytes,
    storeFileBytes: file.store_file_bytes,
    maxResponseBytes: file.answer_bytes,
    connectMs: file.connect_seconds * 1_000,
    firstByteMs: (file.first_byte_seconds ?? 60) * 1_000,
    ownFirstByteMs: (file.first_byte_seconds ?? 300) * 1_000,
    idleMs: file.silence_seconds * 1_000,
    streamMs: file.stream_seconds * 1_000,
    wholeResponseMs: file.answer_seconds * 1_000,
    streamedLoopMs: (file.loop_seconds ?? 1_800) * 1_000,
    wholeLoopMs: (file.loop_seconds ?? 600) * 1_000,
    loopTurns: file.loop_turns,
    toolMs: file.tool_seconds * 1_000,
    heartbeatMs: file.heartbeat_seconds * 1_000,
    writeStallMs: file.unread_seconds * 1_000,
    attempts: file.attempts,
    failedKeysPerMinute: file.failed_keys_per_minute,
    storeMs: file.store_seconds * 1_000,
    defaultOutputTokens: file.default_output_tokens,
    reservationWaitMs: file.reservation_seconds * 1_000,
    maxQueuedReservations: file.reservations_waiting,
    drainMs: drain * 1_000,
    memoryBytes: file.memory_bytes,
    connections: Math.min(file.connections ?? Infinity, maxConnections(fileLimit)),
    receiptMs: file.receipt_days * DAY_MS,
  };
}
