/** Finds the address of the client when proxies stand in front (SECURITY.md: `TOLLGATE_TRUST_PROXY`). */

import { BlockList, isIPv4, isIPv6 } from "node:net";
import type { ProxyTrust } from "../config/config.ts";
import type { HttpExchange } from "./http_exchange.ts";

/** The address that counts for limits. */
export interface ClientAddress {
  /** IPv4, or IPv6 in its shortest form; an IPv4 address inside of IPv6 is IPv4. */
  readonly address: string;
  /** A header says so. A caller who wrote that header may have made it up, so it is never exempt from a limit. */
  readonly isForwarded: boolean;
}

const family = (address: string) => isIPv6(address) ? "ipv6" : "ipv4";

function trusts(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [base = "", bits] = range.split("/");
    list.addSubnet(base, Number(bits ?? (isIPv6(base) ? 128 : 32)), family(base));
  }
  return (address) => list.check(address, family(address));
}

/** An address that some proxies write with its port (`192.0.2.1:4711`, `[2001:db8::1]:4711`); undefined for none. */
export function parseAddress(text: string): string | undefined {
  const trimmed = text.trim();
  const [, v4] = /^([\d.]{7,15})(?::\d{1,5})?$/.exec(trimmed) ?? [];
  if (v4 !== undefined) return isIPv4(v4) ? v4 : undefined;
  const [, inBrackets] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(trimmed) ?? [];
  const v6 = (inBrackets ?? trimmed).replace(/%.*$/, "");
  return isIPv6(v6) ? shortest(v6) : undefined;
}

function shortest(v6: string): string {
  const { hostname } = new URL(`http://[${v6}]`);
  const [, high, low] = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(hostname) ?? [];
  if (high === undefined || low === undefined) return hostname.slice(1, -1);
  const [h, l] = [parseInt(high, 16), parseInt(low, 16)];
  return [h >> 8, h & 255, l >> 8, l & 255].join(".");
}

/**
 * The other end of the connection, or the address that the trusted proxies vouch for. The `X-Forwarded-For` of an
 * untrusted one is not read.
 */
export function clientAddressReader(
  trust: ProxyTrust,
): (exchange: HttpExchange) => ClientAddress | undefined {
  const trusted = trust.type === "ranges" ? trusts(trust.ranges) : undefined;
  return (exchange) => {
    const remote = exchange.peer();
    if (remote === undefined) return undefined;
    const direct = { address: parseAddress(remote) ?? remote, isForwarded: false };
    const header = exchange.request.headers.get("x-forwarded-for");
    if (header === null || (trust.type === "hops" && trust.hops === 0)) return direct;
    if (trusted?.(direct.address) === false) return direct;
    const hops = header.split(",").reverse();
    const isLast = (address: string, at: number) =>
      trust.type === "hops" ? at + 1 === trust.hops : trusted?.(address) === false;
    return { address: forwardedAddress(hops, { isLast, from: direct.address }), isForwarded: true };
  };
}

/** Whether the client's own connection is encrypted, as far as a trusted proxy or the request's address says. */
export function tlsReader(trust: ProxyTrust): (exchange: HttpExchange) => boolean {
  const trusted = trust.type === "ranges" ? trusts(trust.ranges) : () => trust.hops > 0;
  return (exchange) => {
    if (exchange.request.url.startsWith("https:")) return true;
    const header = exchange.request.headers.get("x-forwarded-proto");
    const remote = exchange.peer();
    if (header === null || remote === undefined) return false;
    // The proxy that stands nearest to the client wrote the first one.
    return trusted(parseAddress(remote) ?? remote) && header.split(",")[0]?.trim().toLowerCase() === "https";
  };
}

interface Walk {
  readonly from: string;
  /** No proxy that is trusted vouches for what stands before it. */
  readonly isLast: (address: string, at: number) => boolean;
}

/** Walks from the nearest hop to the farthest; what is no address counts as the proxy that has written it. */
function forwardedAddress(hops: readonly string[], { from, isLast }: Walk): string {
  let nearest = from;
  for (const [at, hop] of hops.entries()) {
    const address = parseAddress(hop);
    if (address === undefined) return nearest;
    nearest = address;
    if (isLast(address, at)) break;
  }
  return nearest;
}
