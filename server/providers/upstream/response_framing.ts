/** Where the body of an answer ends: by its length, by its chunks, or with the connection (RFC 9112, section 6). */

import {
  type BodyFraming,
  type BodySlice,
  ChunkedFraming,
  type ChunkedRules,
  FixedLengthFraming,
} from "../../http/http1/body_framing.ts";
import { headerValues, invalidHttp, type ResponseHead } from "./message_head.ts";
import { TransportError } from "./transport.ts";

/** The framing that an answer's headers tell; throws `bad_http` when they contradict themselves. */
export function responseFraming(head: ResponseHead): BodyFraming {
  if (head.status === 204 || head.status === 304) return new FixedLengthFraming(0, faults);
  const codings = headerValues(head, "transfer-encoding");
  const lengths = headerValues(head, "content-length");
  if (codings.length > 0) {
    if (lengths.length > 0) throw invalidHttp("a body has both a length and chunks");
    if (codings.join().toLowerCase() !== "chunked") throw invalidHttp("an unknown transfer encoding");
    return new ChunkedFraming(rules);
  }
  const [length] = lengths;
  if (length === undefined) return new UntilEnd();
  if (!lengths.every((one) => one === length) || !/^\d{1,15}$/.test(length)) {
    throw invalidHttp("a bad length");
  }
  return new FixedLengthFraming(Number(length), faults);
}

/** Whether the connection may carry another request behind this answer. */
export function isReusable(head: ResponseHead): boolean {
  const connection = headerValues(head, "connection");
  return head.minor === 1 && (connection.length === 0 || !/(^|[, ])close($|[, ])/i.test(connection.join()));
}

/** Where the provider announces nothing: servers close unused connections after 5 s, what stands before them after 60 s. */
const PLAIN_REST_MS = 4_000;
const SECURE_REST_MS = 50_000;
/** Whatever is announced: what forwards packets forgets a connection after some six minutes without any. */
const LONGEST_REST_MS = 300_000;
/** So long before the provider closes it. */
const MARGIN_MS = 1_000;

/** Milliseconds that a connection may be unused behind this answer before the provider might close it. */
export function restMsOf(head: ResponseHead, { secure }: { readonly secure: boolean }): number {
  const announced = /(?:^|[,;\s])timeout\s*=\s*"?(\d+)/i.exec(headerValues(head, "keep-alive").join())?.[1];
  if (announced === undefined) return secure ? SECURE_REST_MS : PLAIN_REST_MS;
  return Math.min(Math.max(0, Number(announced) * 1_000 - MARGIN_MS), LONGEST_REST_MS);
}

const faults = {
  bad: invalidHttp,
  cut: () => new TransportError("cut", "The provider's answer broke off"),
};

/**
 * Providers may write behind a size and behind the chunks, but no more than this. Blanks behind a size do not count:
 * some servers fill it up to a width of its own.
 */
const rules: ChunkedRules = {
  size: /^([\da-f]{1,12}[ \t]{0,16})(?:;.*)?$/i,
  trailer: /^/,
  maxLine: 4 * 1024,
  maxTrailer: 64 * 1024,
  maxExtensions: 16 * 1024,
  faults,
};

class UntilEnd implements BodyFraming {
  done = false;

  find(bytes: Uint8Array): BodySlice {
    return { used: bytes.length, body: bytes.length === 0 ? undefined : bytes };
  }

  end(): void {
    this.done = true;
  }
}
