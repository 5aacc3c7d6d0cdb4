/** The filters for identity numbers. */

import type { NationalIdSlug } from "../../../../../shared/guardrails.ts";
import type { BuiltinFilter } from "../builtin_filter.ts";
import { aadhaar } from "./aadhaar.ts";
import { abn } from "./abn.ts";
import { belgian } from "./europe/belgian.ts";
import { bsn } from "./europe/bsn.ts";
import { cnpj } from "./cnpj.ts";
import { codiceFiscale } from "./europe/codice_fiscale.ts";
import { cpf } from "./cpf.ts";
import { dni } from "./europe/dni.ts";
import { hetu } from "./europe/hetu.ts";
import { iban } from "./iban.ts";
import { medicare } from "./medicare.ts";
import { nhs } from "./europe/nhs.ts";
import { nip } from "./europe/nip.ts";
import { nir } from "./europe/nir.ts";
import { nric } from "./nric.ts";
import { personnummer } from "./europe/personnummer.ts";
import { pesel } from "./europe/pesel.ts";
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
