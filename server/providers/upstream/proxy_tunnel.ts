/** How a proxy is spoken to: plain requests name their whole address, secure connections go through a tunnel. */

import type { ProxyAddress } from "../../config/proxies.ts";
import { headLength, invalidHttp, MAX_HEAD_BYTES, parseResponseHead } from "./message_head.ts";
import { TransportError, UnrequestedBytes } from "./transport.ts";

interface TunnelEnd {
  /** A name or an address, the latter without brackets. */
  readonly hostname: string;
  readonly port: number;
}

/** Names the proxy, and never its credentials. */
export function proxyError(
  proxy: ProxyAddress,
  what: string,
  options?: { readonly cause: unknown },
): TransportError {
  return new TransportError("proxy", `The proxy ${proxy.display} ${what}`, options);
}

/** The error of a proxy that answers instead of passing on. Some say 401 of credentials that are wrong. */
export function proxyRefusal(proxy: ProxyAddress, status: number): TransportError {
  const why = status === 407 || status === 401
    ? "its credentials are missing or wrong"
    : `it answers with status ${status}`;
  return proxyError(proxy, `does not pass the call on: ${why}.`);
}

type RequestHeaders = Readonly<Record<string, string>>;

/** A request that the proxy reads and passes on. */
export function proxiedRequest(
  { authorization }: ProxyAddress,
  { url, headers }: { readonly url: string; readonly headers: RequestHeaders },
): { readonly path: string; readonly headers: RequestHeaders } {
  if (authorization === undefined) return { path: url, headers };
  return { path: url, headers: { ...headers, "proxy-authorization": authorization } };
}

const encoder = new TextEncoder();

/** Rejects with a `proxy` error; with the connection's own when it is closed meanwhile. */
export async function openTunnel(conn: Deno.Conn, proxy: ProxyAddress, to: TunnelEnd): Promise<void> {
  const host = `${to.hostname.includes(":") ? `[${to.hostname}]` : to.hostname}:${to.port}`;
  const credentials = proxy.authorization === undefined
    ? ""
    : `proxy-authorization: ${proxy.authorization}\r\n`;
  const request = encoder.encode(`CONNECT ${host} HTTP/1.1\r\nhost: ${host}\r\n${credentials}\r\n`);
  for (let offset = 0; offset < request.length;) offset += await conn.write(request.subarray(offset));
  const status = await readStatus(conn, proxy);
  if (status < 200 || status > 299) throw proxyRefusal(proxy, status);
}

/** Reads no byte of what follows: the other end of the tunnel says nothing before it hears something. */
async function readStatus(conn: Deno.Conn, proxy: ProxyAddress): Promise<number> {
  const buffer = new Uint8Array(MAX_HEAD_BYTES);
  try {
    for (let size = 0, searched = 0; size < buffer.length;) {
      const read = await conn.read(buffer.subarray(size));
      if (read === null) throw proxyError(proxy, "closed the connection.");
      size += read;
      const bytes = buffer.subarray(0, size);
      const length = headLength(bytes, searched);
      searched = size;
      if (length === undefined) continue;
      const { status } = parseResponseHead(bytes.subarray(0, length));
      if (length < size && status < 300) {
        throw new UnrequestedBytes("something follows before the tunnel is used");
      }
      return status;
    }
    throw invalidHttp("its head is too long");
  } catch (cause) {
    if (!(cause instanceof TransportError) || cause.kind === "proxy") throw cause;
    throw proxyError(proxy, "does not speak HTTP.", { cause });
  }
}
