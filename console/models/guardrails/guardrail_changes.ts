/** Describes the changes that a save makes to a guardrail, in words: before → after. */

import type { Change } from "../../components/diff.tsx";
import { formatLimit } from "../../format.ts";
import {
  actionNames,
  externalText,
  filtersText,
  guardrailPanelText,
  regionNames,
  summaryText,
} from "../../text/guardrails.ts";
import {
  type FlagName,
  flagNames,
  type GuardrailDraft,
  type ListName,
  listNames,
  sentBuiltins,
} from "./guardrail_draft.ts";
import { parseUsd } from "../money_input.ts";

export const listLabels: { readonly [N in ListName]: string } = {
  allowed_models: guardrailPanelText.allowedModels,
  ignored_models: guardrailPanelText.ignoredModels,
  allowed_providers: guardrailPanelText.allowedProviders,
  ignored_providers: guardrailPanelText.ignoredProviders,
};

export const flagLabels: { readonly [N in FlagName]: string } = {
  enforce_zdr: guardrailPanelText.zdr,
  enforce_zdr_anthropic: guardrailPanelText.authors.anthropic,
  enforce_zdr_openai: guardrailPanelText.authors.openai,
  enforce_zdr_google: guardrailPanelText.authors.google,
  enforce_zdr_xai: guardrailPanelText.authors.xai,
  enforce_zdr_other: guardrailPanelText.authors.other,
  enable_paid_model_training: guardrailPanelText.paidTraining,
  enable_free_model_training: guardrailPanelText.freeTraining,
  enable_free_model_publication: guardrailPanelText.publication,
};

/** A field's label, and its value in words. */
interface FieldWords {
  readonly label: string;
  readonly show: (draft: GuardrailDraft) => string;
}

function limitWords({ limit }: GuardrailDraft): string {
  const usd = parseUsd(limit);
  return usd === null || usd === undefined ? limit : formatLimit(usd);
}

/** Long lists are counted. */
const SHOWN = 3;

function countedLines(text: string, words: (count: number) => string): string {
  const { length } = linesOf(text);
  return length === 0 ? "" : words(length);
}

function listWords(items: readonly string[]): string {
  return items.length > SHOWN ? `${items.slice(0, SHOWN).join(", ")} …` : items.join(", ");
}

const linesOf = (text: string) => text.split("\n").map((line) => line.trim()).filter(Boolean);

const words: ReadonlyMap<string, FieldWords> = new Map<string, FieldWords>([
  ["name", { label: guardrailPanelText.name, show: ({ name }) => name.trim() }],
  ["description", { label: guardrailPanelText.description, show: ({ description }) => description.trim() }],
  ["limit_usd", { label: guardrailPanelText.limit, show: limitWords }],
  ["reset_interval", {
    label: guardrailPanelText.resets,
    show: ({ limit, reset }) => parseUsd(limit) === null ? "" : guardrailPanelText.intervals[reset],
  }],
  ["include_byok_in_budgets", {
    label: guardrailPanelText.byok,
    show: ({ byok }) => byok ? guardrailPanelText.yes : guardrailPanelText.no,
  }],
  ...listNames.map((name): [string, FieldWords] => [
    name,
    { label: listLabels[name], show: ({ lists }) => listWords(linesOf(lists[name])) },
  ]),
  ...flagNames.map((name): [string, FieldWords] => [
    name,
    {
      label: flagLabels[name],
      show: ({ flags }) => guardrailPanelText.flags[flags[name]],
    },
  ]),
  ["allowed_data_regions", {
    label: guardrailPanelText.regions,
    show: ({ regions }) => listWords(regions.map((region) => regionNames[region])),
  }],
  ["content_filters", {
    label: filtersText.patterns,
    show: ({ patterns }) => patterns.length === 0 ? "" : summaryText.patterns(patterns.length),
  }],
  ["content_filter_builtins", {
    label: filtersText.builtins,
    show: (draft) => listWords(sentBuiltins(draft).map(({ slug }) => summaryText.slugs[slug])),
  }],
  ["words", {
    label: filtersText.wordList,
    show: ({ words }) => countedLines(words, summaryText.words),
  }],
  ["words_action", {
    label: filtersText.wordsAction,
    show: ({ wordsAction }) => actionNames[wordsAction],
  }],
  ["except", {
    label: filtersText.except,
    show: ({ except }) => countedLines(except, summaryText.exceptions),
  }],
  ["external", { label: externalText.title, show: ({ external }) => external?.url.trim() ?? "" }],
  ["unreadable", {
    label: filtersText.unreadable,
    show: ({ unreadable }) => filtersText.unreadableChoices[unreadable],
  }],
]);

interface ChangedDraft {
  readonly before: GuardrailDraft;
  readonly after: GuardrailDraft;
  /** Names of the fields that differ. */
  readonly fields: readonly string[];
}

const orNothing = (text: string) => text === "" ? guardrailPanelText.nothing : text;

export function changesOf({ before, after, fields }: ChangedDraft): readonly Change[] {
  return fields.flatMap((field): readonly Change[] => {
    const found = words.get(field);
    if (found === undefined) return [];
    const [old, now] = [orNothing(found.show(before)), orNothing(found.show(after))];
    // The words are the same, such as those of as many patterns.
    return [{ label: found.label, before: old, after: old === now ? guardrailPanelText.changed : now }];
  });
}
