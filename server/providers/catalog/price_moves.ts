/** Prices that moved so far from one catalog to the next that somebody should look at them. */

import { rateNames, type RatePrices } from "../../../shared/models.ts";
import type { Move } from "./snapshot_schema.ts";
import type { Snapshot } from "./snapshot.ts";

/** A change of more than this, up or down, is told. */
export const NOTABLE = 5;

/** The rates of the usual tier that moved by more than five times. */
function movesOf(
  before: RatePrices,
  after: RatePrices,
): readonly Pick<Move, "rate" | "from" | "to">[] {
  return Object.keys(rateNames).flatMap((name) => {
    const [from, to] = [rateOf(before, name), rateOf(after, name)];
    if (from === undefined || to === undefined || Number(from) === 0 || Number(to) === 0) return [];
    const ratio = Number(to) / Number(from);
    return ratio > NOTABLE || ratio < 1 / NOTABLE ? [{ rate: spelled(name), from, to }] : [];
  });
}

function rateOf(rates: RatePrices, name: string): string | undefined {
  const value = Object.entries(rates).find(([key]) => key === name)?.[1];
  return typeof value === "string" ? value : undefined;
}

const spelled = (name: string): string =>
  Object.entries(rateNames).find(([key]) => key === name)?.[1] ?? name;

/** Lists the changes of an operator's catalog in the prices of this version's own. */
export function movesBetween(
  installed: Snapshot,
  { operators, providers }: { readonly operators: Snapshot; readonly providers: readonly string[] },
): readonly Omit<Move, "date">[] {
  return providers.flatMap((provider) =>
    [...operators.offersOf(provider)].flatMap(([upstream, { pricing }]) => {
      const before = installed.offersOf(provider).get(upstream)?.pricing;
      return before && pricing ? movesOf(before, pricing).map((one) => ({ provider, upstream, ...one })) : [];
    })
  );
}

/** `openrouter z-ai/glm-5.2: prompt 0.0000000062 → 0.0000014` */
export const describeMove = ({ provider, upstream, rate, from, to }: Omit<Move, "date">): string =>
  `${provider} ${upstream}: ${rate} ${from} → ${to}`;
