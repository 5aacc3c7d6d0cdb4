/** Undoes a compression that nobody asked for: a proxy before the provider may add one (faults U13). */

import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { TransportError } from "./transport.ts";

type ReadBytes = () => Promise<Uint8Array | undefined>;

export interface DecodedBody {
  /** The next decoded chunk, undefined at the end; rejects when the body breaks off or is not so encoded. */
  readonly read: ReadBytes;
  readonly stop: () => void;
}

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * A body as it was before its `content-encoding`; undefined when it has none. A chunk is decoded only when it is
 * asked for, so anyone who counts what comes out bounds what is held.
 */
export function decodeBody(encoding: string | null, read: ReadBytes): DecodedBody | undefined {
  const name = encoding?.trim().toLowerCase() ?? "";
  if (name === "" || name === "identity") return undefined;
  const make = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
  if (make !== undefined) return decodedBy(make, read);
  const strange = `The answer is encoded as ${name.slice(0, 40)}, which nobody asked for`;
  return { read: () => Promise.reject(new TransportError("bad_http", strange)), stop: () => {} };
}

function decodedBy(make: () => Transform, read: ReadBytes): DecodedBody {
  let output: Transform | undefined;
  let chunks: AsyncIterator<Uint8Array> | undefined;
  const start = () => {
    output = make();
    pipeline(Readable.from(all(read)), output, () => {
      // Its error comes out of the iterator as well.
    });
    return output[Symbol.asyncIterator]();
  };
  return {
    read: async () => {
      chunks ??= start();
      return (await chunks.next()).value;
    },
    stop: () => output?.destroy(),
  };
}

async function* all(read: ReadBytes): AsyncGenerator<Uint8Array> {
  for (let bytes = await read(); bytes !== undefined; bytes = await read()) yield bytes;
}
