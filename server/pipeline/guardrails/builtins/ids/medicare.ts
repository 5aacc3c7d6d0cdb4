/** Numbers of Australia's Medicare: eight digits, a check digit, the issue, and a person's place on the card. */

import { digitsOf, weigh } from "./check_digits.ts";
import { nationalId } from "./national_id.ts";

export const medicare = nationalId({
  slug: "au-medicare",
  placeholder: "[MEDICARE]",
  entityType: "AU_MEDICARE",
  form: "[2-6]\\d{3}([ -]?)\\d{5}\\1\\d(?:[ /-]?\\d)?",
  isValid: (number) => {
    const digits = digitsOf(number);
    return weigh(digits, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === digits[8];
  },
  words: /medicare/i,
});
