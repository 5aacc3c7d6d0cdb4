/** Numbers of persons in Poland (PESEL): the day of birth, with the century in the month, and a check digit. */

import { digitsOf, isMonthAndDay, weigh } from "../check_digits.ts";
import { nationalId } from "../national_id.ts";

function isValid(number: string): boolean {
  const digits = digitsOf(number);
  const isBirth = isMonthAndDay(Number(number.slice(2, 4)) % 20, Number(number.slice(4, 6)));
  return isBirth && weigh(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0;
}

export const pesel = nationalId({
  slug: "pl-pesel",
  placeholder: "[PESEL]",
  entityType: "PL_PESEL",
  form: "\\d{11}",
  isValid,
  words: /pesel/i,
});
