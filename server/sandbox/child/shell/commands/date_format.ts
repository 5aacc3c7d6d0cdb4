/** `+FORMAT` of `date`: a moment in words, as GNU's writes them without a locale. */

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Languages of countries, one of which has a short name for most zones. */
const locales = ["en-US", "en-GB", "en-AU", "en-CA", "en-NZ", "en-IN"];

export interface Moment {
  /** Seconds since the epoch. */
  readonly seconds: number;
  readonly nanoseconds: number;
  readonly zone: string;
}

/** The clock on the wall, as if it were one of UTC, and what it is called. */
interface Wall {
  readonly at: Date;
  readonly offsetMinutes: number;
  readonly zoneName: string;
}

function wallOf({ seconds, zone }: Moment): Wall {
  const ms = seconds * 1_000;
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    calendar: "gregory",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(new Date(ms));
  const [year = 0, month = 1, ...rest] = (["year", "month", "day", "hour", "minute", "second"] as const).map(
    (type) => Number(parts.find((part) => part.type === type)?.value),
  );
  const [day = 1, hour = 0, minute = 0, second = 0] = rest;
  const at = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  return { at, offsetMinutes: Math.round((at.getTime() - ms) / MINUTE_MS), zoneName: nameOfZone(ms, zone) };
}

function nameOfZone(ms: number, zone: string): string {
  const names = locales.map((locale) =>
    new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: "short" }).formatToParts(new Date(ms))
      .find(({ type }) => type === "timeZoneName")?.value ?? ""
  );
  return names.find((name) => !/[+-]/.test(name)) ?? names[0] ?? "";
}

const two = (number: number): string => String(number).padStart(2, "0");

function offsetText(minutes: number, colons: number): string {
  const [sign, all] = [minutes < 0 ? "-" : "+", Math.abs(minutes)];
  const parts = [two(Math.floor(all / 60)), two(all % 60), ...colons === 2 ? ["00"] : []];
  return sign + parts.join(colons === 0 ? "" : ":");
}

const dayOfYear = (at: Date): number =>
  Math.floor(
    (Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()) -
      Date.UTC(at.getUTCFullYear(), 0, 1)) / DAY_MS,
  );

/** The year and the week of ISO 8601. */
function isoWeek(at: Date): { readonly year: number; readonly week: number } {
  const thursday = new Date(at.getTime() + (3 - (at.getUTCDay() + 6) % 7) * DAY_MS);
  return { year: thursday.getUTCFullYear(), week: Math.floor(dayOfYear(thursday) / 7) + 1 };
}

/** A number, and how many places it has and with what they are filled. */
type Field = string | { readonly number: number; readonly places: number; readonly fill?: string };

const number = (value: number, places = 2): Field => ({ number: value, places });
/** Two places, a blank where there is one digit. */
const blank = (value: number): Field => ({ number: value, places: 2, fill: " " });
const half = (at: Date): string => at.getUTCHours() < 12 ? "AM" : "PM";
const twelve = (at: Date): number => at.getUTCHours() % 12 || 12;

/** Longer forms, as the shorter ones that they are. */
const compounds: ReadonlyMap<string, string> = new Map([
  ["c", "%a %b %e %H:%M:%S %Y"],
  ["D", "%m/%d/%y"],
  ["F", "%Y-%m-%d"],
  ["h", "%b"],
  ["r", "%I:%M:%S %p"],
  ["R", "%H:%M"],
  ["T", "%H:%M:%S"],
  ["x", "%m/%d/%y"],
  ["X", "%H:%M:%S"],
]);

type Render = (wall: Wall, moment: Moment) => Field;

const fields: ReadonlyMap<string, Render> = new Map<string, Render>([
  ["%", () => "%"],
  ["n", () => "\n"],
  ["t", () => "\t"],
  ["a", ({ at }) => DAYS[at.getUTCDay()]?.slice(0, 3) ?? ""],
  ["A", ({ at }) => DAYS[at.getUTCDay()] ?? ""],
  ["b", ({ at }) => MONTHS[at.getUTCMonth()]?.slice(0, 3) ?? ""],
  ["B", ({ at }) => MONTHS[at.getUTCMonth()] ?? ""],
  ["C", ({ at }) => number(Math.floor(at.getUTCFullYear() / 100))],
  ["d", ({ at }) => number(at.getUTCDate())],
  ["e", ({ at }) => blank(at.getUTCDate())],
  ["g", ({ at }) => number(isoWeek(at).year % 100)],
  ["G", ({ at }) => number(isoWeek(at).year, 4)],
  ["H", ({ at }) => number(at.getUTCHours())],
  ["I", ({ at }) => number(twelve(at))],
  ["j", ({ at }) => number(dayOfYear(at) + 1, 3)],
  ["k", ({ at }) => blank(at.getUTCHours())],
  ["l", ({ at }) => blank(twelve(at))],
  ["m", ({ at }) => number(at.getUTCMonth() + 1)],
  ["M", ({ at }) => number(at.getUTCMinutes())],
  ["p", ({ at }) => half(at)],
  ["P", ({ at }) => half(at).toLowerCase()],
  ["q", ({ at }) => number(Math.floor(at.getUTCMonth() / 3) + 1, 1)],
  ["s", (_wall, { seconds }) => String(seconds)],
  ["S", ({ at }) => number(at.getUTCSeconds())],
  ["u", ({ at }) => number(at.getUTCDay() || 7, 1)],
  ["U", ({ at }) => number(Math.floor((dayOfYear(at) + 7 - at.getUTCDay()) / 7))],
  ["V", ({ at }) => number(isoWeek(at).week)],
  ["w", ({ at }) => number(at.getUTCDay(), 1)],
  ["W", ({ at }) => number(Math.floor((dayOfYear(at) + 7 - (at.getUTCDay() + 6) % 7) / 7))],
  ["y", ({ at }) => number(at.getUTCFullYear() % 100)],
  ["Y", ({ at }) => number(at.getUTCFullYear(), 4)],
  ["z", ({ offsetMinutes }) => offsetText(offsetMinutes, 0)],
  ["Z", ({ zoneName }) => zoneName],
]);

interface Shape {
  readonly flags: string;
  readonly width: string;
}

function filled(field: Field, { flags, width }: Shape): string {
  const [fill, places] = typeof field === "string" ? [" ", 0] : [field.fill ?? "0", field.places];
  const text = typeof field === "string" ? field : String(field.number);
  const chosen = flags.includes("_") ? " " : /[0+]/.test(flags) ? "0" : fill;
  const least = flags.includes("-") ? 0 : width === "" ? places : Number(width);
  const cased = flags.includes("^")
    ? text.toUpperCase()
    : flags.includes("#")
    ? text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase()
    : text;
  return cased.padStart(least, chosen);
}

const directive = /%([-_0^#+]*)(\d{0,3})(:{0,2})[EO]?([A-Za-z%])/g;

/** Directives that nobody knows stay as they are. */
export function formatMoment(format: string, moment: Moment): string {
  const wall = wallOf(moment);
  const render = (text: string): string =>
    text.replaceAll(
      directive,
      (all: string, ...[flags = "", width = "", colons = "", name = ""]: string[]) => {
        if (name === "N") return String(moment.nanoseconds).padStart(9, "0").slice(0, Number(width) || 9);
        if (name === "z" && colons !== "") return offsetText(wall.offsetMinutes, colons.length);
        const compound = compounds.get(name);
        if (compound !== undefined) return filled(render(compound), { flags, width });
        const field = fields.get(name)?.(wall, moment);
        return field === undefined || colons !== "" ? all : filled(field, { flags, width });
      },
    );
  return render(format);
}
