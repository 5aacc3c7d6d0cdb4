/** Sort orders and states of lists of keys. Apart from the schemas, so that the console can use them without those. */

/**
 * The youngest first, by name, those first that spent most this month, that were used last, or that expire soonest.
 */
export const keySorts = ["created", "name", "usage_monthly", "last_used", "expires"] as const;
export type KeySort = (typeof keySorts)[number];

/**
 * `active`: neither disabled nor expired. Active keys are `expiring` in their last seven days, `nearly` at 90 % of
 * their limit or more, `reached` when nothing is left of it, and `unused` when they are 30 days old and were not used
 * for as long.
 */
export const keyStates = [
  "active",
  "disabled",
  "expired",
  "expiring",
  "nearly",
  "reached",
  "unused",
] as const;
export type KeyState = (typeof keyStates)[number];

/** Days before its end in which a key is `expiring`. */
export const EXPIRING_DAYS = 7;
/** Days without use from which on a key is `unused`. */
export const UNUSED_DAYS = 30;
/** Share of its limit from which on a key is `nearly` at it. */
export const NEARLY_SHARE = 0.9;

/** How a limit stands by what is left of it, both in one unit; undefined below its last tenth. */
export function limitStanding(
  limit: number,
  left: number,
): Extract<KeyState, "nearly" | "reached"> | undefined {
  if (left <= 0) return "reached";
  return limit - left >= limit * NEARLY_SHARE ? "nearly" : undefined;
}
