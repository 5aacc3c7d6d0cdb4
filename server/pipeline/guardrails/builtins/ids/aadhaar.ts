/** Numbers of India's Aadhaar: twelve digits, the last by Verhoeff. One number in ten passes. */

import { digitsOf, passesVerhoeff } from "./check_digits.ts";
import { nationalId } from "./national_id.ts";

export const aadhaar = nationalId({
  slug: "in-aadhaar",
  placeholder: "[AADHAAR]",
  entityType: "IN_AADHAAR",
  form: "[2-9]\\d{3}([ -]?)\\d{4}\\1\\d{4}",
  isValid: (number) => passesVerhoeff(digitsOf(number)),
  words: /aadha?ar|आधार|uidai|(?:^|[^a-z])uid(?:[^a-z]|$)/i,
});
