/** The key with which a caller's documents are read by OCR. */

import type { Endpoint } from "../../../providers/endpoint.ts";
import type { OcrAccount, OcrService } from "../../../web/documents/mistral_ocr.ts";
import type { CallerRules, GuardrailPolicy } from "../../caller_rules.ts";

/** A key of the workspace, else the gateway's own. Undefined where there is none, or the caller may not use Mistral. */
export function ocrAccountFor(
  ocr: OcrService | undefined,
  rules: CallerRules | undefined,
): OcrAccount | undefined {
  const endpoint = ocr?.endpoint;
  if (ocr === undefined || endpoint === undefined || isForbidden(rules)) return undefined;
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

const MISTRAL = "mistral";

function isForbidden(rules: CallerRules | undefined): boolean {
  if (rules?.builtInOnly === true) return true;
  return rules?.policy !== undefined && forbids(rules.policy);
}

const forbids = ({ allowedProviders, ignoredProviders }: GuardrailPolicy): boolean =>
  ignoredProviders.includes(MISTRAL) || allowedProviders.some((list) => !list.includes(MISTRAL));
