/** Which of the declarations for an element wins, by the order of the cascade. */

import { partOf, propertiesOf, shorthands } from "./css_property.ts";
import type { CssDeclaration } from "./css_syntax.ts";
import { hasSubstitutes, substituted, type Substitutes } from "./css_variables.ts";
import { isValid } from "../valid_value.ts";

/** Where a declaration stands; what is important goes above all that is not. */
export const LEVELS = { browser: 0, attribute: 1, sheet: 2, inline: 3, animation: 3.5 } as const;
const IMPORTANT = 4;

interface Rank {
  readonly level: number;
  /** Places of its layer and of those around it, behind which `Infinity` stands for what is in no further one. */
  readonly layer: readonly number[];
  readonly specificity: number;
  readonly place: number;
}

export interface RankedDeclaration {
  /** As it is written, in small letters but for custom properties. */
  readonly name: string;
  readonly value: string;
  readonly isImportant: boolean;
  readonly rank: Rank;
  /** Nobody knows whether it holds. */
  readonly isUncertain: boolean;
}

interface RankOptions {
  readonly rank: Rank;
  readonly isUncertain?: boolean;
}

export const ranked = (
  { name, value, isImportant }: Omit<CssDeclaration, "type">,
  { rank, isUncertain = false }: RankOptions,
): RankedDeclaration => ({
  name: name.startsWith("--") ? name : name.toLowerCase(),
  value,
  isImportant,
  isUncertain,
  rank: isImportant ? { ...rank, level: rank.level + IMPORTANT } : rank,
});

function byRank({ rank: a }: RankedDeclaration, { rank: b }: RankedDeclaration): number {
  const layers = compareLayers(a.layer, b.layer);
  return a.level - b.level || (a.level >= IMPORTANT ? -layers : layers) || a.specificity - b.specificity ||
    a.place - b.place;
}

function compareLayers(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < a.length || at < b.length; at++) {
    const [left = Infinity, right = Infinity] = [a[at], b[at]];
    if (left !== right) return left - right;
  }
  return 0;
}

export type Properties = ReadonlyMap<string, string>;

interface Cascaded {
  readonly properties: Properties;
  readonly variables: Properties;
}

interface CascadeOptions {
  /** Variables of the element around. */
  readonly inherited: Properties;
  /** Initial values of registered variables. */
  readonly initial: Properties;
  readonly attribute: Substitutes["attribute"];
}

export function cascade(declared: readonly RankedDeclaration[], options: CascadeOptions): Cascaded {
  const sorted = [...declared].sort(byRank);
  const variables = variablesOf(sorted, options.inherited);
  const { initial, attribute } = options;
  const variable = (name: string) => variables.get(name) ?? initial.get(name);
  return { variables, properties: winners(sorted, { variable, attribute }) };
}

function variablesOf(sorted: readonly RankedDeclaration[], inherited: Properties): Properties {
  const own = sorted.filter(({ name }) => name.startsWith("--"));
  if (own.length === 0) return inherited;
  const variables = new Map(inherited);
  for (const { name, value } of own) {
    const word = value.toLowerCase();
    if (word === "initial") variables.delete(name);
    else if (word === "inherit" || word === "unset") restore(variables, { name, value: inherited.get(name) });
    else variables.set(name, value);
  }
  return variables;
}

function restore(
  properties: Map<string, string>,
  { name, value }: { readonly name: string; readonly value: string | undefined },
): void {
  if (value === undefined) properties.delete(name);
  else properties.set(name, value);
}

function winners(sorted: readonly RankedDeclaration[], substitutes: Substitutes): Map<string, string> {
  const properties = new Map<string, string>();
  for (const declaration of sorted) {
    const { name } = declaration;
    if (name.startsWith("--")) continue;
    const value = usedValue(declaration, substitutes);
    if (value === undefined) continue;
    const names = name === "all" ? [...properties.keys()] : propertiesOf(name);
    const rolled = rolledBack(value, { declaration, sorted, substitutes });
    for (const [at, property] of names.entries()) {
      for (const part of shorthands.get(property) ?? []) properties.delete(part);
      const own = rolled === undefined
        ? keptWord(property, partOf(value, { of: names.length, at }))
        : rolled.get(property);
      restore(properties, { name: property, value: own });
    }
    if (name === "all") { for (const [property, own] of rolled ?? []) properties.set(property, own); }
  }
  return properties;
}

/** Undefined where the declaration is none. */
function usedValue({ name, value, rank }: RankedDeclaration, substitutes: Substitutes): string | undefined {
  if (rank.level < LEVELS.sheet) return value;
  if (!hasSubstitutes(value)) return isWide(value) || isValid(name, value) ? value : undefined;
  const text = substituted(value, substitutes);
  // Too late to fall back to another declaration: it is as if nothing were set.
  return text !== undefined && (isWide(text) || isValid(name, text)) ? text : "unset";
}

const isWide = (value: string): boolean => /^(?:initial|inherit|unset|revert|revert-layer)$/i.test(value);

/** Properties of which the first value differs from that of the element around. */
const inheritable: ReadonlySet<string> = new Set([
  "color",
  "text-fill-color",
  "visibility",
  "font-size",
  "text-indent",
]);

/** Drops a value that sets a property to nothing of its own. */
function keptWord(name: string, value: string): string | undefined {
  if (!isWide(value)) return value;
  return value.toLowerCase() === "initial" && inheritable.has(name) ? "initial" : undefined;
}

interface Rolling {
  readonly declaration: RankedDeclaration;
  readonly sorted: readonly RankedDeclaration[];
  readonly substitutes: Substitutes;
}

/** Finds the value that would hold without the author's declarations, or without those of this layer. */
function rolledBack(
  value: string,
  { declaration: { rank }, sorted, substitutes }: Rolling,
): Map<string, string> | undefined {
  switch (value.toLowerCase()) {
    case "revert":
      return winners(sorted.filter((one) => one.rank.level === LEVELS.browser), substitutes);
    case "revert-layer": {
      const level = rank.level % IMPORTANT;
      return winners(
        sorted.filter((one) =>
          one.rank.level < level ||
          (one.rank.level === level && compareLayers(one.rank.layer, rank.layer) < 0)
        ),
        substitutes,
      );
    }
    default:
      return undefined;
  }
}
