/** Where the body of an answer ends: by its length, by its chunks, or with the connection (RFC 9112, section 6). */

import { Chunked, type ChunkRules, Counted, type Found, type Framing } from "../http1/body_framing.ts";
import { type AnswerHead, badHttp, valuesOf } from "./message_head.ts";
import { TransportError } from "./transport.ts";

/** The framing that an answer's headers tell; throws `bad_http` when they contradict themselves. */
export function framingOf(head: AnswerHead): Framing {
  if (head.status === 204 || head.status === 304) return new Counted(0, faults);
  const codings = valuesOf(head, "transfer-encoding");
  const lengths = valuesOf(head, "content-length");
  if (codings.length > 0) {
    if (lengths.length > 0) throw badHttp("a body has both a length and chunks");
    if (codings.join().toLowerCase() !== "chunked") throw badHttp("an unknown transfer encoding");
    return new Chunked(rules);
  }
  const [length] = lengths;
  if (length === undefined) return new UntilEnd();
  if (!lengths.every((one) => one === length) || !/^\d{1,15}$/.test(length)) throw badHttp("a bad length");
  return new Counted(Number(length), faults);
}

/** Whether the connection may carry another request behind this answer. */
export function staysOpen(head: AnswerHead): boolean {
  const told = valuesOf(head, "connection");
  return head.minor === 1 && (told.length === 0 || !/(^|[, ])close($|[, ])/i.test(told.join()));
}

/** Where the provider announces nothing: servers close unused connections after 5 s, what stands before them after 60 s. */
const PLAIN_REST_MS = 4_000;
const SECURE_REST_MS = 50_000;
/** Whatever is announced: what forwards packets forgets a connection after some six minutes without any. */
const LONGEST_REST_MS = 300_000;
/** So long before the provider closes it. */
const MARGIN_MS = 1_000;

/** Milliseconds that a connection may be unused behind this answer before the provider might close it. */
export function restMsOf(head: AnswerHead, { secure }: { readonly secure: boolean }): number {
  const announced = /(?:^|[,;\s])timeout\s*=\s*"?(\d+)/i.exec(valuesOf(head, "keep-alive").join())?.[1];
  if (announced === undefined) return secure ? SECURE_REST_MS : PLAIN_REST_MS;
  return Math.min(Math.max(0, Number(announced) * 1_000 - MARGIN_MS), LONGEST_REST_MS);
}

const faults = {
  bad: badHttp,
  cut: () => new TransportError("cut", "The provider's answer broke off"),
};

/**
 * Providers may write behind a size and behind the chunks, but no more than this. Blanks behind a size do not count:
 * some servers fill it up to a width of its own.
 */
const rules: ChunkRules = {
  size: /^([\da-f]{1,12}[ \t]{0,16})(?:;.*)?$/i,
  trailer: /^/,
  maxLine: 4 * 1024,
  maxTrailer: 64 * 1024,
  maxExtensions: 16 * 1024,
  faults,
};

class UntilEnd implements Framing {
  done = false;

  find(bytes: Uint8Array): Found {
    return { used: bytes.length, body: bytes.length === 0 ? undefined : bytes };
  }

  end(): void {
    this.done = true;
  }
}
