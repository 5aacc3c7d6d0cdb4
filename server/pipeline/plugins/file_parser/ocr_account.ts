/** Which services may read a caller's documents, and with which key: they get the texts, as providers of models do. */

import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import type { OcrAccount, OcrService } from "../../../web/documents/mistral_ocr.ts";
import type { CallerRules, GuardrailPolicy } from "../../caller_rules.ts";
import { isKeptAway } from "../../routing/selection/endpoint_filters.ts";
import { endpointProfile } from "../../routing/selection/endpoint_profile.ts";
import { findProviderExclusion } from "../../routing/selection/guardrail_filter.ts";
import { parsePreferences } from "../../routing/selection/provider_preferences.ts";

interface DocumentCaller {
  readonly rules: CallerRules | undefined;
  /** The request's. */
  readonly provider: ModelRequest["provider"];
}

/** A key of the workspace, else the gateway's own. Undefined where there is none, or Mistral may not have the texts. */
export function ocrAccountFor(ocr: OcrService | undefined, caller: DocumentCaller): OcrAccount | undefined {
  const { rules } = caller;
  const endpoint = ocr?.endpoint;
  if (ocr === undefined || endpoint === undefined || isForbidden(endpoint, caller)) return undefined;
  const keys = (rules?.byokKeys ?? []).filter(({ provider, models }) =>
    provider === "mistral" && models === undefined
  );
  const own = (fallback: boolean) =>
    keys.filter((key) => key.fallback === fallback).map((key) => key.at(endpoint)).find((at) =>
      at !== undefined
    );
  const mayUseGateways = ocr.hasKey && !keys.some(({ required, exclusive }) => required || exclusive);
  const found = own(false) ?? (mayUseGateways ? endpoint : own(true));
  return found === undefined ? undefined : accountOf(found);
}

const accountOf = ({ id, provider: { baseUrl, headers }, byok = false }: Endpoint): OcrAccount => ({
  baseUrl,
  headers,
  credentialHash: id,
  byok,
});

/** Its provider gets the texts of the documents, so what keeps texts from a provider holds for it. */
function isForbidden(endpoint: Endpoint, { rules, provider }: DocumentCaller): boolean {
  if (rules?.builtInOnly === true) return true;
  const profile = endpointProfile(endpoint);
  return isKeptAway({ profile, preferences: parsePreferences(provider) }) ||
    rules?.policy !== undefined && findProviderExclusion(profile, rules.policy) !== undefined;
}

/** Nobody has stated what Cloudflare does with texts, or where: whatever is demanded of that fails. */
export function mayUseCloudflare({ rules, provider }: DocumentCaller): boolean {
  const { zdr, denyTraining } = parsePreferences(provider);
  if (rules?.builtInOnly === true || zdr || denyTraining) return false;
  return rules?.policy === undefined || !demandsPrivacy(rules.policy);
}

const demandsPrivacy = ({ zdr, regions, noPaidTraining }: GuardrailPolicy): boolean =>
  zdr.size > 0 || regions.length > 0 || noPaidTraining;
