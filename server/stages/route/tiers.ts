/** Service tiers in the words of an endpoint's row; the wire's own table has the last word. */

import type { Endpoint } from "../../providers/endpoint.ts";

export interface TierChoice {
  /** What is asked for; undefined: nothing. */
  readonly tier: string | undefined;
  /** What was dropped, for the routing metadata. */
  readonly dropped: string | undefined;
}

/** `fast` is another word for `priority`; `auto` leaves the choice to the provider. */
export function serviceTierAt({ provider: { quirks } }: Endpoint, asked: string | undefined): TierChoice {
  if (asked === undefined || asked === "auto") return { tier: undefined, dropped: undefined };
  const name = asked === "fast" ? "priority" : asked;
  const note = `service_tier ${name}`;
  if (quirks.omit?.includes("service_tier")) return { tier: undefined, dropped: note };
  const { serviceTiers } = quirks;
  if (serviceTiers === undefined) return { tier: name, dropped: undefined };
  const tier = Object.hasOwn(serviceTiers, name) ? serviceTiers[name] : undefined;
  return { tier, dropped: tier === undefined && name !== "default" ? note : undefined };
}
