/** National numbers of Belgium: the day of birth, a count, and a rest by 97. */

import { isMonthAndDay, restOf } from "../check_digits.ts";
import { nationalId } from "../national_id.ts";

function isValid(number: string): boolean {
  const [body, check] = [number.slice(0, 9), Number(number.slice(9))];
  const isBirth = isMonthAndDay(Number(number.slice(2, 4)), Number(number.slice(4, 6)));
  return isBirth && [body, `2${body}`].some((digits) => 97 - restOf(digits, 97) === check);
}

export const belgian = nationalId({
  slug: "be-national-number",
  placeholder: "[NATIONAL_NUMBER]",
  entityType: "BE_NATIONAL_NUMBER",
  form: "\\d{2}\\.?\\d{2}\\.?\\d{2}[ -]?\\d{3}[ .]?\\d{2}",
  isValid,
  words:
    /rijksregister|registre national|national[ _]?(?:register|number|registry)|nationaal nummer|niss|insz|nrn/i,
  certain: /^\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}$/,
});
