/** Numbers of persons with Brazil's tax office (CPF): eleven digits, two of them check digits. */

import { digitsOf, weigh } from "./check_digits.ts";
import { nationalId } from "./national_id.ts";

function isValid(number: string): boolean {
  const digits = digitsOf(number);
  const first = weigh(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10 % 11 % 10;
  const second = weigh(digits, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10 % 11 % 10;
  return first === digits[9] && second === digits[10];
}

export const cpf = nationalId({
  slug: "br-cpf",
  placeholder: "[CPF]",
  entityType: "BR_CPF",
  form: "\\d{3}\\.?\\d{3}\\.?\\d{3}-?\\d{2}",
  isValid,
  words: /cpf|cadastro de pessoas/i,
  certain: /^\d{3}\.\d{3}\.\d{3}-/,
});
