/** Social security numbers of France (NIR): sex, year, month, place, and a rest by 97. */

import { restOf } from "../check_digits.ts";
import { nationalId } from "../national_id.ts";

/** The two departments of Corsica count as numbers. */
const places: ReadonlyMap<string, string> = new Map([["2A", "19"], ["2B", "18"]]);

function isValid(number: string): boolean {
  const place = number.slice(5, 7);
  const digits = number.slice(0, 5) + (places.get(place) ?? place) + number.slice(7, 13);
  return 97 - restOf(digits, 97) === Number(number.slice(13));
}

export const nir = nationalId({
  slug: "fr-nir",
  placeholder: "[NIR]",
  entityType: "FR_NIR",
  form:
    "[12]([ .]?)\\d{2}\\1(?:0[1-9]|1[0-2]|[23]\\d|4[0-2]|[5-9]\\d)\\1(?:\\d{2}|2[AB])\\1\\d{3}\\1\\d{3}[ .]?\\d{2}",
  isValid,
  words: /(?:^|[^a-z])nir(?:[^a-z]|$)|s[ée]cu(?:rit[ée])?[ _]?(?:sociale)?|insee/i,
  certain: /^\d[ .]/,
});
