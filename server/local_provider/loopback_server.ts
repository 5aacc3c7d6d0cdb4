/** Serves the built-in provider on a port of its own, over real connections. */

import { httpServerOptions } from "../http/http_server/default_options.ts";
import { listen } from "../http/http_server/http_server.ts";
import type { HttpServerLimits } from "../http/http_server/http_server_options.ts";
import type { ClientRequest } from "../http/http_server/incoming_request.ts";
import { type ProtocolError } from "../http/http_server/protocol_error.ts";
import { StreamedReply } from "../http/http_server/reply.ts";
import type { Runtime } from "../runtime.ts";
import type { LocalHandler } from "./local_handler.ts";
import { errorResponse, WireError } from "./wire_error.ts";

export interface LoopbackServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Ends every connection, whatever is going on. */
  close(): Promise<void>;
}

/** Its only client is this gateway, whose own deadlines end what takes too long. */
const limits: HttpServerLimits = {
  connections: Infinity,
  firstByteMs: Infinity,
  headMs: Infinity,
  idleMs: Infinity,
  writeStallMs: Infinity,
};

/** Listens on 127.0.0.1, on a port that the system chooses. */
export function listenOnLoopback(handler: LocalHandler, runtime: Runtime): LoopbackServer {
  const server = listen({
    ...httpServerOptions(runtime, limits),
    limits,
    hostname: "127.0.0.1",
    port: 0,
    handle: (request) => respond(handler, request),
    protocolError,
  });
  const close = async () => {
    const closed = server.shutdown();
    server.abort();
    await closed;
  };
  return { url: `http://127.0.0.1:${server.addr.port}`, close };
}

/** Streamed, whatever it is, so that a broken body breaks the connection where it breaks. */
async function respond(handler: LocalHandler, request: ClientRequest): Promise<Response> {
  const { method, url, headers } = request;
  const response = await handler({
    method,
    url,
    headers,
    text: () => request.text(),
    signal: signalOf(request),
  });
  if (response.body === null) return response;
  return new StreamedReply(response.body, { status: response.status, headers: response.headers });
}

function signalOf(request: ClientRequest): AbortSignal {
  if (request instanceof Request) return request.signal;
  const gone = new AbortController();
  request.onDisconnect(() => gone.abort());
  return gone.signal;
}

function protocolError({ status, message }: ProtocolError): Response {
  return errorResponse(new WireError(status, { message, type: "invalid_request_error", code: null }));
}
