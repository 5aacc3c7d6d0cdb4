/** Tax numbers of Poland (NIP): ten digits, the last by a sum modulo 11. */

import { digitsOf, weigh } from "../check_digits.ts";
import { nationalId } from "../national_id.ts";

function isValid(number: string): boolean {
  const digits = digitsOf(number);
  return weigh(digits, [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === digits[9] && !/^0/.test(number);
}

export const nip = nationalId({
  slug: "pl-nip",
  placeholder: "[NIP]",
  entityType: "PL_NIP",
  form: "\\d{3}(?:-\\d{3}-\\d{2}-\\d{2}|-\\d{2}-\\d{2}-\\d{3}|\\d{7})",
  isValid,
  words: /(?:^|[^a-z])nip(?:[^a-z]|$)|podatkow/i,
});
