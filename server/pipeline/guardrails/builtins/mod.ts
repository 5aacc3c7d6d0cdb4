/** The filters that the gateway brings along. */

import type { BuiltinSlug } from "../../../../shared/guardrails.ts";
import { address } from "./address.ts";
import type { BuiltinFilter } from "./builtin_filter.ts";
import { creditCard } from "./credit_card.ts";
import { email } from "./email.ts";
import { ipAddress } from "./ip_address.ts";
import { personName } from "./person_name.ts";
import { phone } from "./phone.ts";
import { promptInjection } from "./injection/prompt_injection.ts";
import { nationalIds } from "./ids/mod.ts";
import { readSpellings } from "../read_spellings.ts";
import { secrets } from "./secrets.ts";
import { ssn } from "./ssn.ts";

export const builtinFilters: { readonly [S in BuiltinSlug]: BuiltinFilter } = {
  email: readSpellings(email),
  phone: readSpellings(phone),
  ssn: readSpellings(ssn),
  "credit-card": readSpellings(creditCard),
  "ip-address": readSpellings(ipAddress),
  secrets: readSpellings(secrets),
  "person-name": readSpellings(personName),
  address: readSpellings(address),
  "regex-prompt-injection": readSpellings(promptInjection),
  ...nationalIds,
};
