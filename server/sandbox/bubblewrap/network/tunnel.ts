/**
 * A tunnel between a program in a container and a server: TLS to the server that was named and nothing else. What is
 * said within, a method or a path, cannot be seen here.
 */

import { isIP } from "node:net";
import { MAX_FETCHED_BYTES } from "../../messages.ts";
import type { BoxConnection } from "./box_connection.ts";
import { HelloError, readClientHello } from "./client_hello.ts";

/** The connection to the server. */
export interface TunnelSocket {
  /** Bytes that have come and were not skipped. */
  readonly bytes: Uint8Array;
  /** Waits for further bytes; false at the end. */
  more(): Promise<boolean>;
  skip(size: number): void;
  write(bytes: Uint8Array): Promise<void>;
  closeWrite(): Promise<void>;
  close(): void;
}

interface TunnelInput {
  readonly connection: BoxConnection;
  readonly socket: TunnelSocket;
  /** `https://host:port/`. */
  readonly url: string;
  /** Bytes of the program that have come already. */
  readonly first: Uint8Array;
  readonly onBytes: () => void;
}

/** Error of a tunnel that rules end; the message is one sentence for the model. */
class TunnelEnded extends Error {
  override readonly name = "TunnelEnded";
}

const MIB = 1024 * 1024;

/** Resolves at the end of both sides, with a sentence where rules have ended them. Closes neither where they go on. */
export async function passTunnel(input: TunnelInput): Promise<string | undefined> {
  const { connection, socket } = input;
  let why: string | undefined;
  const fail = (error: unknown) => {
    if (error instanceof TunnelEnded) why ??= error.message;
    socket.close();
    connection.close();
  };
  let left = MAX_FETCHED_BYTES;
  const count = (size: number) => {
    left -= size;
    if (left < 0) {
      throw new TunnelEnded(`A connection carries ${MAX_FETCHED_BYTES / MIB} MiB: it was closed.`);
    }
    input.onBytes();
  };
  try {
    const hello = await readHello(input);
    if (hello === undefined) return undefined;
    await Promise.all([
      sendUp({ ...input, count }, hello).catch(fail),
      sendDown({ ...input, count }).catch(fail),
    ]);
  } catch (error) {
    fail(error);
  }
  return why;
}

interface Direction extends Pick<TunnelInput, "connection" | "socket"> {
  /** Throws beyond the limit. */
  readonly count: (size: number) => void;
}

async function sendUp({ connection, socket, count }: Direction, first: Uint8Array): Promise<void> {
  for (let bytes: Uint8Array | undefined = first; bytes !== undefined; bytes = await connection.read()) {
    count(bytes.length);
    await socket.write(bytes);
  }
  await socket.closeWrite();
}

async function sendDown({ connection, socket, count }: Direction): Promise<void> {
  while (await socket.more()) {
    const bytes = socket.bytes.slice();
    socket.skip(bytes.length);
    count(bytes.length);
    await connection.write(bytes);
  }
  connection.end();
}

/** The client's first message, before which nothing is sent. Undefined where the program leaves. */
async function readHello({ connection, url, first }: TunnelInput): Promise<Uint8Array | undefined> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const refused = (why: string) =>
    new TunnelEnded(`Only TLS to ${host} may pass through its tunnel: ${why}.`);
  let bytes = first;
  try {
    for (let hello = readClientHello(bytes);; hello = readClientHello(bytes)) {
      if (hello !== undefined) {
        if (hello.serverName !== (isIP(host) === 0 ? host : undefined)) {
          throw refused("another server is named");
        }
        return bytes;
      }
      const part = await connection.read();
      if (part === undefined) return undefined;
      bytes = Buffer.concat([bytes, part]);
    }
  } catch (error) {
    throw error instanceof HelloError ? refused(error.message) : error;
  }
}
