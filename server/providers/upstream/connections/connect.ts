/** How a connection to a provider is made, in time or not at all. */

import type { ProxyAddress } from "../../../config/proxies.ts";
import type { Cancel, Clock } from "../../../runtime.ts";
import { BufferedSocket, closeOnce } from "../../../http/http1/buffered_socket.ts";
import { isShortage } from "../../../http/http1/shortage.ts";
import type { AbortSignalLike } from "../call_abort.ts";
import { openTunnel, proxyError } from "../proxy_tunnel.ts";
import { TransportError } from "../transport.ts";

export interface Destination {
  /** A name or an address, the latter without brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly secure: boolean;
  /** The handshake is left to the user of the connection, where it is secure. */
  readonly raw?: boolean;
  /** Connects to this address instead of resolving the name, which the certificate must still name. */
  readonly address?: string;
  /** Connects to this proxy instead: through a tunnel where the destination is secure. */
  readonly proxy?: ProxyAddress;
  /** In PEM, trusted besides the roots that Deno trusts. */
  readonly caCerts?: readonly string[];
}

export interface ConnectOptions {
  readonly clock: Clock;
  /** Milliseconds until the connection must be usable, TLS handshake included. */
  readonly connectMs: number;
  readonly signal: AbortSignalLike;
}

/**
 * Connects; rejects with the signal's reason, with a `connect_timeout`, `proxy` or `tls`, or with Deno's own error. A
 * handshake that is given up lets go at once, but Deno closes its socket only when the provider does.
 */
export async function connect(to: Destination, options: ConnectOptions): Promise<BufferedSocket> {
  const { clock, connectMs, signal } = options;
  signal.throwIfAborted();
  const stop = new AbortController();
  const late = clock.after(connectMs, () => {
    stop.abort(new TransportError("connect_timeout", `Cannot connect within ${connectMs} ms`));
  });
  const left = () => stop.abort(signal.reason);
  signal.addEventListener("abort", left);
  try {
    return new BufferedSocket(await openSocket(to, { clock, signal: stop.signal }));
  } catch (error) {
    stop.signal.throwIfAborted();
    throw error;
  } finally {
    late();
    signal.removeEventListener("abort", left);
  }
}

interface PendingConnection {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

async function openSocket(to: Destination, { clock, signal }: PendingConnection): Promise<Deno.Conn> {
  const { hostname, secure, raw = false, proxy, caCerts = [] } = to;
  const plain = proxy === undefined
    ? await openPlainSocket(to, { clock, signal })
    : await openProxySocket(proxy, { clock, signal });
  if (signal.aborted) plain.close();
  signal.throwIfAborted();
  plain.setNoDelay();
  if (!secure) return plain;
  if (proxy !== undefined) await orClosed(plain, { signal, work: openTunnel(plain, proxy, to) });
  if (raw) return plain;
  const trust = { hostname, caCerts: [...caCerts], alpnProtocols: ["http/1.1"] };
  return await handshake(await Deno.startTls(plain, trust), signal);
}

async function openProxySocket(proxy: ProxyAddress, pending: PendingConnection): Promise<Deno.TcpConn> {
  try {
    return await openPlainSocket(proxy, pending);
  } catch (cause) {
    if (pending.signal.aborted || isShortage(cause)) throw cause;
    throw proxyError(proxy, "cannot be reached.", { cause });
  }
}

interface SocketWork {
  readonly signal: AbortSignal;
  readonly work: Promise<void>;
}

/** Closes the connection when its work fails, or is given up. */
async function orClosed(conn: Deno.Conn, { signal, work }: SocketWork): Promise<void> {
  const close = closeOnce(conn);
  signal.addEventListener("abort", close);
  if (signal.aborted) close();
  try {
    await work;
    signal.throwIfAborted();
  } catch (error) {
    close();
    throw error;
  } finally {
    signal.removeEventListener("abort", close);
  }
}

/** Time for a connection that nobody waits for any more. */
const LATE_MS = 1_000;

/**
 * Deno loses a connection that is there in the moment when its signal fires. So anyone who leaves does not wait for
 * it, but it gets a while to come and be closed.
 */
function openPlainSocket(
  { hostname, address = hostname, port }: Pick<Destination, "hostname" | "address" | "port">,
  { clock, signal }: PendingConnection,
): Promise<Deno.TcpConn> {
  const stop = new AbortController();
  const dialled = Deno.connect({ hostname: address, port, signal: stop.signal });
  return new Promise((resolve, reject) => {
    let late: Cancel | undefined;
    const leave = () => {
      late = clock.after(LATE_MS, () => stop.abort());
      reject(signal.reason);
    };
    const come = (conn: Deno.TcpConn) => {
      if (late === undefined) resolve(conn);
      // Nobody else closes it: anyone who waited has left already.
      else conn.close();
    };
    signal.addEventListener("abort", leave);
    dialled.then(come, reject).finally(() => {
      late?.();
      signal.removeEventListener("abort", leave);
    });
  });
}

async function handshake(conn: Deno.TlsConn, signal: AbortSignal): Promise<Deno.TlsConn> {
  try {
    await orClosed(conn, { signal, work: conn.handshake().then(() => {}) });
    return conn;
  } catch (cause) {
    signal.throwIfAborted();
    throw new TransportError("tls", `Cannot make a secure connection: ${String(cause)}`, { cause });
  }
}
