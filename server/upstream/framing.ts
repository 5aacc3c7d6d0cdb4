/** Where the body of an answer ends: by its length, by its chunks, or with the connection (RFC 9112, section 6). */

import { Chunked, type ChunkRules, Counted, type Found, type Framing } from "../http1/framing.ts";
import { type AnswerHead, badHttp, valuesOf } from "./head.ts";
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
