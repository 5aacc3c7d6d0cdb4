/** Which receipts a destination is sent: by key, by session and by rules. */

import { hash } from "node:crypto";
import type {
  filterFields,
  filterOperators,
  FilterRule,
  FilterRules,
} from "../../../shared/observability/records.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import { compilePatternFilter } from "../../pipeline/guardrails/patterns/pattern_filter.ts";
import { patternFault } from "../../pipeline/guardrails/patterns/pattern_rules.ts";
import { comparisonFault, type Fact, type FactTest, factTests, textTest } from "../classifiers/fact_tests.ts";
import { receiptFacts } from "../classifiers/receipt_facts.ts";
import type { DestinationRow } from "./destination_rows.ts";

/** UTF-16 units of a text in which a pattern is looked for. */
const MOST_UNITS = 1_000;
/** Where data of the gateway's requests are. */
const REGION = "global";

/** Names of keys by their hashes. */
export type KeyNames = ReadonlyMap<string, string>;

const factsOf: {
  readonly [F in (typeof filterFields)[number]]: (receipt: Receipt, names: KeyNames) => Fact;
} = {
  ...receiptFacts,
  api_key_name: ({ key_hash }, names) => names.get(key_hash),
};

type Operator = (typeof filterOperators)[number];

const tests: { readonly [O in Operator]: (value: string) => FactTest } = {
  ...factTests,
  regex: (value) => {
    const filter = compilePatternFilter(value);
    return textTest(value, (text) => filter.find(text.slice(0, MOST_UNITS).toWellFormed(), 0) !== undefined);
  },
};

/** Why a rule means nothing, as the rest of a sentence that begins with it; undefined for one that does. */
function ruleFault({ field, operator, value }: FilterRule): string | undefined {
  const meaningless = comparisonFault({ field, operator, value });
  if (meaningless !== undefined) return meaningless;
  const fault = operator === "regex" ? patternFault(String(value)) : undefined;
  return fault === undefined ? undefined : `has a pattern that ${fault}`;
}

/** The first rule that means nothing: its path and why. */
export function rulesFault(
  rules: FilterRules | null,
): { readonly path: string; readonly fault: string } | undefined {
  if (rules?.groups.length === 0) {
    return { path: "filter_rules.groups", fault: "is empty; without a filter, filter_rules is null" };
  }
  const all = (rules?.groups ?? []).flatMap((group, at) =>
    group.rules.map((rule, place) => ({
      path: `filter_rules.groups[${at}].rules[${place}]`,
      fault: ruleFault(rule),
    }))
  );
  for (const { path, fault } of all) if (fault !== undefined) return { path, fault };
  return undefined;
}

type RuleTest = (receipt: Receipt, names: KeyNames) => boolean;

function compileRule({ field, operator, value = "" }: FilterRule): RuleTest {
  const test = tests[operator](String(value));
  return (receipt, names) => test(factsOf[field](receipt, names));
}

function compileRules({ enabled, groups }: FilterRules): RuleTest {
  if (!enabled) return () => true;
  const compiled = groups.map(({ logic, rules }) => ({ logic, rules: rules.map(compileRule) }));
  return (receipt, names) =>
    compiled.every(({ logic, rules }) =>
      logic === "and"
        ? rules.every((rule) => rule(receipt, names))
        : rules.some((rule) => rule(receipt, names))
    );
}

/** 48 bits: the most that a number holds exactly. */
const HASH_DIGITS = 12;

/** Where a session stands among all, from 0 to below 1: the same for each of its requests, at every gateway. */
function placeOfSession({ session_id, workspace_id, id }: Receipt): number {
  const name = session_id === null ? id : JSON.stringify([workspace_id, session_id]);
  return parseInt(hash("sha256", name).slice(0, HASH_DIGITS), 16) / 16 ** HASH_DIGITS;
}

interface FilterParts {
  /** The keys that are listed, with those that came before and after them by rotation; undefined: all. */
  readonly keys: ReadonlySet<string> | undefined;
  readonly names: KeyNames;
}

/** Chooses the receipts that a destination is sent. */
export function compileReceiptFilter(
  { workspace_id, sampling_rate, regions, filter_rules }: DestinationRow,
): (receipts: readonly Receipt[], parts: FilterParts) => readonly Receipt[] {
  const passes = filter_rules === null ? () => true : compileRules(filter_rules);
  return (receipts, { keys, names }) =>
    receipts.filter((receipt) =>
      receipt.workspace_id === workspace_id &&
      regions.includes(REGION) &&
      (keys?.has(receipt.key_hash) ?? true) &&
      (sampling_rate === 1 || placeOfSession(receipt) < sampling_rate) &&
      passes(receipt, names)
    );
}

/** Whether the names of keys are asked for. */
export const asksForNames = ({ filter_rules }: Pick<DestinationRow, "filter_rules">): boolean =>
  filter_rules?.enabled === true &&
  filter_rules.groups.some(({ rules }) => rules.some(({ field }) => field === "api_key_name"));
