/** Undoes a compression that nobody asked for: a proxy before the provider may add one (faults U13). */

import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { TransportError } from "./transport.ts";

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * The body as it was before its encoding: the message itself when it has none. A piece is decoded only when it
 * is asked for, so whoever counts what comes out bounds what is held. `fail` is told what breaks on the way.
 */
export function decoded(incoming: IncomingMessage, fail: (error: Error) => void): Readable {
  const encoding = incoming.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (encoding === "" || encoding === "identity") return incoming;
  const make = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (make !== undefined) {
    return pipeline(incoming, make(), (error) => {
      if (error) fail(error);
    });
  }
  incoming.destroy();
  fail(
    new TransportError(
      "bad_http",
      `The answer is encoded as ${encoding.slice(0, 40)}, which nobody asked for`,
    ),
  );
  return incoming;
}
