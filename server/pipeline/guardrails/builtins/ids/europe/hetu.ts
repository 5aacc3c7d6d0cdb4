/** Personal identity codes of Finland: the day of birth, a mark of the century, a count, a check letter. */

import { isMonthAndDay } from "../check_digits.ts";
import { nationalId } from "../national_id.ts";

const letters = "0123456789ABCDEFHJKLMNPRSTUVWXY";

function isValid(code: string): boolean {
  const [birth, count] = [code.slice(0, 6), code.slice(-4, -1)];
  return isMonthAndDay(Number(birth.slice(2, 4)), Number(birth.slice(0, 2))) &&
    letters.charAt(Number(birth + count) % 31) === code.slice(-1);
}

export const hetu = nationalId({
  slug: "fi-hetu",
  placeholder: "[HETU]",
  entityType: "FI_PERSONAL_IDENTITY_CODE",
  form: "\\d{6}[-+YXWVUABCDEF]\\d{3}[0-9A-FHJ-NPR-Y]",
  isValid,
});
