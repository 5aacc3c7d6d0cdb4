/** Colours that stand for themselves: names, numbers, and those of the system. */

import { converter, parse } from "culori";
import type { Color } from "./color.ts";
import { calculate, hasMath } from "./css_math.ts";
import { endOf, textOf, tokensOf } from "./css_tokens.ts";

interface Shades {
  readonly light: string;
  readonly dark: string;
}

const systemColors: ReadonlyMap<string, Shades> = new Map([
  ["canvas", { light: "white", dark: "#121212" }],
  ["canvastext", { light: "black", dark: "white" }],
  ["field", { light: "white", dark: "#3b3b3b" }],
  ["fieldtext", { light: "black", dark: "white" }],
  ["buttonface", { light: "#efefef", dark: "#6b6b6b" }],
  ["buttontext", { light: "black", dark: "white" }],
  ["linktext", { light: "#0000ee", dark: "#9e9eff" }],
  ["visitedtext", { light: "#551a8b", dark: "#d0adf0" }],
  ["graytext", { light: "#808080", dark: "#808080" }],
  ["highlight", { light: "#b5d5ff", dark: "#3f638b" }],
  ["highlighttext", { light: "black", dark: "white" }],
  ["mark", { light: "yellow", dark: "yellow" }],
  ["marktext", { light: "black", dark: "black" }],
]);

const toRgb = converter("rgb");
const colors = new Map<string, Color | undefined>();
const MOST_COLORS = 5_000;

/** In small letters. */
export function parseColor(name: string, isDark: boolean): Color | undefined {
  const text = systemColors.get(name)?.[isDark ? "dark" : "light"] ?? name;
  if (colors.has(text)) return colors.get(text);
  const rgb = toRgb(parse(hasMath(text) ? withNumbers(text) : text));
  const color = rgb && { r: part(rgb.r), g: part(rgb.g), b: part(rgb.b), alpha: part(rgb.alpha ?? 1) };
  if (colors.size < MOST_COLORS) colors.set(text, color);
  return color;
}

const part = (number: number): number => Math.min(1, Math.max(0, number));

/** Replaces calculations in a text by their numbers. */
export function withNumbers(text: string): string {
  const tokens = tokensOf(text);
  let result = tokens[0]?.text ?? "";
  for (let at = 1; at < tokens.length;) {
    const end = endOf(tokens, at);
    const own = textOf(tokens.slice(at, end));
    result += tokens[at]?.type === "function-token" ? numberIn(own) : own;
    at = end;
  }
  return result;
}

/** Angles are degrees, percentages stay what they are. */
function numberIn(text: string): string {
  let unit = "";
  const number = calculate(text, (count, name) => {
    unit = name === "%" ? "%" : "";
    return name === "%" ? count : angleOf(count, name);
  });
  return number === undefined ? text : `${Math.round(number * 1e6) / 1e6}${unit}`;
}

const angles: ReadonlyMap<string, number> = new Map([
  ["deg", 1],
  ["grad", 0.9],
  ["rad", 180 / Math.PI],
  ["turn", 360],
]);

/** In degrees. */
function angleOf(count: number, unit: string): number | undefined {
  const factor = angles.get(unit.toLowerCase());
  return factor === undefined ? undefined : count * factor;
}

/** In degrees; undefined for what is no angle. */
export function angleIn(text: string | undefined): number | undefined {
  const value = text?.trim().toLowerCase() ?? "";
  if (value.includes("(")) return calculate(value, angleOf);
  const [, number, unit = ""] = /^([+-]?[\d.]+(?:e[+-]?\d+)?)([a-z]*)$/.exec(value) ?? [];
  return number === undefined ? undefined : Number(number) === 0 ? 0 : angleOf(Number(number), unit);
}
