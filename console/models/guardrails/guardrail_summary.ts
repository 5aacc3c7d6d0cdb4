/** Summarises a guardrail in a few words: "2 patterns", "email", "$5.00 daily", "ZDR". */

import type { GuardrailRecord } from "../../../shared/guardrails.ts";
import { formatLimit } from "../../format.ts";
import { authorNames, regionNames, summaryText } from "../../text/guardrails.ts";
import type { GuardrailSettings } from "./guardrail_draft.ts";

/** More built-in filters than these are counted, not named. */
const NAMED = 3;

function filterWords(
  { content_filters, content_filter_builtins, words, external, unreadable }: GuardrailSettings,
): readonly string[] {
  const patterns = content_filters?.length ?? 0;
  const slugs = [...new Set((content_filter_builtins ?? []).map(({ slug }) => slug))];
  const builtins = slugs.length > NAMED
    ? [summaryText.builtins(slugs.length)]
    : slugs.map((slug) => summaryText.slugs[slug]);
  return [
    ...(patterns === 0 ? [] : [summaryText.patterns(patterns)]),
    ...builtins,
    ...(words === null ? [] : [summaryText.words(words.length)]),
    ...(external === null ? [] : [summaryText.external]),
    ...(unreadable === "block" ? [summaryText.onlyReadable] : []),
  ];
}

function zdrWords(record: GuardrailSettings): readonly string[] {
  const authors = [
    [authorNames.anthropic, record.enforce_zdr_anthropic],
    [authorNames.openai, record.enforce_zdr_openai],
    [authorNames.google, record.enforce_zdr_google],
    [authorNames.xai, record.enforce_zdr_xai],
    [authorNames.other, record.enforce_zdr_other],
  ] as const;
  const all = record.enforce_zdr === true;
  const different = authors.flatMap(([name, flag]) => flag !== null && flag !== all ? [name] : []).join(", ");
  if (all) return [different === "" ? summaryText.zdr : summaryText.zdrBut(different)];
  return different === "" ? [] : [summaryText.zdrOf(different)];
}

function dataWords(record: GuardrailSettings): readonly string[] {
  const regions = record.allowed_data_regions;
  const training = [record.enable_paid_model_training, record.enable_free_model_training];
  return [
    ...zdrWords(record),
    ...(training.includes(false) ? [summaryText.noTraining] : []),
    ...(record.enable_free_model_publication === false ? [summaryText.noPublication] : []),
    ...(regions === null
      ? []
      : [summaryText.regions(regions.map((region) => regionNames[region]).join(", "))]),
  ];
}

function listWords(record: GuardrailSettings): readonly string[] {
  const lists = [
    [record.allowed_models, summaryText.modelsAllowed],
    [record.ignored_models, summaryText.modelsIgnored],
    [record.allowed_providers, summaryText.providersAllowed],
    [record.ignored_providers, summaryText.providersIgnored],
  ] as const;
  return lists.flatMap(([names, words]) => names === null ? [] : [words(names.length)]);
}

export function summaryOf(record: GuardrailRecord): string {
  const { limit_usd: usd, reset_interval: interval } = record;
  const words = [
    ...filterWords(record),
    ...(usd === null || interval === null ? [] : [summaryText.limit(formatLimit(usd), interval)]),
    ...dataWords(record),
    ...listWords(record),
  ];
  return words.length === 0 ? summaryText.nothing : words.join(", ");
}
