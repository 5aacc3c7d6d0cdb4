/** How long a limit lasts: its rest over the average of the last days. Simple, and said in words. */

import type { KeyUsage } from "../../../shared/management/activity.ts";
import { formatUsd, type NanoUsd, toNanoUsd, toUsdNumber } from "../../../shared/money.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Days that the average is of, the running one included; fewer while the key is younger. */
const AVERAGE_DAYS = 7;
/** A younger key has no forecast: one busy hour would stand for a day. */
const LEAST_AGE_HOURS = 24;

export interface LimitForecastInput {
  /** Ms since the epoch. */
  readonly now: number;
  readonly keyMadeAt: number;
  /** Spend that counts towards the limit, by start of the UTC day in ms. */
  readonly spentByDay: ReadonlyMap<number, number>;
  readonly remaining: NanoUsd | null;
  /** When the limit resets; undefined: never. */
  readonly resetsAt: number | undefined;
}

type LimitForecast = KeyUsage["forecast"];

export function forecastLimit(input: LimitForecastInput): LimitForecast {
  const { now, remaining, resetsAt } = input;
  const { age, days, perDay } = averageOf(input);
  const forecast = {
    usd_per_day: toUsdNumber(perDay),
    days: Number(days.toFixed(2)),
    reaches_limit_at: null,
  };
  const average = `On average over ${lastOf(days)}, ${formatUsd(rounded(perDay))} USD a day were spent`;
  if (remaining === 0) {
    const until = resetsAt === undefined ? "" : ` until ${iso(resetsAt)}`;
    return { ...forecast, reaches_limit_at: iso(now), explanation: `The limit is reached${until}.` };
  }
  if (age < LEAST_AGE_HOURS * HOUR) {
    return { ...forecast, explanation: `There is a forecast once the key is ${LEAST_AGE_HOURS} hours old.` };
  }
  if (perDay === 0) {
    const end = remaining === null
      ? "and there is no limit to reach"
      : "so that the limit is not being approached";
    return { ...forecast, explanation: `Nothing was spent in ${lastOf(days)}, ${end}.` };
  }
  if (remaining === null) return { ...forecast, explanation: `${average}; there is no limit to reach.` };
  const reached = now + remaining / perDay * DAY;
  if (resetsAt !== undefined && reached >= resetsAt) {
    return {
      ...forecast,
      explanation: `${average}: the limit resets at ${iso(resetsAt)}, before it is reached.`,
    };
  }
  if (reached > LAST_DATE) {
    return { ...forecast, explanation: `${average}: the limit is not reached in any time that matters.` };
  }
  return {
    ...forecast,
    reaches_limit_at: iso(reached),
    explanation: `${average}: at that rate the limit is reached in about ${spanOf(reached - now)}.`,
  };
}

/** To two digits: an average is no finer. */
const rounded = (amount: NanoUsd): NanoUsd => toNanoUsd(Math.round(Number(amount.toPrecision(2))));

function lastOf(days: number): string {
  const hours = Math.round(days * 24);
  return hours < 48 ? `the last ${hours} hours` : `the last ${Math.round(days)} days`;
}

/** A time to come, to two digits. */
function spanOf(ms: number): string {
  const hours = ms / HOUR;
  const [amount, unit] = hours < 48 ? [hours, "hour"] : [hours / 24, "day"];
  const count = Math.max(1, Number(amount.toPrecision(2)));
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}

/** The end of what dates can name as four digits. */
const LAST_DATE = Date.UTC(9999, 0, 1);

/** Whole seconds: a forecast is no finer. */
const iso = (at: number): string => new Date(Math.floor(at / 1000) * 1000).toISOString();

/**
 * Average spend of a day, over the part of the last 7 days in which there was a key, and over one day at least. Ages
 * are in ms.
 */
function averageOf({ now, keyMadeAt, spentByDay }: LimitForecastInput) {
  const first = now - now % DAY - (AVERAGE_DAYS - 1) * DAY;
  const days = Math.max((now - Math.max(first, keyMadeAt)) / DAY, 1);
  let spent = 0;
  for (const [day, amount] of spentByDay) if (day >= first) spent += amount;
  return { age: now - keyMadeAt, days, perDay: toNanoUsd(Math.round(spent / days)) };
}
