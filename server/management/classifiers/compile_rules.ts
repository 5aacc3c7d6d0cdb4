/** Tag rules as functions of receipts. They are made once per change, and look at no text of a request. */

import { MOST_TAGS, type TagCondition, type TagRuleRecord } from "../../../shared/observability/tag_rules.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import { comparisonFault, type FactTest, factTests, not } from "./fact_tests.ts";
import { receiptFacts } from "./receipt_facts.ts";

/** Why a condition means nothing, as the rest of a sentence that begins with it; undefined for one that does. */
function conditionFault({ field, operator, value }: TagCondition): string | undefined {
  const isList = operator === "in" || operator === "not_in";
  if (Array.isArray(value) && !isList) {
    return `has a list, which ${operator} does not take; allowed: a text or a number`;
  }
  if (value !== undefined && !Array.isArray(value) && isList) {
    return `needs a list for ${operator}, not ${formatValue(value)}`;
  }
  return comparisonFault({ field, operator, value });
}

/** The first condition that means nothing: its path and why. */
export function conditionsFault(
  conditions: readonly TagCondition[],
): { readonly path: string; readonly fault: string } | undefined {
  for (const [at, condition] of conditions.entries()) {
    const fault = conditionFault(condition);
    if (fault !== undefined) return { path: `conditions[${at}]`, fault };
  }
  return undefined;
}

function listTest(value: TagCondition["value"]): FactTest {
  const texts = (Array.isArray(value) ? value : [value]).map(String);
  const [wanted, numbers] = [new Set(texts), new Set(texts.map(Number))];
  return (fact) =>
    typeof fact === "number" ? numbers.has(fact) : typeof fact === "string" && wanted.has(fact);
}

function testOf({ operator, value }: TagCondition): FactTest {
  switch (operator) {
    case "in":
      return listTest(value);
    case "not_in":
      return not(listTest(value));
    default:
      return factTests[operator](String(value ?? ""));
  }
}

type ReceiptTest = (receipt: Receipt) => boolean;

function compileCondition(condition: TagCondition): ReceiptTest {
  const [fact, test] = [receiptFacts[condition.field], testOf(condition)];
  return (receipt) => test(fact(receipt));
}

interface CompiledRule {
  readonly tag: string;
  readonly tests: readonly ReceiptTest[];
}

/** Finds the tags of a receipt: each once, in the order of the rules, so many at most. */
export type Tagger = (receipt: Receipt) => readonly string[];

const noTags: readonly string[] = [];

/** The rules that are on, by workspace; each workspace's in the given order. */
export function compileTagRules(rules: readonly TagRuleRecord[]): Tagger {
  const byWorkspace = new Map<string, CompiledRule[]>();
  for (const { enabled, workspace_id, tag, conditions } of rules) {
    if (!enabled) continue;
    const compiled = byWorkspace.get(workspace_id) ?? [];
    byWorkspace.set(workspace_id, compiled);
    compiled.push({ tag, tests: conditions.map(compileCondition) });
  }
  return (receipt) => {
    const own = byWorkspace.get(receipt.workspace_id);
    return own === undefined ? noTags : tagsBy(own, receipt);
  };
}

function tagsBy(rules: readonly CompiledRule[], receipt: Receipt): readonly string[] {
  const tags: string[] = [];
  for (const { tag, tests } of rules) {
    if (tags.length === MOST_TAGS) break;
    if (!tags.includes(tag) && tests.every((test) => test(receipt))) tags.push(tag);
  }
  return tags;
}
