/** Identity numbers of Spain: DNI, and NIE of foreigners. One letter in 23 passes. */

import { nationalId } from "../national_id.ts";

const letters = "TRWAGMYFPDXBNJZSQVHLCKE";

function isValid(number: string): boolean {
  const digits = number.slice(0, -1).replace(/^[XYZ]/, (first) => `${"XYZ".indexOf(first)}`);
  return letters.charAt(Number(digits) % 23) === number.slice(-1);
}

export const dni = nationalId({
  slug: "es-dni",
  placeholder: "[DNI]",
  entityType: "ES_NIF",
  form: "(?:\\d{8}|[XYZ]-?\\d{7})-?[A-Z]",
  isValid,
  words: /(?:^|[^a-z])(?:dni|nif|nie)(?:[^a-z]|$)|documento|identidad|identificaci/i,
  lead: 2,
});
