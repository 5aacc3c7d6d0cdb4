/** From a name to its addresses, as the system resolves it. */

import { lookup } from "node:dns/promises";

/** All addresses of a name, IPv4 and IPv6. Rejects where there are none. */
export type Resolver = (hostname: string) => Promise<readonly string[]>;

export const systemResolver: Resolver = async (hostname) => {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
};
