/** Personal numbers of Sweden: the day of birth, a count, and a digit by Luhn. */

import { digitsOf, isMonthAndDay, passesLuhn } from "../check_digits.ts";
import { nationalId } from "../national_id.ts";

function isValid(number: string): boolean {
  const short = number.replace("+", "").slice(-10);
  // Of a person without one the day is 60 more.
  const day = Number(short.slice(4, 6)) % 60;
  return isMonthAndDay(Number(short.slice(2, 4)), day) && passesLuhn(digitsOf(short));
}

export const personnummer = nationalId({
  slug: "se-personnummer",
  placeholder: "[PERSONNUMMER]",
  entityType: "SE_PERSONNUMMER",
  form: "(?:(?:19|20)\\d{6}-?|\\d{6}[-+]?)\\d{4}",
  isValid,
  words: /person(?:al)?[ _-]?(?:nummer|number|nr)|samordningsnummer|(?:^|[^a-z])pnr(?:[^a-z]|$)/i,
  certain: /^(?:19|20)\d{6}-/,
});
