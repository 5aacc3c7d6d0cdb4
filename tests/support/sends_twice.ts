/**
 * A worker that is a provider which sends an answer too many behind each one, in a packet of its own. It has an event
 * loop of its own, so that the second answer comes when the network brings it and not before.
 */

import { parentPort } from "node:worker_threads";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const answer = (body: string, status = "200 OK") =>
  encoder.encode(`HTTP/1.1 ${status}\r\ncontent-length: ${encoder.encode(body).length}\r\n\r\n${body}`);

async function serve(conn: Deno.TcpConn): Promise<void> {
  conn.setNoDelay();
  const buffer = new Uint8Array(64 * 1024);
  try {
    for (let size = await conn.read(buffer); size !== null; size = await conn.read(buffer)) {
      const request = decoder.decode(buffer.subarray(0, size));
      await conn.write(answer(request.slice(request.indexOf("\r\n\r\n") + 4)));
      await conn.write(answer("of another request"));
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
