/** International bank account numbers: a country's length, and a rest by 97. */

import { restOf } from "./check_digits.ts";
import { nationalId } from "./national_id.ts";

const lengths: ReadonlyMap<string, number> = new Map(
  (`AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 ` +
    `FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 ` +
    `LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 ` +
    `RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`)
    .split(" ").map((row) => [row.slice(0, 2), Number(row.slice(2))]),
);

/** The number of each length that countries have, in groups of four or without. */
const forms = new Map<number, string[]>();
for (const [country, length] of lengths) forms.set(length, [...forms.get(length) ?? [], country]);
const form = [...forms].map(([length, countries]) =>
  `(?:${countries.join("|")})\\d{2}(?:[ -]?[A-Z0-9]){${length - 4}}`
).join("|");

/** Letters count from ten. */
const numbered = (text: string): string => text.replaceAll(/[A-Z]/g, (one) => `${one.charCodeAt(0) - 55}`);

export const iban = nationalId({
  slug: "iban",
  placeholder: "[IBAN]",
  entityType: "IBAN_CODE",
  form,
  isValid: (number) => restOf(numbered(number.slice(4) + number.slice(0, 4)), 97) === 1,
  lead: 14,
});
