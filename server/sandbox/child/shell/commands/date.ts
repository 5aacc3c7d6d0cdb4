/** `date`: dates and their sums, such as `2024-01-31 +1 day`, `next monday`, `-3 days`, and their forms. */

import type { ResolvedCommandContext } from "just-bash";
import { strerror } from "../../files/file_error.ts";
import { formatMoment, type Moment } from "./date_format.ts";
import { parseOptions, UsageError } from "./options.ts";
import { bytesOf, plainCommand, printed } from "./plain_command.ts";

const days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const MS: ReadonlyMap<string, number> = new Map([
  ["sec", 1_000],
  ["second", 1_000],
  ["min", 60_000],
  ["minute", 60_000],
  ["hour", 3_600_000],
  ["day", 86_400_000],
  ["week", 604_800_000],
  ["fortnight", 1_209_600_000],
]);
const MONTHS: ReadonlyMap<string, number> = new Map([["month", 1], ["year", 12]]);

const unit = "(sec|second|min|minute|hour|day|week|fortnight|month|year)s?";
const sum = new RegExp(`(?<![\\w:])(next|last|[-+]?\\s?\\d{1,6}|)\\s*\\b${unit}\\b(\\s+ago\\b)?`, "gi");
const weekday = new RegExp(
  `\\b(?:(next|last|this)\\s+)?(${
    days.map((day) => `${day.slice(0, 3)}(?:${day.slice(3)})?`).join("|")
  })\\b,?`,
  "i",
);
const DAY_MS = 86_400_000;

interface Moved {
  /** The rest of the text: a date that the command knows, or nothing. */
  readonly base: string;
  readonly months: number;
  readonly ms: number;
  readonly day: { readonly index: number; readonly word: string } | undefined;
}

function parse(text: string): Moved {
  let [months, ms] = [0, 0];
  let base = text.replaceAll(
    sum,
    (_all, ...[amount = "", name = "", ago]: readonly (string | undefined)[]) => {
      const number = amount === "next" || amount === ""
        ? 1
        : amount === "last"
        ? -1
        : Number(amount.replaceAll(/\s/g, ""));
      const signed = ago === undefined ? number : -number;
      months += signed * (MONTHS.get(name.toLowerCase()) ?? 0);
      ms += signed * (MS.get(name.toLowerCase()) ?? 0);
      return "";
    },
  );
  const named = weekday.exec(base);
  // A weekday says nothing more where there is a date.
  const day = named === null || /\d/.test(base) ? undefined : {
    index: days.findIndex((one) => one.startsWith((named[2] ?? "").slice(0, 3).toLowerCase())),
    word: (named[1] ?? "this").toLowerCase(),
  };
  if (named !== null) base = base.replace(named[0], "");
  return { base: base.replaceAll(/\s+/g, " ").trim(), months, ms, day };
}

/** Seconds of a date that just-bash's own reads; undefined where it does not. */
async function secondsOf(
  text: string,
  { isUtc, context: { origCommand } }: DateCall,
): Promise<number | undefined> {
  if (origCommand === undefined) throw new Error("A command of the package is missing");
  const { stdout, exitCode } = await origCommand([
    ...isUtc ? ["-u"] : [],
    "-d",
    text === "" ? "now" : text,
    "+%s",
  ]);
  return exitCode === 0 && /^-?\d+\s*$/.test(stdout) ? Number(stdout) : undefined;
}

interface DateCall {
  readonly isUtc: boolean;
  readonly context: ResolvedCommandContext;
}

const NANOSECOND_PLACES = 9;
const relativeDays: ReadonlyMap<string, string> = new Map([
  ["yesterday", "-1 day"],
  ["tomorrow", "+1 day"],
  ["today", "+0 day"],
  ["now", "+0 day"],
]);

/** Forms of dates and times that just-bash's own does not read, as those that it does. */
function inKnownForms(text: string): string {
  return text
    .replace(/\b(yesterday|tomorrow|today|now)\b/i, (word) => relativeDays.get(word.toLowerCase()) ?? word)
    .replace(
      /\b(\d{1,2})(:\d{2})?\s*([ap])\.?m\b\.?/i,
      (_all, ...[hour = "", minute, half = ""]: string[]) =>
        `${String(Number(hour) % 12 + (half.toLowerCase() === "p" ? 12 : 0)).padStart(2, "0")}${
          minute ?? ":00"
        }`,
    )
    .replace(/(?<![\d.@+-])(\d{4})(\d{2})(\d{2})(?![\d.])/, "$1-$2-$3");
}

/** Whether a month has the day. */
function isRealDay(text: string): boolean {
  const [, year, month, day] = /\b(\d{4})-(\d{1,2})-(\d{1,2})\b/.exec(text) ?? [];
  if (year === undefined) return true;
  const at = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return at.getUTCMonth() === Number(month) - 1 && at.getUTCDate() === Number(day);
}

