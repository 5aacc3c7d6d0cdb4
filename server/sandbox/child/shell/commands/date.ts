/** `date`: sums of dates for just-bash's own, such as `2024-01-31 +1 day`, `next monday`, `-3 days`; `-r FILE`. */

import { type Command, defineCommand, type ResolvedCommandContext } from "just-bash";

type Result = Awaited<ReturnType<Command["execute"]>>;

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
async function secondsOf(text: string, { args, context }: Call): Promise<number | undefined> {
  const { stdout, exitCode } = await original([...args, "-d", text === "" ? "now" : text, "+%s"], context);
  return exitCode === 0 && /^-?\d+\s*$/.test(stdout) ? Number(stdout) : undefined;
}

async function original(args: readonly string[], { origCommand }: ResolvedCommandContext): Promise<Result> {
  if (origCommand === undefined) throw new Error("A command of the package is missing");
  return await origCommand([...args]);
}

interface Call {
  /** Options about the zone. */
  readonly args: readonly string[];
  readonly context: ResolvedCommandContext;
}

async function movedTo(text: string, call: Call): Promise<number | undefined> {
  const { base, months, ms, day } = parse(text);
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

/** The text of `-d`, and where it stands. */
function dateOption(args: readonly string[]) {
  for (const [at, arg] of args.entries()) {
    const attached = /^(?:--date=|-u?d)([\s\S]+)$/.exec(arg)?.[1];
    if (attached !== undefined) return { at, text: attached, count: 1 };
    if (/^-u?d$|^--date$/.test(arg)) return { at, text: args[at + 1] ?? "", count: 2 };
  }
  return undefined;
}

async function ofFile(args: readonly string[], context: ResolvedCommandContext): Promise<readonly string[]> {
  const at = args.findIndex((arg) => arg === "-r" || arg === "--reference");
  const path = args[at + 1];
  if (at < 0 || path === undefined) return args;
  const { fs, cwd } = context;
  const { mtime } = await fs.stat(fs.resolvePath(cwd, path));
  return [...args.slice(0, at), "-d", `@${Math.floor(mtime.getTime() / 1_000)}`, ...args.slice(at + 2)];
}

export const date = defineCommand("date", async (all, context) => {
  const args = await ofFile(all, context);
  const option = dateOption(args);
  if (option === undefined) return await original(args, context);
  const { base, months, ms, day } = parse(option.text);
  if (months === 0 && ms === 0 && day === undefined && base === option.text.trim()) {
    return await original(args, context);
  }
  const isUtc = args.some((arg) => /^-u/.test(arg) || arg === "--utc");
  const seconds = await movedTo(option.text, { args: isUtc ? ["-u"] : [], context });
  if (seconds === undefined) {
    return { stdout: "", stderr: `date: invalid date '${option.text}'\n`, exitCode: 1 };
  }
  const rest = [...args.slice(0, option.at), ...args.slice(option.at + option.count)];
  return await original(
    [...isUtc && !rest.includes("-u") ? ["-u"] : [], ...rest, "-d", `@${seconds}`],
    context,
  );
});
