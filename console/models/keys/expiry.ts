/** When a key is to end: a span from now, or a day and a time in UTC. */

import { formatMoment } from "../../format.ts";
import { newKeyText } from "../../text/keys.ts";

export const expiryChoices = ["never", "7", "30", "90", "365", "date"] as const;
type ExpiryChoice = (typeof expiryChoices)[number];

export interface ExpiryDraft {
  readonly expires: ExpiryChoice;
  /** Day and time (UTC) of the choice `date`, as fields of a browser have them. */
  readonly expiryDate: string;
  readonly expiryTime: string;
}

export const noExpiry: ExpiryDraft = { expires: "never", expiryDate: "", expiryTime: "23:59" };

const DAY_MS = 86_400_000;

/** The draft of a moment that is set; undefined stands for none. */
export function expiryDraft(at: string | null): ExpiryDraft {
  if (at === null) return noExpiry;
  const [expiryDate = "", time = ""] = new Date(at).toISOString().split("T");
  return { expires: "date", expiryDate, expiryTime: time.replace(/(:00)?(\.000)?Z$/, "") };
}

/** The chosen day and time; undefined while one is missing, or there is no such day. */
export function expiryMoment({ expiryDate, expiryTime }: ExpiryDraft): number | undefined {
  const at = expiryDate === "" || expiryTime === "" ? NaN : Date.parse(`${expiryDate}T${expiryTime}Z`);
  return Number.isNaN(at) ? undefined : at;
}

/** When the key ends, spans counted from `now`; undefined: never. */
export function expiryOf(draft: ExpiryDraft, now: number): number | undefined {
  if (draft.expires === "date") return expiryMoment(draft);
  return draft.expires === "never" ? undefined : now + Number(draft.expires) * DAY_MS;
}

/** A sentence on what is missing or past; undefined where nothing is. */
export function expiryProblem(draft: ExpiryDraft, now: number): string | undefined {
  if (draft.expires !== "date") return undefined;
  const at = expiryMoment(draft);
  if (at === undefined) return newKeyText.expiryMissing;
  return at > now ? undefined : newKeyText.expiryPast(formatMoment(at));
}
