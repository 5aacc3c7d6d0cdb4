/** The time now, in a time zone (specification, Tools). */

import { failedCall, textOf, type ToolDefinition } from "./tool_definition.ts";

const parameters = {
  type: "object",
  properties: {
    timezone: { type: "string", description: "IANA time zone, such as Europe/Rome." },
  },
  additionalProperties: false,
} as const;

export const datetime: ToolDefinition = {
  kind: "datetime",
  describe: ({ timezone }) => ({
    description: `The date and time now. Without a timezone it is that of ${textOf(timezone) ?? "UTC"}.`,
    parameters,
  }),
  itemFields: ({ timezone }) => ({ datetime: "", timezone: textOf(timezone) ?? "UTC" }),
  failedStatus: "incomplete",
  outputOf: ({ datetime, timezone, status }) =>
    status === "completed" && textOf(datetime) !== undefined && textOf(timezone) !== undefined
      ? outputOf(String(datetime), String(timezone))
      : undefined,
  run: ({ args, settings, deps: { clock } }) => {
    const timezone = textOf(args.timezone) ?? textOf(settings.timezone) ?? "UTC";
    const datetime = formatTime(clock.now(), timezone);
    if (datetime === undefined) {
      const reason = `${timezone} is no IANA time zone, such as Europe/Rome.`;
      return Promise.resolve(failedCall(reason, { datetime: "", timezone, error: reason }));
    }
    return Promise.resolve({ output: outputOf(datetime, timezone), fields: { datetime, timezone } });
  },
};

const outputOf = (datetime: string, timezone: string) => JSON.stringify({ datetime, timezone });

/** ISO 8601 with the offset from UTC, to the second; undefined for an unknown time zone. */
function formatTime(at: number, timeZone: string): string | undefined {
  const format = formatIn(timeZone);
  if (format === undefined) return undefined;
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const get = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  const offset = get("timeZoneName").slice("GMT".length) || "+00:00";
  const date = `${get("year").padStart(4, "0")}-${get("month")}-${get("day")}`;
  return `${date}T${get("hour")}:${get("minute")}:${get("second")}${offset}`;
}

function formatIn(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
      timeZoneName: "longOffset",
    });
  } catch (error) {
    // What the engine says of a time zone that it does not know.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
