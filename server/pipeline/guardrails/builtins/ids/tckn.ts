/** Identity numbers of Turkey (T.C. kimlik no): eleven digits, two of them check digits. */

import { digitsOf, weigh } from "./check_digits.ts";
import { nationalId } from "./national_id.ts";

function isValid(number: string): boolean {
  const digits = digitsOf(number);
  const first = weigh(digits, [7, -1, 7, -1, 7, -1, 7, -1, 7]);
  const second = weigh(digits, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
  return (first % 10 + 10) % 10 === digits[9] && second % 10 === digits[10];
}

export const tckn = nationalId({
  slug: "tr-tckn",
  placeholder: "[TCKN]",
  entityType: "TR_TCKN",
  form: "[1-9]\\d{10}",
  isValid,
  words: /tckn|kimlik|t\.? ?c\.? ?(?:no|id)|vatandaşlık/i,
});
