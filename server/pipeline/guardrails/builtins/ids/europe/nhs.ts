/** Numbers of patients of the United Kingdom's NHS: ten digits, the last by a sum modulo 11. */

import { digitsOf, weigh } from "../check_digits.ts";
import { nationalId } from "../national_id.ts";

function isValid(number: string): boolean {
  const digits = digitsOf(number);
  const check = (11 - weigh(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11) % 11;
  return check === digits[9];
}

export const nhs = nationalId({
  slug: "uk-nhs",
  placeholder: "[NHS_NUMBER]",
  entityType: "UK_NHS",
  form: "\\d{3}([ -]?)\\d{3}\\1\\d{4}",
  isValid,
  words: /nhs|national health/i,
});
