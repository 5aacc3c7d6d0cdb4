/** Type of one operation of the management API: a row of the table in shared/management/api.ts. */

import * as z from "zod";
import type { Operation } from "../errors.ts";
import type { KeyKind } from "../keys.ts";

export interface ManagementOperation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/v1`, parameters as `:name`. */
  readonly path: string;
  /** Which credentials may; all others are refused before anything of the request is looked at. */
  readonly who: readonly KeyKind[];
  /** Status of a credential of another kind. 403 unless the specification lists none (key update: 401). */
  readonly elseStatus?: 401 | 403;
  /** Decides which statuses an error may have. */
  readonly errors: Operation;
  /** Summary of the operation, in one sentence, for people and for OpenAPI. */
  readonly summary: string;
  /** For error sentences: `Cannot create key: …`. */
  readonly verb: string;
  readonly query?: z.ZodType;
  /** `multipart`: one file and a few texts, read as they come ({@link MultipartBody}). */
  readonly body?: z.ZodType | "multipart";
  /** No body at all stands for `{}`. */
  readonly bodyOptional?: true;
  /** Changes nothing although it is no GET: read-only management keys may. */
  readonly reads?: true;
  /** Refused to read-only management keys although it is a GET: it tells what they may not know. */
  readonly tellsAll?: true;
  /** Takes an `Idempotency-Key`: for a day the same key of the same caller gets the same answer, from one call. */
  readonly idempotent?: true;
  /** Its answer's `data` is a record, whose version goes out as `ETag`; a PATCH takes it back in `If-Match`. */
  readonly versioned?: true;
  /** `bytes`: the content of a file ({@link FileDownload}). `events`: server-sent ones ({@link EventFeed}). */
  readonly output: z.ZodType | "bytes" | "events";
  readonly status?: 201;
}

/** The file of a multipart body, as it comes. */
export interface UploadedFile {
  /** As the client named it. */
  readonly filename: string;
  readonly content: AsyncIterable<Uint8Array>;
}

/** A multipart body that nobody has read yet. */
export interface MultipartBody {
  /**
   * Hands the part named `file` to `take`, reads what comes behind it, and resolves with the texts beside it. Throws
   * an ApiError where the body is no such form, also after `take` is done.
   */
  receive(take: (file: UploadedFile) => Promise<void>): Promise<ReadonlyMap<string, string>>;
}

/** The content of a file on its way to the client. */
export interface FileDownload {
  readonly filename: string;
  /** Bytes; undefined where nobody knows: the file is sent as a whole then. */
  readonly size?: number;
  /** Digest of the content, as hexadecimal digits. */
  readonly sha256?: string;
  /** The bytes, whole or a part of them. */
  readonly open: (range?: { readonly offset: number; readonly length: number }) => Promise<
    ReadableStream<Uint8Array>
  >;
}

/** One server-sent event. */
export interface FeedEvent {
  readonly event: string;
  /** JSON, in one line. */
  readonly data: string;
}

/** Events as they happen, for one client. */
export interface EventFeed {
  /** The next ones, undefined when it is over. Never called while a call is pending; never rejects. */
  next(): Promise<readonly FeedEvent[] | undefined>;
  /** Nobody reads it any more; harmless twice. */
  close(): void;
}

type Schema<T> = T extends z.ZodType ? z.output<T> : T extends "multipart" ? MultipartBody : undefined;

/** Input of a handler. `body` and `query` are parsed by the row's schemas. */
export type OperationQuery<O extends ManagementOperation> = O extends { readonly query: infer Q } ? Schema<Q>
  : undefined;
export type OperationBody<O extends ManagementOperation> = O extends { readonly body: infer B } ? Schema<B>
  : undefined;
export type OperationOutput<O extends ManagementOperation> = O["output"] extends z.ZodType
  ? z.input<O["output"]>
  : O["output"] extends "events" ? EventFeed
  : FileDownload;

/**
 * `offset` and `limit` of the admin lists (specification, Pagination conventions); empty texts count as absent.
 */
const whole = (least: number, most: number) =>
  z.union([z.literal("").transform(() => undefined), z.coerce.number().pipe(z.int().min(least).max(most))]);

export const pageQuery = {
  offset: whole(0, 1_000_000_000).optional(),
  limit: whole(1, 100).optional(),
} as const;

/** A workspace's UUID in an address, by which a list is narrowed; an empty text counts as absent. */
export const workspaceQuery = z.union([
  z.literal("").transform(() => undefined),
  z.uuid().toLowerCase(),
]).optional();

/** `true` or `false` in an address. */
export const booleanQuery = z.enum(["true", "false"]).transform((text) => text === "true");

export const DEFAULT_PAGE_SIZE = 50;

export const deletedSchema = z.object({ deleted: z.literal(true) });

/** Warnings about what was saved as it was asked for: `path` names the field. */
export const saveWarningsSchema = z.array(z.object({ path: z.string(), message: z.string() }));
export type SaveWarning = z.infer<typeof saveWarningsSchema>[number];
