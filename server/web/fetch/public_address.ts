/** Which addresses belong to the public Internet: everything else may be a service that trusts its network. */

import { BlockList, isIPv4, isIPv6 } from "node:net";

/** IPv4 that is not global unicast (RFC 6890 and its successors), and a cloud's host service at a public address. */
const forbiddenV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
] as const;

/** All of IPv6 that is global unicast. */
const GLOBAL_V6 = "2000::/3";

/** Within it: protocol assignments with Teredo, documentation, and 6to4, which holds an IPv4 address. */
const forbiddenV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"] as const;

function blockList(ranges: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [base = "", bits] = range.split("/");
    list.addSubnet(base, Number(bits), family);
  }
  return list;
}

const v4 = blockList(forbiddenV4, "ipv4");
const v6 = blockList(forbiddenV6, "ipv6");
const globalV6 = blockList([GLOBAL_V6], "ipv6");

/** False for what is no address, and for one with a zone. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !v4.check(address, "ipv4");
  if (!isIPv6(address) || address.includes("%")) return false;
  return globalV6.check(address, "ipv6") && !v6.check(address, "ipv6");
}
