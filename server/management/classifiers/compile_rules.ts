/** Tag rules as functions of receipts. They are made once per change, and look at no text of a request. */

import { MOST_TAGS, type TagCondition, type TagRuleRecord } from "../../../shared/observability/tag_rules.ts";
import { numberFields } from "../../../shared/observability/tag_rule_fields.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import { comparesNumbers, comparisonFault, type FactTest, factTests, not } from "./fact_tests.ts";
import { receiptFacts } from "./receipt_facts.ts";

const ofNumbers: ReadonlySet<string> = new Set(numberFields);

/** Why a condition means nothing, as the rest of a sentence that begins with it; undefined for one that does. */
function conditionFault({ field, operator, value }: TagCondition): string | undefined {
  const isList = operator === "in" || operator === "not_in";
  if (Array.isArray(value) && !isList) return `has a list, which ${operator} does not take`;
  if (value !== undefined && !Array.isArray(value) && isList) return `needs a list for ${operator}`;
  if (comparesNumbers(operator) && !ofNumbers.has(field)) {
    return `compares ${field} with a number; allowed for ${operator} are ${numberFields.join(", ")}`;
  }
  return comparisonFault({ operator, value });
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
  const wanted = new Set((Array.isArray(value) ? value : [value]).map(String));
  return (fact) => fact !== null && fact !== undefined && wanted.has(String(fact));
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
