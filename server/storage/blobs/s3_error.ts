/** Error of S3, in a sentence that has neither keys nor signatures. */

import { truncate } from "../../../shared/util/text.ts";
import { BlobError } from "./blob_store.ts";
import { parseErrorXml } from "./s3_xml.ts";

interface S3ErrorDetails {
  /** Action that failed, such as `write file`. */
  readonly action: string;
  readonly why: string;
  /** Status of the response; absent where none came. */
  readonly status?: number;
  /** S3's word, such as `NoSuchKey`. */
  readonly code?: string;
  /** True where the same request may succeed a moment later. */
  readonly isTransient?: boolean;
  readonly cause?: unknown;
}

export class S3Error extends BlobError {
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly isTransient: boolean;

  constructor({ action, why, status, code, isTransient = false, cause }: S3ErrorDetails) {
    super(`Cannot ${action}: ${why}`, { cause });
    this.status = status;
    this.code = code;
    this.isTransient = isTransient;
  }

  /** True where the bucket is there and what the request names is not. */
  get isMissing(): boolean {
    return this.status === 404 && this.code !== "NoSuchBucket";
  }
}

/** Longest part of S3's message that is shown. */
const MESSAGE_CHARACTERS = 300;

/** Meanings of S3's codes for an operator. */
const meanings: ReadonlyMap<string, string> = new Map(Object.entries({
  AccessDenied: "the access key lacks a permission",
  AuthorizationHeaderMalformed: "the region is wrong",
  ExpiredToken: "the session token has expired",
  InvalidAccessKeyId: "the access key is unknown",
  InvalidBucketName: "the name of the bucket is not valid",
  InvalidToken: "the session token is not valid",
  NoSuchBucket: "there is no such bucket",
  PermanentRedirect: "the region or the endpoint is wrong",
  RequestTimeTooSkewed: "the clock of this machine is wrong",
  SignatureDoesNotMatch: "the secret access key is wrong",
}));

/** Codes of errors behind a status 200 that are worth a repetition. */
const transientCodes: readonly string[] = ["InternalError", "ServiceUnavailable", "SlowDown"];

interface ErrorResponse {
  readonly action: string;
  readonly status: number;
  /** The body, which need not be XML. */
  readonly text: string;
  /** Texts that S3 may repeat and that must not be shown. */
  readonly secrets: readonly string[];
}

/** The error that a response tells of. */
export async function parseResponseError(response: ErrorResponse): Promise<S3Error> {
  const { action, status, text, secrets } = response;
  const { Code, Message } = await parseErrorXml(text) ?? {};
  const code = Code && plain(Code, secrets);
  const words = [code, Message && plain(Message, secrets)].filter(Boolean).join(": ");
  const meaning = meanings.get(code ?? "") ?? "S3 responded with an error";
  return new S3Error({
    action,
    why: `${meaning} (status ${status}${words && `, ${words}`})`,
    status,
    code,
    isTransient: status === 429 || status >= 500 || transientCodes.includes(code ?? ""),
  });
}

/** A text of S3 as one short line. */
function plain(text: string, secrets: readonly string[]): string {
  const hidden = secrets.reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
  const line = hidden.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
  return truncate(line, MESSAGE_CHARACTERS);
}

/**
 * Makes an error of what was thrown instead of a response, or in the middle of one: mostly an error of the network.
 */
export function asS3Error(error: unknown, action: string): S3Error {
  if (error instanceof S3Error) return error;
  // The address of the request has the key of the object in it.
  const reason = reasonOf(error).replaceAll(/ for url \([^)]*\)|https?:\/\/\S+/g, "");
  const why = `S3 cannot be reached: ${plain(reason, [])}`;
  return new S3Error({ action, why, isTransient: true, cause: error });
}

/** The message of the first cause: `fetch` itself says no more than that it did not succeed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
