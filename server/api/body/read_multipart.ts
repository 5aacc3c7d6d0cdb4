/** A multipart body with one file, read as it comes: bounded in size, time and parts (specification, Files). */

import type { Buffer } from "node:buffer";
import type { BusboyFileStream, BusboyInstance } from "@fastify/busboy";
import { ApiError } from "../../../shared/errors.ts";
import { formatByteLimit } from "../../../shared/util/byte_size.ts";
import type { MultipartBody, UploadedFile } from "../../../shared/management/operation.ts";
import type { ClientRequest } from "../../http/http_server/incoming_request.ts";
import type { Clock } from "../../runtime.ts";
import { bodyError } from "./read_body.ts";
import { decodeFormName } from "./form_names.ts";
import { boundaryOf, TransportPadding } from "../transport_padding.ts";

export interface UploadLimits {
  /** Bytes. */
  readonly maxFileBytes: number;
  /** Milliseconds for the whole body. */
  readonly uploadMs: number;
}

interface MultipartOptions {
  readonly clock: Clock;
  readonly limits: UploadLimits;
}

/** Bytes of all texts beside the file. */
const MAX_TEXT_BYTES = 64 * 1024;
const MAX_PARTS = 20;
const MAX_HEADER_BYTES = 8 * 1024;
/** Most bytes that parts, headers and boundaries may add to the file. */
const MAX_EXTRA_BYTES = MAX_TEXT_BYTES + MAX_PARTS * (MAX_HEADER_BYTES + 1024);

/** A client sends at least this much while it is waited for. */
const WINDOW_MS = 10_000;
const WINDOW_BYTES = 10 * 1024;

const malformed = (why: string) =>
  new ApiError("invalid_request", `The multipart body ${why}.`, { metadata: { path: "body" } });

/** Judges the headers and reads nothing yet. Throws an ApiError: 400, or 413 for a length that is too large. */
export function readMultipart(request: ClientRequest, options: MultipartOptions): MultipartBody {
  const { headers } = request;
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity") throw malformed("is encoded; send it as it is");
  const type = headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*;/i.test(type) || type.length > 500) {
    throw new ApiError(
      "unsupported_media",
      'A multipart form is needed: Content-Type multipart/form-data, with one part named "file".',
    );
  }
  const length = Number(headers.get("content-length") ?? 0);
  if (length > options.limits.maxFileBytes + MAX_EXTRA_BYTES) throw tooLarge(options.limits);
  return { receive: (take) => new MultipartReader(request, options).read(type, take) };
}

function tooLarge({ maxFileBytes }: UploadLimits): ApiError {
  const most = formatByteLimit(maxFileBytes);
  return new ApiError("too_large", `The file is larger than ${most}, the most that is accepted.`);
}

type TakeFile = (file: UploadedFile) => Promise<void>;

class MultipartReader {
  readonly #request: ClientRequest;
  readonly #options: MultipartOptions;
  readonly #texts = new Map<string, string>();
  #textBytes = 0;
  #file: BusboyFileStream | undefined;
  // deno-lint-ignore tollgate/kept-promises -- of one request
  #taking: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #onFailure: (error: unknown) => void = () => {};

  constructor(request: ClientRequest, options: MultipartOptions) {
    this.#request = request;
    this.#options = options;
  }

  async read(type: string, take: TakeFile): Promise<ReadonlyMap<string, string>> {
    const parser = await this.#open(type, take);
    try {
      await this.#feed(parser, new TransportPadding(boundaryOf(type) ?? ""));
      await this.#orFailure(this.#taking ?? Promise.reject(malformed('has no part named "file"')));
      return this.#texts;
    } catch (error) {
      parser.destroy();
      // Its taker hears that there is no more of the file, and must have let it go before anyone hears of the failure.
      this.#file?.destroy(error instanceof Error ? error : undefined);
      await this.#taking?.catch(() => {});
      throw error;
    }
  }

  async #open(type: string, take: TakeFile): Promise<BusboyInstance> {
    const { Busboy } = await import("@fastify/busboy");
    const parser = createParser(() =>
      new Busboy({
        headers: { "content-type": type },
        preservePath: true,
        isPartAFile: (name) => name === "file",
        limits: {
          files: 1,
          fields: MAX_PARTS,
          parts: MAX_PARTS,
          fieldSize: MAX_TEXT_BYTES,
          headerSize: MAX_HEADER_BYTES,
          headerPairs: 50,
        },
      })
    );
    parser.on("file", (_name, content, filename: string | undefined) => {
      // Its end is told by the parser, and its taker reads its errors.
      content.on("error", () => {});
      this.#file = content;
      this.#taking = this.#take(take, { filename, content });
      this.#taking.catch(this.#fail);
    });
    parser.on("field", (name, value, _, truncated) => this.#keepText({ name, value, truncated }));
    parser.on("filesLimit", () => this.#fail(malformed('has two parts named "file"')));
    parser.on("partsLimit", () => this.#fail(malformed(`has more than ${MAX_PARTS} parts`)));
    parser.on("fieldsLimit", () => this.#fail(malformed(`has more than ${MAX_PARTS} parts`)));
    parser.on("error", (error: unknown) => this.#fail(asMalformed(error)));
    return parser;
  }

  async #take(take: TakeFile, { filename, content }: {
    readonly filename: string | undefined;
    readonly content: AsyncIterable<Uint8Array>;
  }): Promise<void> {
    if (filename === undefined || filename === "") {
      throw malformed('has a part named "file" without a file name: send it as curl -F file=@path does');
    }
    await take({ filename: decodeFormName(filename), content });
  }

  #keepText({ name, value, truncated }: {
    readonly name: string | undefined;
    readonly value: string;
    readonly truncated: boolean;
  }): void {
    this.#textBytes += value.length;
    if (truncated || this.#textBytes > MAX_TEXT_BYTES) {
      return this.#fail(malformed(`has more than ${MAX_TEXT_BYTES / 1024} KiB beside the file`));
    }
    if (name !== undefined) this.#texts.set(decodeFormName(name), value);
  }