/** Throws a UsageError for what is no date. */
async function momentOf(text: string, call: DateCall): Promise<Omit<Moment, "zone">> {
  let nanoseconds = 0;
  const whole = inKnownForms(text).replace(
    /(:\d{2}|^@-?\d+)[.,](\d{1,9})/,
    (_all, before: string, part: string) => {
      nanoseconds = Number(part.padEnd(NANOSECOND_PLACES, "0"));
      return before;
    },
  );
  const seconds = isRealDay(whole) ? await movedTo(whole.trim(), call) : undefined;
  if (seconds === undefined) throw new UsageError(`invalid date '${text}'`);
  return { seconds, nanoseconds };
}

async function movedTo(text: string, call: DateCall): Promise<number | undefined> {
  const { base, months, ms, day } = parse(text);
  if (months === 0 && ms === 0 && day === undefined && base === text) return await secondsOf(text, call);
  const isDayOnly = day !== undefined && base === "";
  const start = await secondsOf(isDayOnly ? "today" : base, call);
  if (start === undefined) return undefined;
  const at = new Date(start * 1_000);
  if (months !== 0) at.setUTCMonth(at.getUTCMonth() + months);
  let time = at.getTime() + ms;
  if (day !== undefined) {
    const days = (day.index - new Date(time).getUTCDay() + 7) % 7;
    const midnight = isDayOnly ? Math.floor(time / DAY_MS) * DAY_MS : time;
    const more = day.word === "next" && days === 0 ? 7 : day.word === "last" ? -7 : 0;
    time = midnight + (days + more) * DAY_MS;
  }
  return Math.floor(time / 1_000);
}

const DEFAULT_FORMAT = "%a %b %e %H:%M:%S %Z %Y";
const isoTimes: ReadonlyMap<string, string> = new Map([
  ["date", "%F"],
  ["hours", "%FT%H%:z"],
  ["minutes", "%FT%H:%M%:z"],
  ["seconds", "%FT%T%:z"],
  ["ns", "%FT%T,%N%:z"],
]);
const rfcTimes: ReadonlyMap<string, string> = new Map([
  ["date", "%F"],
  ["seconds", "%F %T%:z"],
  ["ns", "%F %T.%N%:z"],
]);

/** `-I` has its value attached, if it has one. */
function takeFormats(args: readonly string[]) {
  const formats: string[] = [];
  const rest = args.flatMap((arg) => {
    const [, iso = ""] = /^(?:-I|--iso-8601=?)(.*)$/.exec(arg) ?? [];
    const isIso = /^(?:-I|--iso-8601)/.test(arg);
    const rfc = /^--rfc-3339=(.*)$/.exec(arg)?.[1];
    if (!isIso && rfc === undefined && !arg.startsWith("+")) return [arg];
    const found = isIso
      ? isoTimes.get(iso === "" ? "date" : iso)
      : rfc === undefined
      ? arg.slice(1)
      : rfcTimes.get(rfc);
    if (found === undefined) throw new UsageError(`invalid argument '${rfc ?? iso}'`);
    formats.push(found);
    return [];
  });
  return { formats, rest };
}

const form = {
  without: "uR",
  withValue: "drfs",
  long: new Map([
    ["--date", "-d"],
    ["--file", "-f"],
    ["--reference", "-r"],
    ["--rfc-email", "-R"],
    ["--rfc-822", "-R"],
    ["--set", "-s"],
    ["--universal", "-u"],
    ["--utc", "-u"],
  ]),
};

async function ofFile(name: string, { fs, cwd }: ResolvedCommandContext): Promise<Omit<Moment, "zone">> {
  const path = fs.resolvePath(cwd, name);
  if (!await fs.exists(path)) throw new UsageError(`${name}: ${strerror.ENOENT}`);
  const ms = (await fs.stat(path)).mtime.getTime();
  const seconds = Math.floor(ms / 1_000);
  return { seconds, nanoseconds: Math.round((ms - seconds * 1_000) * 1_000_000) };
}

/** A zone that nobody knows is UTC, as in the C library. */
function zoneOf({ isUtc, context: { env } }: DateCall): string {
  const zone = isUtc ? "UTC" : (env.get("TZ") ?? "UTC").replace(/^:/, "");
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: zone }).resolvedOptions().timeZone;
  } catch (_error) {
    // The range error of a zone that is not there.
    return "UTC";
  }
}

export const date = plainCommand("date", async (args, context) => {
  const { formats, rest } = takeFormats(args);
  const { options, operands } = parseOptions(rest, form);
  if (options.has("s")) throw new UsageError("cannot set date: Operation not permitted");
  const [extra] = operands;
  if (extra !== undefined) throw new UsageError(`invalid date '${extra}'`);
  if (formats.length > 1) throw new UsageError("multiple output formats specified");
  const call = { isUtc: options.has("u"), context };
  const [text, list, file] = [options.get("d"), options.get("f"), options.get("r")];
  const texts = list === undefined
    ? [text ?? "now"]
    : (await bytesOf(list, context)).toString().split("\n").slice(0, -1);
  const moments = file === undefined
    ? await Promise.all(texts.map((one) => momentOf(one, call)))
    : [await ofFile(file, context)];
  const format = formats[0] ?? (options.has("R") ? "%a, %d %b %Y %T %z" : DEFAULT_FORMAT);
  const zone = zoneOf(call);
  return printed(moments.map((moment) => `${formatMoment(format, { ...moment, zone })}\n`).join(""));
});
