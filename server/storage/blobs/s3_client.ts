/** Sends requests to one S3 bucket: addresses, signatures, time limits, repetitions and errors. */

import type { BlobsAddress } from "../../config/blobs_address.ts";
import type { Runtime } from "../../runtime.ts";
import { readText, type S3Response } from "./s3_body.ts";
import { asS3Error, parseResponseError, S3Error } from "./s3_error.ts";
import { type S3Keys, signS3Request } from "./s3_signature.ts";

export type S3Runtime = Pick<Runtime, "clock" | "fetch" | "random">;

export interface S3Request {
  readonly method: "DELETE" | "GET" | "HEAD" | "POST" | "PUT";
  /** Action of the request, for errors: `write file`. */
  readonly action: string;
  /** Absent for a request about the bucket. */
  readonly objectKey?: string;
  readonly params?: readonly (readonly [name: string, value: string])[];
  readonly range?: string;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** Ms until `read` must be done with the response; 30 s unless set. */
  readonly timeLimit?: number;
}

const TIME_LIMIT_MS = 30_000;
/** How often a request is sent at most. */
const ATTEMPTS = 3;
/** Longest pause before the first repetition, in ms; the next one is four times as long. */
const PAUSE_MS = 250;

export class S3Client {
  /** The bucket's address, without a slash behind it. */
  readonly bucketUrl: string;
  readonly #region: string;
  readonly #keys: S3Keys;
  readonly #runtime: S3Runtime;

  constructor(address: BlobsAddress, keys: S3Keys, { runtime }: { readonly runtime: S3Runtime }) {
    this.bucketUrl = bucketUrlOf(address);
    this.#region = address.region;
    this.#keys = keys;
    this.#runtime = runtime;
  }

  /**
   * Sends the request, up to three times where an error may pass, and gives what `read` makes of a response with a
   * status of success. Throws an S3Error.
   */
  async send<T>(request: S3Request, read: (response: S3Response) => Promise<T>): Promise<T> {
    for (let attempt = 1;; attempt++) {
      try {
        return await this.#sendOnce(request, read);
      } catch (error) {
        const failure = asS3Error(error, request.action);
        if (attempt === ATTEMPTS || !failure.isTransient) throw failure;
      }
      await this.#pauseAfter(attempt);
    }
  }

  /** The error that a body tells of. */
  responseError({ response, action }: S3Response, text: string): Promise<S3Error> {
    const { accessKeyId, secretAccessKey, sessionToken } = this.#keys;
    const secrets = [accessKeyId, secretAccessKey, sessionToken ?? ""].filter(Boolean);
    return parseResponseError({ action, status: response.status, text, secrets });
  }

  async #sendOnce<T>(request: S3Request, read: (response: S3Response) => Promise<T>): Promise<T> {
    const { method, action, body, timeLimit = TIME_LIMIT_MS } = request;
    const url = this.#url(request);
    const headers = await this.#headers(request, url);
    const controller = new AbortController();
    const abort = (error: S3Error) => controller.abort(error);
    const why = `S3 did not respond within ${timeLimit / 1_000} s`;
    const late = () => abort(new S3Error({ action, why, isTransient: true }));
    const cancelLimit = this.#runtime.clock.after(timeLimit, late);
    try {
      const { signal } = controller;
      const response = await this.#runtime.fetch(url, { method, headers, body, signal, redirect: "manual" });
      const received = { response, action, abort };
      if (!response.ok) throw await this.responseError(received, await readText(received));
      return await read(received);
    } finally {
      cancelLimit();
    }
  }

  #url({ objectKey, params = [] }: S3Request): string {
    const path = objectKey === undefined ? "" : `/${objectKey.split("/").map(encodeURIComponent).join("/")}`;
    const query = params.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
    return `${this.bucketUrl}${path || "/"}${query && `?${query}`}`;
  }

  async #headers({ method, body, range }: S3Request, url: string): Promise<Readonly<Record<string, string>>> {
    const now = this.#runtime.clock.now();
    const signed = await signS3Request(this.#keys, { method, url, body, region: this.#region, now });
    // Not signed, because a proxy may change it: a body that it compresses would not be what was kept.
    const plain = { ...signed, "accept-encoding": "identity" };
    return range === undefined ? plain : { ...plain, range };
  }

  async #pauseAfter(attempt: number): Promise<void> {
    const { clock, random } = this.#runtime;
    const longest = PAUSE_MS * 4 ** (attempt - 1);
    await new Promise<void>((resolve) => clock.after(longest * (1 + random()) / 2, resolve));
  }
}

/** Path style where the address has an endpoint; also for dots, which no certificate of AWS covers. No slash behind it. */
export function bucketUrlOf({ bucket, region, endpoint }: Omit<BlobsAddress, "prefix">): string {
  if (endpoint !== undefined) return `${endpoint}/${bucket}`;
  if (bucket.includes(".")) return `https://s3.${region}.amazonaws.com/${bucket}`;
  return `https://${bucket}.s3.${region}.amazonaws.com`;
}
