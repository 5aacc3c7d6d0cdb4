/** The request's body as text: bounded in size and time, refused early where the headers give it away. */

import { ApiError } from "../../../shared/errors.ts";
import { formatByteLimit } from "../../../shared/util/byte_size.ts";
import { ProtocolError } from "../../http/http_server/protocol_error.ts";
import type { ClientRequest } from "../../http/http_server/incoming_request.ts";
import type { Clock } from "../../runtime.ts";

export interface BodyLimits {
  /** Bytes. */
  readonly maxBodyBytes: number;
  /** Milliseconds for the whole body. */
  readonly bodyMs: number;
}

function tooLarge({ maxBodyBytes }: BodyLimits): ApiError {
  return new ApiError(
    "too_large",
    `The body is larger than ${formatByteLimit(maxBodyBytes)}, the most that is accepted.`,
  );
}

/** Whether the body's length is known. Compressed bodies are handed on as they are (faults C7): none is read. */
function checkHeaders({ headers }: ClientRequest, limits: BodyLimits): boolean {
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity") {
    throw new ApiError(
      "invalid_request",
      `Content-Encoding "${encoding.slice(0, 40)}" is not accepted: send plain JSON.`,
    );
  }
  const type = headers.get("content-type");
  if (type !== null && !/^application\/([a-z0-9.-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new ApiError(
      "unsupported_media",
      `Content-Type is "${type.slice(0, 60)}"; application/json is needed.`,
    );
  }
  const length = headers.get("content-length");
  if (length !== null && Number(length) > limits.maxBodyBytes) throw tooLarge(limits);
  return length !== null;
}

export interface ReadBodyOptions {
  readonly clock: Clock;
  readonly limits: BodyLimits;
}

/** The body as text. Throws API errors: 400 (encoding, type), 408 (too slow), 413 (too large). */
export function readBody(request: ClientRequest, { clock, limits }: ReadBodyOptions): Promise<string> {
  const known = checkHeaders(request, limits);
  return new Promise((resolve, reject) => {
    const cancel = clock.after(limits.bodyMs, () => {
      reject(
        new ApiError(
          "slow_request",
          `The body was not complete after ${Math.round(limits.bodyMs / 1000)} s.`,
        ),
      );
    });
    const read = (text: string) => {
      cancel();
      resolve(text);
    };
    const broken = (error: unknown) => {
      cancel();
      reject(bodyError(error));
    };
    (known ? request.text() : withSizeLimit(request, limits)).then(read, broken);
  });
}

/** Turns a failed read of a body into what it means to its client. */
export function bodyError(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  if (error instanceof ProtocolError) return new ApiError("invalid_request", error.message, { cause: error });
  return new ApiError("invalid_request", "The body broke off before it was complete.", { cause: error });
}

/** A body of unknown length is counted while it comes. */
async function withSizeLimit(request: ClientRequest, limits: BodyLimits): Promise<string> {
  if (request.body === null) return "";
  const decoder = new TextDecoder();
  let size = 0;
  let text = "";
  for await (const bytes of request.body) {
    size += bytes.length;
    if (size > limits.maxBodyBytes) throw tooLarge(limits);
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}
