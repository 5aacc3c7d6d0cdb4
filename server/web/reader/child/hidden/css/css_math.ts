/** The mathematical functions of CSS: `calc()`, `min()`, `clamp()` and the others. */

import { argumentsOf, type CssTokens, endOf, isBlank, splitAt, tokensOf } from "./css_tokens.ts";

/** Converts a number with a unit; undefined where that is not known. */
export type Unit = (count: number, unit: string) => number | undefined;

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

const functions: ReadonlyMap<string, (...numbers: readonly number[]) => number> = new Map([
  ["calc", (number: number) => number],
  ["-webkit-calc", (number: number) => number],
  ["min", Math.min],
  ["max", Math.max],
  [
    "clamp",
    (...[low = NaN, value = NaN, high = NaN]: readonly number[]) => Math.max(low, Math.min(value, high)),
  ],
  ["abs", Math.abs],
  ["sign", Math.sign],
  ["round", (value: number, step = 1) => step === 0 ? NaN : Math.round(value / step) * step],
  ["mod", (value: number, step: number) => value - Math.floor(value / step) * step],
  ["rem", (value: number, step: number) => value % step],
  ["sin", Math.sin],
  ["cos", Math.cos],
  ["tan", Math.tan],
  ["asin", Math.asin],
  ["acos", Math.acos],
  ["atan", Math.atan],
  ["atan2", Math.atan2],
  ["pow", Math.pow],
  ["sqrt", Math.sqrt],
  ["hypot", (...numbers: readonly number[]) => Math.sqrt(sum(numbers.map((one) => one * one)))],
  ["log", (value: number, base = Math.E) => Math.log(value) / Math.log(base)],
  ["exp", Math.exp],
]);

const constants: ReadonlyMap<string, number> = new Map([
  ["pi", Math.PI],
  ["e", Math.E],
  ["infinity", Number.MAX_VALUE],
  ["-infinity", -Number.MAX_VALUE],
  ["nan", 0],
  ["none", -Number.MAX_VALUE],
]);

export const hasMath = (value: string): boolean =>
  [...value.matchAll(/([a-z\d-]+)\(/gi)].some(([, name = ""]) => functions.has(name.toLowerCase()));

/** Calculates one function; undefined for any other value. */
export function calculate(value: string, unit: Unit): number | undefined {
  const tokens = tokensOf(value);
  const isOne = tokens[0]?.type === "function-token" && endOf(tokens, 0) === tokens.length;
  return isOne ? finite(new Calculation(tokens, { unit, depth: 0 }).factor()) : undefined;
}

const finite = (number: number | undefined): number | undefined =>
  number === undefined || Number.isNaN(number) ? undefined : number;

const MAX_DEPTH = 50;

interface CalculationOptions {
  readonly unit: Unit;
  readonly depth: number;
}

class Calculation {
  readonly #tokens: CssTokens;
  readonly #options: CalculationOptions;
  #at = 0;

  constructor(tokens: CssTokens, options: CalculationOptions) {
    this.#tokens = tokens.filter(({ type }) => !isBlank(type));
    this.#options = options;
  }

  /** All of it. */
  whole(): number | undefined {
    const result = this.#joined(["+", "-"], () => this.#joined(["*", "/"], () => this.factor()));
    return this.#at === this.#tokens.length ? result : undefined;
  }

  factor(): number | undefined {
    const { type = "", text = "" } = this.#tokens[this.#at] ?? {};
    const from = this.#at;
    this.#at = endOf(this.#tokens, from);
    switch (type) {
      case "number-token":
        return Number(text);
      case "percentage-token":
      case "dimension-token":
        return this.#options.unit(
          parseFloat(text),
          text.replace(/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/i, ""),
        );
      case "ident-token":
        return constants.get(text.toLowerCase());
      case "(-token":
        return this.#inner(argumentsOf(this.#tokens, from));
      case "function-token":
        return this.#call(text.slice(0, -1).toLowerCase(), argumentsOf(this.#tokens, from));
      default:
        return undefined;
    }
  }

  #joined(signs: readonly string[], next: () => number | undefined): number | undefined {
    let result = next();
    for (let sign = this.#tokens[this.#at]?.text; sign !== undefined && signs.includes(sign);) {
      this.#at++;
      const right = next();
      if (result === undefined || right === undefined) return undefined;
      result = sign === "+"
        ? result + right
        : sign === "-"
        ? result - right
        : sign === "*"
        ? result * right
        : result / right;
      sign = this.#tokens[this.#at]?.text;
    }
    return result;
  }

  #call(name: string, list: CssTokens): number | undefined {
    const parts = splitAt(list, "comma-token").filter((part) => !isStrategy(part));
    const numbers = parts.map((part) => this.#inner(part));
    const known = numbers.filter((one) => one !== undefined);
    return known.length === numbers.length ? functions.get(name)?.(...known) : undefined;
  }

  #inner(tokens: CssTokens): number | undefined {
    const { unit, depth } = this.#options;
    if (depth > MAX_DEPTH) return undefined;
    return new Calculation(tokens, { unit, depth: depth + 1 }).whole();
  }
}

/** How `round()` rounds makes no difference here. */
const isStrategy = ([first]: CssTokens): boolean => /^(?:nearest|up|down|to-zero)$/i.test(first?.text ?? "");
