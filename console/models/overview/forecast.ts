/** Forecast of the spend of a month by that of the last days. */

const DAY_MS = 86_400_000;
/** Days that are averaged. */
export const FORECAST_DAYS = 7;

interface MonthSpend {
  /** USD of this month so far. */
  readonly spent: number;
  /** USD of the last full days, and how many those are. */
  readonly recent: number;
  readonly days: number;
}

/** USD at the end of the month; undefined before there is a full day to go by. */
export function monthForecast({ spent, recent, days }: MonthSpend, now: number): number | undefined {
  if (days <= 0) return undefined;
  const date = new Date(now);
  const ends = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
  return spent + recent / days * ((ends - now) / DAY_MS);
}
