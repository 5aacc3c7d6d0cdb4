/** Tax file numbers of Australia: eight or nine digits by a sum modulo 11. */

import { digitsOf, weigh } from "./check_digits.ts";
import { nationalId } from "./national_id.ts";

export const tfn = nationalId({
  slug: "au-tfn",
  placeholder: "[TFN]",
  entityType: "AU_TFN",
  form: "\\d{3}([ -]?)\\d{3}\\1\\d{2,3}",
  isValid: (number) => {
    const weights = number.length === 9 ? [1, 4, 3, 7, 5, 8, 6, 9, 10] : [10, 7, 8, 4, 6, 3, 5, 1];
    return weigh(digitsOf(number), weights) % 11 === 0;
  },
  words: /tfn|tax[ _]?file/i,
});
