/** Numbers of companies with Brazil's tax office (CNPJ): fourteen digits, two of them check digits. */

import { digitsOf, weigh } from "./check_digits.ts";
import { nationalId } from "./national_id.ts";

function isValid(number: string): boolean {
  const digits = digitsOf(number);
  const check = (weights: readonly number[]) => (11 - weigh(digits, weights) % 11) % 11 % 10;
  return check([5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) === digits[12] &&
    check([6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) === digits[13];
}

export const cnpj = nationalId({
  slug: "br-cnpj",
  placeholder: "[CNPJ]",
  entityType: "BR_CNPJ",
  form: "\\d{2}\\.?\\d{3}\\.?\\d{3}/?\\d{4}-?\\d{2}",
  isValid,
  words: /cnpj|cadastro nacional/i,
  certain: /^\d{2}\.\d{3}\.\d{3}\//,
});
