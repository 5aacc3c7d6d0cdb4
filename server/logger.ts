/**
 * The log: one line an event on standard error, made for people or for machines. Only listed fields are
 * written and every text is searched for secrets, so that no key, body or file can end up in it (SECURITY.md).
 */

import { secretCutter } from "../shared/util/cut_secrets.ts";
import { logFieldNames, type LogFields, type Logger, type LogLevel, type LogValue } from "./runtime.ts";

type LogFormat = "pretty" | "json";

export interface LoggerOptions {
  readonly format: LogFormat;
  /** The lowest level that is written. */
  readonly level: LogLevel;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Takes one line with its newline. */
  readonly write: (line: string) => void;
  /** Texts that are secret here whatever they look like: the provider keys of the settings. */
  readonly secrets?: readonly string[];
}

/** A field that is not listed is left out and named in `left_out`: types refuse most of them. */
const known: ReadonlySet<string> = new Set(logFieldNames);
const levels = { debug: 0, info: 1, warn: 2, error: 3 } as const satisfies Record<LogLevel, number>;
const MAX_TEXT = 4_000;

interface Writing extends LoggerOptions {
  /** Cuts the secrets out of a text. */
  readonly cut: (text: string) => string;
}

/** By the secrets that are known when a line is written: settings that are read again add some. */
function cutterOf(secrets: readonly string[]): (text: string) => string {
  let [cut, known] = [secretCutter(secrets), secrets.length];
  return (text) => {
    if (secrets.length !== known) [cut, known] = [secretCutter(secrets), secrets.length];
    return cut(text);
  };
}

export function createLogger(given: LoggerOptions): Logger {
  const options: Writing = { ...given, cut: cutterOf(given.secrets ?? []) };
  const at = (level: LogLevel) => {
    if (levels[level] < levels[options.level]) return () => {};
    return (message: string, fields: LogFields = {}) => {
      const event = {
        level,
        message: sanitizeFields(message, options),
        fields: allowedFields(fields, options),
      };
      options.write(options.format === "json" ? jsonLine(event, options) : prettyLine(event, options));
    };
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

type Shown = Readonly<Record<string, LogValue>>;

interface Event {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Shown;
}

function allowedFields(fields: LogFields, options: Writing): Shown {
  const shown: Record<string, LogValue> = {};
  const leftOut: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (known.has(name)) shown[name] = typeof value === "string" ? sanitizeFields(value, options) : value;
    else leftOut.push(name);
  }
  return leftOut.length === 0 ? shown : { ...shown, left_out: leftOut.join(",") };
}

function sanitizeFields(text: string, { cut }: Writing): string {
  return redact(cut(text.slice(0, 4 * MAX_TEXT))).slice(0, MAX_TEXT);
}

function jsonLine({ level, message, fields }: Event, { now }: LoggerOptions): string {
  return `${JSON.stringify({ time: new Date(now()).toISOString(), level, message, ...fields })}\n`;
}

function prettyLine({ level, message, fields }: Event, { now }: LoggerOptions): string {
  const time = new Date(now()).toISOString().slice(11, 23);
  const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${formatLogValue(value)}`);
  return `${time} ${level.toUpperCase().padEnd(5)} ${oneLine(message)}${rest.join("")}\n`;
}

function formatLogValue(value: LogValue): string {
  if (typeof value !== "string") return String(value);
  return /^[\w./:@|-]+$/.test(value) ? value : JSON.stringify(value);
}

/** Replaces control characters: a caller's text must not begin a line of its own, or steer a terminal. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
}

/**
 * Forms that secrets have, and what remains of them. Each finds the end of its match without looking back, so
 * that the time is linear in the text.
 */
const forms: readonly (readonly [RegExp, string])[] = [
  [/(tg-(?:api|mgmt|client)-)[\w-]+/g, "$1[redacted]"],
  [/(?<![A-Za-z0-9])((?:sk|pk|gsk|xai)-)[\w-]{8,}/g, "$1[redacted]"],
  [/\b(Bearer\s{1,8})[\w.~+/=-]+/gi, "$1[redacted]"],
  [/(?<!\w)AIza[\w-]{10,}/g, "[redacted]"],
  [/(?<!\w)(?:AKIA|ASIA)[A-Z0-9]{8,}/g, "[redacted]"],
  [/(?<![\w-])eyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g, "[redacted]"],
  [/data:[\w.+-]{1,60}\/[\w.+-]{1,60}[^\s,"']{0,200},[^\s"'<>)]*/gi, "data:[redacted]"],
];

/** The text without what looks like a credential or an embedded file. */
export function redact(text: string): string {
  return forms.reduce((rest, [form, left]) => rest.replaceAll(form, left), text);
}
