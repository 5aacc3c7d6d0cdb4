/** Waits for the head of a response: interim ones are passed over. */

import type { BufferedSocket } from "../../http/http1/buffered_socket.ts";
import {
  headLength,
  invalidHttp,
  MAX_HEAD_BYTES,
  parseResponseHead,
  type ResponseHead,
} from "./message_head.ts";
import { TransportError, UnrequestedBytes } from "./transport.ts";

/** Heads that announce another one before the answer; a provider that sends more has lost its way. */
const MAX_INTERIM = 20;

interface ReadHeadOptions {
  /** The connection has carried other requests before. */
  readonly kept: boolean;
}

/**
 * A head that begins before the request has left whole answers another request. Only over a new connection there
 * was no other one: there an early API error is taken, as proxies make it for a body that is too long.
 */
export async function readResponseHead(
  connection: BufferedSocket,
  { kept }: ReadHeadOptions,
): Promise<ResponseHead> {
  let early = false;
  for (let interim = 0, searched = 0; interim < MAX_INTERIM;) {
    const { bytes } = connection;
    if (bytes.length > 0 && searched === 0) early = !connection.sent;
    if (early && kept) throw tooEarly();
    const length = headLength(bytes, searched);
    if (length === undefined) {
      if (bytes.length > MAX_HEAD_BYTES) throw invalidHttp(`a head of more than ${MAX_HEAD_BYTES} bytes`);
      searched = bytes.length;
      if (!await connection.more()) throw unanswered();
      continue;
    }
    const head = parseResponseHead(bytes.subarray(0, length));
    connection.skip(length);
    if (head.status === 101) throw invalidHttp("it switches to another protocol");
    if (early && head.status >= 200 && head.status < 400) throw tooEarly();
    if (head.status >= 200) return head;
    searched = 0;
    interim++;
  }
  throw invalidHttp("it announces an answer without end");
}

const tooEarly = () => new UnrequestedBytes("it answers before it has been sent the request");

const unanswered = () =>
  new TransportError("connection_reset", "The provider closed the connection before it answered");
