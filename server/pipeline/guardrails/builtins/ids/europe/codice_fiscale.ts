/** Tax codes of persons in Italy (codice fiscale): letters of the name, the day of birth, a place, a check letter. */

import { nationalId } from "../national_id.ts";

const months = "ABCDEHLMPRST";
/** Digits are written as these letters where two persons would have one code. */
const replaced = "LMNPQRSTUV";
const odd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

const valueOf = (character: string): number =>
  /\d/.test(character) ? Number(character) : character.charCodeAt(0) - 65;

function isValid(code: string): boolean {
  const plain = [...code.slice(9, 11)].map((one) => replaced.includes(one) ? replaced.indexOf(one) : one)
    .join("");
  const day = Number(plain) % 40;
  const sum = [...code.slice(0, 15)].reduce((total, one, position) => {
    const value = valueOf(one);
    return total + (position % 2 === 0 ? odd[value] ?? 0 : value);
  }, 0);
  return day >= 1 && day <= 31 && sum % 26 === valueOf(code.slice(15));
}

const digit = `[\\d${replaced}]`;

export const codiceFiscale = nationalId({
  slug: "it-codice-fiscale",
  placeholder: "[CODICE_FISCALE]",
  entityType: "IT_FISCAL_CODE",
  form: `[A-Z]{6}${digit}{2}[${months}]${digit}{2}[A-Z]${digit}{3}[A-Z]`,
  isValid,
  sign: /[A-Z]{6}[\dL-V]{2}[A-T][\dL-V]{2}[A-Z]/g,
});
