/**
 * A worker that is a provider which sends an answer too many behind each one, up to 20 ms late. It has an event loop of
 * its own, so that the second answer comes when the network brings it and not before. Posts its port, and then the
 * count of answers too many whenever one is on its way.
 */

import { parentPort } from "node:worker_threads";
import { seeded } from "../fuzz/random.ts";
import { seed } from "./seed.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
let sent = 0;

const answer = (body: string, status = "200 OK") =>
  encoder.encode(`HTTP/1.1 ${status}\r\ncontent-length: ${encoder.encode(body).length}\r\n\r\n${body}`);

const random = seeded(seed);

/** Waits for a random time, from none to 20 ms. */
const pause = () => new Promise((resolve) => setTimeout(resolve, random.next() * 20));

async function serve(conn: Deno.TcpConn): Promise<void> {
  conn.setNoDelay();
  const buffer = new Uint8Array(64 * 1024);
  try {
    for (let size = await conn.read(buffer); size !== null; size = await conn.read(buffer)) {
      const request = decoder.decode(buffer.subarray(0, size));
      await conn.write(answer(request.slice(request.indexOf("\r\n\r\n") + 4)));
      await pause();
      await conn.write(answer("of another request"));
      parentPort?.postMessage(++sent);
    }
  } catch (error) {
    // A connection that brought too much is closed while it is written to.
    if (!(error instanceof Deno.errors.BrokenPipe || error instanceof Deno.errors.ConnectionReset)) {
      throw error;
    }
  }
}

const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
parentPort?.postMessage(listener.addr.port);
for await (const conn of listener) serve(conn);