  /** Hands the body to the parser, no faster than the file is taken. */
  async #feed(parser: BusboyInstance, padding: TransportPadding): Promise<void> {
    // A form without parts is over for the parser before its body has ended.
    const finished = new Promise<void>((resolve) => parser.once("finish", () => resolve()));
    const write = (bytes: Buffer) =>
      this.#orFailure(new Promise<void>((resolve) => parser.write(bytes, () => resolve())));
    let size = 0;
    for await (const bytes of this.#incoming()) {
      size += bytes.length;
      if (size > this.#options.limits.maxFileBytes + MAX_EXTRA_BYTES) throw tooLarge(this.#options.limits);
      for (const chunk of padding.push(bytes)) await write(chunk);
    }
    await write(padding.end());
    parser.end();
    await this.#orFailure(finished);
  }

  /** Whoever waits for the next step hears of it, now or later. */
  readonly #fail = (error: unknown): void => {
    this.#failure ??= { error };
    this.#onFailure(error);
  };

  /** No race with one promise for all steps: that would hold what every step has given until the upload is over. */
  #orFailure<T>(step: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) reject(this.#failure.error);
      this.#onFailure = reject;
      step.then(resolve, reject);
    });
  }

  /** The body; a client that sends too slowly is cut off. Time that it waits for us does not count. */
  async *#incoming(): AsyncGenerator<Uint8Array> {
    const { body } = this.#request;
    if (body === null) return;
    const chunks = body[Symbol.asyncIterator]();
    const pace = new UploadPace(this.#options, this.#fail);
    try {
      for (;;) {
        const { done, value } = await pace.watch(this.#orFailure(chunks.next().catch(throwBodyError)));
        if (done) return;
        yield value;
      }
    } finally {
      pace.end();
    }
  }
}

/** Counts what a client sends while it is waited for. */
class UploadPace {
  readonly #clock: Clock;
  readonly #fail: (error: ApiError) => void;
  readonly #cancelAll: () => void;
  #cancelWindow: () => void = () => {};
  #waitingSince = 0;
  /** In this window, without the chunk that is waited for now. */
  #waitedMs = 0;
  #bytes = 0;

  /** `fail` is called once the upload is too slow. */
  constructor({ clock, limits: { uploadMs } }: MultipartOptions, fail: (error: ApiError) => void) {
    this.#clock = clock;
    this.#fail = fail;
    const overdue = `The upload was not complete after ${Math.round(uploadMs / 1_000)} s.`;
    this.#cancelAll = clock.after(uploadMs, () => fail(new ApiError("slow_request", overdue)));
  }

  end(): void {
    this.#cancelAll();
  }

  /** A chunk that is waited for. */
  async watch(
    chunk: Promise<IteratorResult<Uint8Array, unknown>>,
  ): Promise<IteratorResult<Uint8Array, unknown>> {
    this.#startWindow();
    try {
      const next = await chunk;
      if (next.done !== true) this.#bytes += next.value.length;
      return next;
    } finally {
      this.#cancelWindow();
      this.#waitedMs += this.#clock.monotonic() - this.#waitingSince;
    }
  }

  /** Goes on with a window in which there was waiting before, or begins one. */
  #startWindow(): void {
    this.#waitingSince = this.#clock.monotonic();
    this.#cancelWindow = this.#clock.after(Math.max(0, WINDOW_MS - this.#waitedMs), () => this.#endWindow());
  }

  #endWindow(): void {
    if (this.#bytes < WINDOW_BYTES) {
      return this.#fail(
        new ApiError("slow_request", "The upload is too slow: less than 1 KiB a second came for 10 s."),
      );
    }
    this.#waitedMs = 0;
    this.#bytes = 0;
    this.#startWindow();
  }
}

function throwBodyError(error: unknown): never {
  throw bodyError(error);
}

function createParser(create: () => BusboyInstance): BusboyInstance {
  try {
    return create();
  } catch (error) {
    throw asMalformed(error);
  }
}

/** Makes an error of the parser's, which speaks about the body alone. */
function asMalformed(error: unknown): ApiError {
  const why = error instanceof Error ? error.message : String(error);
  return new ApiError("invalid_request", `The multipart body is malformed: ${why.slice(0, 200)}.`, {
    cause: error,
    metadata: { path: "body" },
  });
}
