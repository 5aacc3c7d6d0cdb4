/** Social insurance numbers of Canada: nine digits by Luhn. */

import { digitsOf, passesLuhn } from "./check_digits.ts";
import { nationalId } from "./national_id.ts";

export const sin = nationalId({
  slug: "ca-sin",
  placeholder: "[SIN]",
  entityType: "CA_SIN",
  form: "[1-79]\\d{2}([ -]?)\\d{3}\\1\\d{3}",
  isValid: (number) => passesLuhn(digitsOf(number)),
  // In small letters it is a function, and Spanish for `without`.
  words:
    /(?:^|[^A-Za-z])(?:SIN|NAS)(?:[^A-Za-z]|$)|sin[ _-]?(?:no|num)|[Ss]ocial[ _]?[Ii]nsurance|assurance sociale/,
});
