/** The transport: `node:http` with kept connections, which costs less than `fetch` in time and in memory. */

import type { IncomingMessage } from "node:http";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Clock } from "../world.ts";
import { Connections, type HeaderList } from "./connections.ts";
import { NodeAnswer } from "./node_answer.ts";
import type { Transport, UpstreamAnswer, UpstreamCall } from "./transport.ts";
import { TransportError } from "./transport.ts";

export interface NodeTransportOptions {
  readonly clock: Clock;
  /** Milliseconds until a connection must be usable, TLS handshake included; 10 s unless told otherwise. */
  readonly connectMs?: number;
  /** Milliseconds that an unused connection is kept; 60 s unless told otherwise. */
  readonly idleMs?: number;
  /** What is trusted: the roots that Deno trusts unless told otherwise. */
  readonly secureContext?: SecureContext;
}

/** A transport with connections of its own. */
export interface NodeTransport extends Transport {
  /** Closes every connection; calls under way fail. */
  close(): void;
}

/** Where a URL leads, worked out once: a provider has few of them and uses them over and over. */
interface Target {
  readonly connections: Connections;
  readonly host: string;
  readonly path: string;
}

/** URLs whose target is remembered; beyond that the oldest are forgotten. */
const MAX_TARGETS = 1_000;

export function nodeTransport(options: NodeTransportOptions): NodeTransport {
  const { clock, connectMs = 10_000, idleMs = 60_000 } = options;
  const secureContext = options.secureContext ?? createSecureContext();
  const origins = new Map<string, Connections>();
  const targets = new Map<string, Target>();

  const connectionsTo = (url: URL): Connections => {
    const known = origins.get(url.origin);
    if (known !== undefined) return known;
    const made = new Connections(url, { clock, connectMs, idleMs, secureContext });
    origins.set(url.origin, made);
    return made;
  };
  const targetOf = (text: string): Target => {
    const known = targets.get(text);
    if (known !== undefined) return known;
    const url = new URL(text);
    if (!/^https?:$/.test(url.protocol)) throw new TypeError(`Cannot call a provider by ${url.protocol}`);
    const target = { connections: connectionsTo(url), host: url.host, path: url.pathname + url.search };
    if (targets.size >= MAX_TARGETS) targets.clear();
    targets.set(text, target);
    return target;
  };
  const send = (call: UpstreamCall) => exchange(call, { clock, targetOf, mayRepeat: true });
  return Object.assign(send, {
    close: () => {
      for (const connections of origins.values()) connections.close();
    },
  });
}

interface Means {
  readonly clock: Clock;
  readonly targetOf: (url: string) => Target;
  readonly mayRepeat: boolean;
}

/**
 * Sends the request and waits for the answer's headers. A request that died on a stale connection before any
 * byte of an answer is sent once more, over a new one.
 */
function exchange(call: UpstreamCall, means: Means): Promise<UpstreamAnswer> {
  const { signal, body } = call;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const { connections, host, path } = means.targetOf(call.url);
    const outgoing = connections.request(path, headersOf(call, host));
    let answer: NodeAnswer | undefined;
    const abort = () => {
      answer?.fail(signal.reason);
      reject(signal.reason);
      outgoing.destroy();
    };
    signal.addEventListener("abort", abort);
    outgoing.on("response", (incoming: IncomingMessage) => {
      answer = new NodeAnswer(incoming, means.clock);
      resolve(answer);
    });
    // Stays for good: an error may still come after the answer.
    outgoing.on("error", (error) => {
      if (answer !== undefined) return answer.broke(error);
      if (!means.mayRepeat || signal.aborted || !connections.wasStale(outgoing)) return reject(error);
      connections.dropIdle();
      resolve(exchange(call, { ...means, mayRepeat: false }));
    });
    outgoing.on("close", () => {
      signal.removeEventListener("abort", abort);
      if (answer === undefined) reject(new TransportError("bad_http", "The connection ended in no answer"));
    });
    outgoing.end(body);
  });
}

function headersOf({ headers, body }: UpstreamCall, host: string): HeaderList {
  const list = ["host", host, "content-length", `${Buffer.byteLength(body)}`, "accept-encoding", "identity"];
  for (const name in headers) list.push(name, headers[name] ?? "");
  return list;
}
