/**
 * Serves a handler on a port of its own, over real connections. On `node:http`, because there a broken body
 * breaks the connection, which is what the fault lab is for.
 */

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { LocalHandler } from "./local_handler.ts";

const MAX_BODY = 64 * 1024 * 1024;

export interface LoopbackServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Ends every connection, whatever is going on. */
  close(): Promise<void>;
}

/** Listens on 127.0.0.1, on a port that the system chooses. */
export async function listenOnLoopback(handler: LocalHandler): Promise<LoopbackServer> {
  const { createServer } = await import("node:http");
  const server = createServer((incoming, outgoing) => {
    serve(handler, { incoming, outgoing }).catch(() => abortConnection(outgoing));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return { url: `http://127.0.0.1:${portOf(server)}`, close: () => closed(server) };
}

/** What was said until then still reaches the other side, as it does when a provider fails in mid-answer. */
function abortConnection(outgoing: ServerResponse): void {
  const { socket } = outgoing;
  if (socket === null || socket.destroyed) outgoing.destroy();
  else socket.write("", () => outgoing.destroy());
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

async function serve(handler: LocalHandler, { incoming, outgoing }: Exchange): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const request = new Request(new URL(incoming.url ?? "/", "http://127.0.0.1"), {
    method: incoming.method ?? "GET",
    headers: headersOf(incoming),
    body: incoming.method === "POST" ? await readBody(incoming) : null,
    signal: gone.signal,
  });
  const response = await handler(request);
  if (gone.signal.aborted) return await response.body?.cancel();
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  await write(response, { outgoing, gone: gone.signal });
}

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}

async function readBody(incoming: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    if (!(chunk instanceof Uint8Array)) continue;
    size += chunk.length;
    if (size > MAX_BODY) throw new Error(`Cannot read the request: it has more than ${MAX_BODY} bytes`);
    chunks.push(chunk);
  }
  const body = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}

interface Writing {
  readonly outgoing: ServerResponse;
  readonly gone: AbortSignal;
}

/** Writes the body as it is drained; a body that breaks breaks the connection. */
async function write(response: Response, { outgoing, gone }: Writing): Promise<void> {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    outgoing.end();
    return;
  }
  const leave = () => {
    reader.cancel().catch(() => {
      // a body that has broken already has nothing to let go of
    });
  };
  gone.addEventListener("abort", leave, { once: true });
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (!outgoing.write(next.value)) await drained(outgoing, gone);
    }
  } finally {
    gone.removeEventListener("abort", leave);
  }
  if (!gone.aborted) outgoing.end();
}

function drained(outgoing: ServerResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (gone.aborted) return resolve();
    outgoing.once("drain", resolve);
    gone.addEventListener("abort", () => resolve(), { once: true });
  });
}
