/** The filters that the gateway brings along, by their slugs. */
import type { BuiltinSlug } from "../../../shared/guardrails.ts";
import type { BuiltinFilter } from "./builtin_filter.ts";
import { email } from "./email.ts";
const f = (slug: BuiltinSlug): BuiltinFilter => ({ ...email, slug });
export const builtinFilters: { readonly [S in BuiltinSlug]: BuiltinFilter } = {
  email,
  phone: f("phone"),
  ssn: f("ssn"),
  "credit-card": f("credit-card"),
  "ip-address": f("ip-address"),
  secrets: f("secrets"),
  "person-name": f("person-name"),
  address: f("address"),
  "regex-prompt-injection": f("regex-prompt-injection"),
};
