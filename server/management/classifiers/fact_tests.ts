/** Comparisons of a fact of a receipt with a value, for tag rules and the filters of destinations. */

import { formatValue } from "../../../shared/validation/validate.ts";
import { numberFields } from "../../../shared/observability/tag_rule_fields.ts";

/** Null or undefined: the receipt has none. */
export type Fact = string | number | null | undefined;
export type FactTest = (fact: Fact) => boolean;

type TextComparison = (text: string, value: string) => boolean;
type NumberComparison = (number: number, value: number) => boolean;

export const textTest = (value: string, holds: TextComparison): FactTest => (fact) =>
  fact !== null && fact !== undefined && holds(String(fact), value);
const numberTest = (value: number, holds: NumberComparison): FactTest => (fact) =>
  fact !== null && fact !== undefined && holds(Number(fact), value);
export const not = (test: FactTest): FactTest => (fact) => !test(fact);
const exists: FactTest = (fact) => fact !== null && fact !== undefined && fact !== "";

/** Numbers are compared as numbers, however they are spelt. */
const equals = (value: string): FactTest => (fact) =>
  typeof fact === "number" ? fact === Number(value) : fact === value;
const contains = (value: string): FactTest => textTest(value, (text) => text.includes(value));

/** Each made of a value once. */
export const factTests = {
  equals,
  not_equals: (value) => not(equals(value)),
  contains,
  not_contains: (value) => not(contains(value)),
  starts_with: (value) => textTest(value, (text) => text.startsWith(value)),
  ends_with: (value) => textTest(value, (text) => text.endsWith(value)),
  gt: (value) => numberTest(Number(value), (number, least) => number > least),
  lt: (value) => numberTest(Number(value), (number, most) => number < most),
  gte: (value) => numberTest(Number(value), (number, least) => number >= least),
  lte: (value) => numberTest(Number(value), (number, most) => number <= most),
  exists: () => exists,
  not_exists: () => not(exists),
} as const satisfies Readonly<Record<string, (value: string) => FactTest>>;

const comparingNumbers: ReadonlySet<string> = new Set(["gt", "lt", "gte", "lte"]);
const withoutValue: ReadonlySet<string> = new Set(["exists", "not_exists"]);
const ofNumbers: ReadonlySet<string> = new Set(numberFields);

interface Compared {
  readonly field: string;
  readonly operator: string;
  readonly value?: unknown;
}

/** Why a comparison means nothing, as the rest of a sentence that begins with it; undefined for one that does. */
export function comparisonFault({ field, operator, value }: Compared): string | undefined {
  if (withoutValue.has(operator)) return undefined;
  const isOfNumber = ofNumbers.has(field);
  if (value === undefined) {
    return `has no value, which ${operator} needs; allowed: ${valuesOf(operator, isOfNumber)}`;
  }
  if (comparingNumbers.has(operator) && !isOfNumber) {
    return `compares ${field} with a number; allowed for ${operator} are fields of numbers, such as total_cost`;
  }
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const wrong = isOfNumber && operator !== "regex" ? values.filter((one) => !isNumber(one)) : [];
  if (wrong.length === 0) return undefined;
  return `needs a number for ${operator} of ${field}, not ${formatValue(wrong[0])}`;
}

const takingLists: ReadonlySet<string> = new Set(["in", "not_in"]);

function valuesOf(operator: string, isOfNumber: boolean): string {
  const isList = takingLists.has(operator);
  if (isOfNumber || comparingNumbers.has(operator)) return isList ? "a list of numbers" : "a number";
  return isList ? "a list of texts and numbers" : "a text or a number";
}

/** Also a text that spells one. */
const isNumber = (value: unknown): boolean =>
  (typeof value === "number" || typeof value === "string" && value.trim() !== "") &&
  Number.isFinite(Number(value));
