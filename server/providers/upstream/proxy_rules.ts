/** Which destinations are reached through a proxy. */

import { BlockList, isIP, isIPv6 } from "node:net";
import type { ProxyAddress, ProxySettings } from "../../config/proxies.ts";

interface ProxyTarget {
  /** A name or an address, the latter without brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly secure: boolean;
}

/** A rule of NO_PROXY. */
type IsExempt = (target: ProxyTarget) => boolean;

/** The proxy for a target; undefined where it is reached directly. */
export type FindProxy = (target: ProxyTarget) => ProxyAddress | undefined;

export const noProxies: FindProxy = () => undefined;

/** This machine is always reached directly: what the gateway runs itself listens there. */
export function proxyFinder({ https, http, exempt }: ProxySettings): FindProxy {
  if (https === undefined && http === undefined) return noProxies;
  const rules = [isThisMachine, ...exempt.map(exemption)];
  return (target) => {
    const proxy = target.secure ? https : http;
    return proxy === undefined || rules.some((isExempt) => isExempt(target)) ? undefined : proxy;
  };
}

const family = (address: string) => isIPv6(address) ? "ipv6" : "ipv4";

const loopback = subnet("127.0.0.0", 8);

const isThisMachine: IsExempt = ({ hostname }) =>
  /^(?:localhost|.*\.localhost)\.?$/i.test(hostname) || hostname === "::1" || loopback(hostname);

function subnet(base: string, bits: number): (address: string) => boolean {
  const list = new BlockList();
  list.addSubnet(base, bits, family(base));
  return (address) => isIP(address) !== 0 && list.check(address, family(address));
}

/** An entry that is none exempts nothing. */
function exemption(entry: string): IsExempt {
  if (entry === "*") return () => true;
  const [, base = "", bits] = /^(.*)\/(\d{1,3})$/.exec(entry) ?? [];
  if (isIP(base) !== 0 && Number(bits) <= (isIPv6(base) ? 128 : 32)) {
    const isWithin = subnet(base, Number(bits));
    return ({ hostname }) => isWithin(hostname);
  }
  if (isIP(entry) !== 0) return ({ hostname }) => hostname === shortest(entry);
  const [, host = entry, port] = /^(.*):(\d{1,5})$/.exec(entry) ?? [];
  const isNamed = nameRule(host.replace(/^\[|\]$/g, ""));
  return (target) => isNamed(target.hostname) && (port === undefined || Number(port) === target.port);
}

/** As addresses of URLs have it. */
const shortest = (address: string) =>
  isIPv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;

/** A name stands for what is below it as well; with a dot or `*.` before it, for that only. */
function nameRule(name: string): (hostname: string) => boolean {
  if (isIP(name) !== 0) return (hostname) => hostname === shortest(name);
  const below = `.${name.replace(/^\*?\./, "")}`;
  const isOnlyBelow = /^\*?\./.test(name);
  return (hostname) => hostname.endsWith(below) || (!isOnlyBelow && hostname === name);
}
