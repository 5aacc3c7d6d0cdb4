/** The filters for identity numbers. */

import type { NationalIdSlug } from "../../../../shared/guardrails.ts";
import type { BuiltinFilter } from "../builtin_filter.ts";
import { aadhaar } from "./aadhaar.ts";
import { abn } from "./abn.ts";
import { belgian } from "./belgian.ts";
import { bsn } from "./bsn.ts";
import { cnpj } from "./cnpj.ts";
import { codiceFiscale } from "./codice_fiscale.ts";
import { cpf } from "./cpf.ts";
import { dni } from "./dni.ts";
import { hetu } from "./hetu.ts";
import { iban } from "./iban.ts";
import { medicare } from "./medicare.ts";
import { nhs } from "./nhs.ts";
import { nip } from "./nip.ts";
import { nir } from "./nir.ts";
import { nric } from "./nric.ts";
import { personnummer } from "./personnummer.ts";
import { pesel } from "./pesel.ts";
import { sin } from "./sin.ts";
import { tckn } from "./tckn.ts";
import { tfn } from "./tfn.ts";

export const nationalIds: { readonly [S in NationalIdSlug]: BuiltinFilter } = {
  "iban": iban,
  "in-aadhaar": aadhaar,
  "uk-nhs": nhs,
  "br-cpf": cpf,
  "br-cnpj": cnpj,
  "pl-pesel": pesel,
  "pl-nip": nip,
  "ca-sin": sin,
  "nl-bsn": bsn,
  "es-dni": dni,
  "it-codice-fiscale": codiceFiscale,
  "fr-nir": nir,
  "be-national-number": belgian,
  "se-personnummer": personnummer,
  "fi-hetu": hetu,
  "tr-tckn": tckn,
  "au-tfn": tfn,
  "au-abn": abn,
  "au-medicare": medicare,
  "sg-nric": nric,
};
