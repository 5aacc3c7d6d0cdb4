/** Numbers, money and moments as people read them. All moments are UTC, because limits reset there. */

const numbers = new Intl.NumberFormat("en-US");
const days = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});
const shortDays = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const months = new Intl.DateTimeFormat("en-GB", { month: "long", timeZone: "UTC" });

const usdFormats = new Map([2, 4, 6].map((digits) =>
  [
    digits,
    new Intl.NumberFormat("en-US", {
      style: "currency",
      currency: "USD",
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }),
  ] as const
));

/** `$1,284.71`, `<$0.01`; two decimals for sums, four for single requests, six on a bill. */
export function formatUsd(usd: number, digits: 2 | 4 | 6 = 2): string {
  // A share of nothing would make no sense beside it.
  const least = 10 ** -digits;
  if (usd > 0 && usd < least / 2) return `<$${least.toFixed(digits)}`;
  return usdFormats.get(digits)?.format(usd) ?? String(usd);
}

/** An amount on an axis: `$0.005`; two decimals at least. */
export function formatAxisUsd(usd: number, decimals: number): string {
  return decimals <= 2 ? formatUsd(usd) : `$${usd.toFixed(decimals)}`;
}

const exactUsd = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  minimumFractionDigits: 2,
  maximumFractionDigits: 9,
});

/** Every decimal that a limit may have, and two at least. */
export function formatLimit(usd: number): string {
  return exactUsd.format(usd);
}

/** `12,480`. */
export function formatCount(count: number): string {
  return numbers.format(count);
}

const units = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]] as const;

/** Three digits and a unit: `69.6 M`, `4.2 k`, `312`. */
export function formatShort(value: number): string {
  const [size, unit] = units.find(([least]) => Math.abs(value) >= least) ?? [1, ""];
  const scaled = value / size;
  const digits = unit === "" ? 3 : Math.abs(scaled) < 10 ? 2 : Math.abs(scaled) < 100 ? 1 : 0;
  return `${Number(scaled.toFixed(digits))}${unit === "" ? "" : ` ${unit}`}`;
}

/** `1 key`, `214 keys`. */
export function countOf(count: number, [one, many]: readonly [string, string]): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** So much off may the sum of shares be that are all there is. */
const ROUNDING = 1e-9;

/** A share from 0 to 1 as `7.4 %`; `<0.1 %` and `>99 %` for what is not nothing and not all. */
export function formatPercent(share: number): string {
  const percent = 100 * share;
  if (percent > 0 && percent < 0.05) return "<0.1 %";
  if (percent >= 99.5 && share < 1 - ROUNDING) return ">99 %";
  const digits = percent !== 0 && Math.abs(percent) < 10 ? 1 : 0;
  return `${Number(percent.toFixed(digits))} %`;
}

/** Milliseconds as `840 ms`, `<1 ms` or `1.24 s`. */
export function formatMs(ms: number, decimals = 0): string {
  const least = 10 ** -decimals;
  if (ms > 0 && ms < least / 2) return `<${least.toFixed(decimals)} ms`;
  return ms < 1_000 ? `${Number(ms.toFixed(decimals))} ms` : `${(ms / 1_000).toFixed(2)} s`;
}

const byteUnits = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"]] as const;

/** `41.8 GB`. */
export function formatBytes(bytes: number): string {
  const found = byteUnits.find(([least]) => bytes >= least);
  if (found === undefined) return `${bytes} B`;
  const scaled = bytes / found[0];
  return `${scaled < 100 ? scaled.toFixed(1) : Math.round(scaled)} ${found[1]}`;
}

/** `1 Dec 2026`. */
export function formatDay(at: string | number): string {
  return days.format(new Date(at));
}

/** `1 Dec`. */
export function formatShortDay(at: string | number): string {
  return shortDays.format(new Date(at));
}

/** `November`. */
export function formatMonth(at: string | number): string {
  return months.format(new Date(at));
}

/** `18:04`. */
export function formatTime(at: string | number): string {
  return new Date(at).toISOString().slice(11, 16);
}

/** `14:31:58`. */
export function formatExactTime(at: string | number): string {
  return new Date(at).toISOString().slice(11, 19);
}

/** `1 Dec 2026, 00:00 UTC`. */
export function formatMoment(at: string | number): string {
  return `${formatDay(at)}, ${formatTime(at)} UTC`;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The two largest units of a time: `4 d 9 h`, `9 h 28 min`, `12 min`, `38 s`. */
export function formatSpan(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.round(ms / 1_000))} s`;
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ${Math.floor((ms % HOUR) / MINUTE)} min`;
  return `${Math.floor(ms / DAY)} d ${Math.floor((ms % DAY) / HOUR)} h`;
}

/** `now`, `2 min ago`, `3 h ago`, `5 d ago`, and the day for what is older. */
export function formatAgo(at: string | number, now: number): string {
  const ms = now - new Date(at).getTime();
  if (ms < MINUTE) return "now";
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ago`;
  if (ms < 30 * DAY) return `${Math.floor(ms / DAY)} d ago`;
  return formatDay(at);
}

/** An id in short: its first six and last four characters. */
export function shortId(id: string): string {
  return id.length <= 14 ? id : `${id.slice(0, 6)}…${id.slice(-4)}`;
}

/** A model without its author: `gpt-5.5` of `openai/gpt-5.5`. */
export function shortModel(model: string): string {
  return model.slice(model.indexOf("/") + 1);
}

/** Names of models that stand beside each other: the whole ids of those whose short names are the same. */
export function modelNames(models: readonly string[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  for (const short of new Set(models)) {
    counts.set(shortModel(short), (counts.get(shortModel(short)) ?? 0) + 1);
  }
  return new Map(models.map((model) => {
    const short = shortModel(model);
    return [model, (counts.get(short) ?? 0) > 1 ? model : short];
  }));
}
