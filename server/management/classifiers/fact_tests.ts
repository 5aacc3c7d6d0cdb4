/** Comparisons of a fact of a receipt with a value, for tag rules and the filters of destinations. */

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

const equals = (value: string): FactTest => textTest(value, (text) => text === value);
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

const ofNumbers: ReadonlySet<string> = new Set(["gt", "lt", "gte", "lte"]);
const withoutValue: ReadonlySet<string> = new Set(["exists", "not_exists"]);

export const comparesNumbers = (operator: string): boolean => ofNumbers.has(operator);

interface Compared {
  readonly operator: string;
  readonly value?: unknown;
}

/** Why a comparison means nothing, as the rest of a sentence that begins with it; undefined for one that does. */
export function comparisonFault({ operator, value }: Compared): string | undefined {
  if (withoutValue.has(operator)) return undefined;
  if (value === undefined) return `has no value, which ${operator} needs`;
  if (comparesNumbers(operator) && !isNumber(value)) return `needs a number for ${operator}`;
  return undefined;
}

/** Also a text that spells one. */
const isNumber = (value: unknown): boolean =>
  (typeof value === "number" || typeof value === "string" && value.trim() !== "") &&
  Number.isFinite(Number(value));
