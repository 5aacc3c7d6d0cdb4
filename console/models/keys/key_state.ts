/** How a key stands, in a word and a sign. */

import type { KeyRecord } from "../../../shared/keys.ts";
import { limitStanding } from "../../../shared/management/lists/key_sorts.ts";
import type { IconName, Tone } from "../../components/icon.tsx";
import { keysText } from "../../text/keys.ts";

interface KeyState {
  readonly tone: Tone;
  readonly text: string;
  readonly icon?: IconName;
}

export function keyState(key: KeyRecord, now: number): KeyState {
  if (key.disabled) return { tone: "off", text: keysText.disabled };
  if (key.expires_at !== null && now >= Date.parse(key.expires_at)) {
    return { tone: "off", text: keysText.expired };
  }
  const { limit, limit_remaining: left } = key;
  if (limit === null || left === null) return { tone: "good", text: keysText.on };
  switch (limitStanding(limit, left)) {
    case "reached":
      return { tone: "bad", text: keysText.reached };
    case "nearly":
      return { tone: "warn", text: keysText.nearly };
    case undefined:
      return { tone: "good", text: keysText.on };
  }
}

const DAY_MS = 86_400_000;

/** When a limit resets next, ms since the epoch; undefined for one that never does. */
export function nextReset(reset: KeyRecord["limit_reset"], now: number): number | undefined {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const date = new Date(now);
  switch (reset) {
    case null:
      return undefined;
    case "daily":
      return today + DAY_MS;
    case "weekly":
      // Monday is the first day of the week.
      return today + (7 - (date.getUTCDay() + 6) % 7) * DAY_MS;
    case "monthly":
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
  }
}
