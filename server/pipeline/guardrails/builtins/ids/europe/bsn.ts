/** Numbers of citizens of the Netherlands (BSN): nine digits that pass the eleven test. */

import { digitsOf, weigh } from "../check_digits.ts";
import { nationalId } from "../national_id.ts";

export const bsn = nationalId({
  slug: "nl-bsn",
  placeholder: "[BSN]",
  entityType: "NL_BSN",
  form: "\\d{4}\\.\\d{2}\\.\\d{3}|\\d{9}",
  isValid: (number) => weigh(digitsOf(number), [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0,
  words: /bsn|burgerservice|sofi[ -]?num/i,
});
