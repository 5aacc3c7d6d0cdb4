/** Identity numbers of Singapore: NRIC, and FIN of foreigners. The letters and a sum modulo 11 make them certain. */

import { digitsOf, weigh } from "./check_digits.ts";
import { nationalId } from "./national_id.ts";

/** By the first letter: what it adds to the sum, and the check letters. */
const kinds: ReadonlyMap<string, readonly [number, string]> = new Map([
  ["S", [0, "JZIHGFEDCBA"]],
  ["T", [4, "JZIHGFEDCBA"]],
  ["F", [0, "XWUTRQPNMLK"]],
  ["G", [4, "XWUTRQPNMLK"]],
  ["M", [3, "KLJNPQRTUWX"]],
]);

function isValid(number: string): boolean {
  const [added, letters] = kinds.get(number.charAt(0)) ?? [0, ""];
  const rest = (weigh(digitsOf(number.slice(1, 8)), [2, 7, 6, 5, 4, 3, 2]) + added) % 11;
  // The newest kind counts its letters from the other end.
  const place = number.startsWith("M") ? 10 - rest : rest;
  return letters.charAt(place) === number.slice(8);
}

export const nric = nationalId({
  slug: "sg-nric",
  placeholder: "[NRIC]",
  entityType: "SG_NRIC_FIN",
  form: "[STFGM]\\d{7}[A-Z]",
  isValid,
  lead: 1,
});
