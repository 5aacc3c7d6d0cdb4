/** Business numbers of Australia: eleven digits by a sum modulo 89. */

import { digitsOf, weigh } from "./check_digits.ts";
import { nationalId } from "./national_id.ts";

export const abn = nationalId({
  slug: "au-abn",
  placeholder: "[ABN]",
  entityType: "AU_ABN",
  form: "[1-9]\\d([ -]?)\\d{3}\\1\\d{3}\\1\\d{3}",
  isValid: (number) => {
    const [first = 0, ...others] = digitsOf(number);
    return weigh([first - 1, ...others], [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) % 89 === 0;
  },
  words: /(?:^|[^a-z])abn(?:[^a-z]|$)|business[ _]?num/i,
});
