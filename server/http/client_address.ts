/** Who is calling, when proxies stand in front (security.md 3.2: `TOLLGATE_TRUST_PROXY`). */

import { BlockList, isIPv6 } from "node:net";
import type { ProxyTrust } from "../config.ts";
import type { Exchange } from "./exchange.ts";

const family = (address: string) => isIPv6(address) ? "ipv6" : "ipv4";

function trusts(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [base = "", bits] = range.split("/");
    list.addSubnet(base, Number(bits ?? (isIPv6(base) ? 128 : 32)), family(base));
  }
  return (address) => list.check(address, family(address));
}

/**
 * The address that counts for limits: the peer, or the one that the trusted proxies vouch for. An untrusted
 * peer's `X-Forwarded-For` is not read.
 */
export function clientAddress(trust: ProxyTrust): (exchange: Exchange) => string | undefined {
  const trusted = trust.type === "ranges" ? trusts(trust.ranges) : undefined;
  return (exchange) => {
    const { request } = exchange;
    const peer = exchange.peer();
    if (peer === undefined || (trust.type === "hops" && trust.hops === 0)) return peer;
    const header = request.headers.get("x-forwarded-for");
    if (header === null) return peer;
    const chain = [...header.split(",").map((address) => address.trim()), peer];
    if (trust.type === "hops") return chain.at(-1 - trust.hops) ?? chain[0];
    return chain.findLast((address) => trusted?.(address) !== true) ?? chain[0];
  };
}
