/** Colours of CSS in all their forms, and whether a text of one is seen on another. */

import { type Color } from "./color.ts";
import { contrastTo, mixed, relative } from "./color_functions.ts";
import { parseColor } from "./plain_color.ts";
import { argumentsOf, endOf, splitAt, textOf, tokensOf } from "./css_tokens.ts";

/** The ground of a page that asks for a dark one. */
export const darkGround: Color = { r: 0.07, g: 0.07, b: 0.07, alpha: 1 };

export interface ColorContext {
  readonly isDark: boolean;
  /** Colour that `currentcolor` stands for. */
  readonly current: Color;
  /** Colours around it that are made of it. */
  readonly depth?: number;
}

const MAX_DEPTH = 20;

/** Undefined for what is no colour. */
export function colorOf(text: string, context: ColorContext): Color | undefined {
  const name = text.trim().toLowerCase();
  if (name === "currentcolor") return context.current;
  const { depth = 0 } = context;
  if (depth > MAX_DEPTH) return undefined;
  const tokens = tokensOf(name);
  const [first] = tokens;
  if (first?.type !== "function-token" || endOf(tokens, 0) !== tokens.length) {
    return parseColor(name, context.isDark);
  }
  const list = argumentsOf(tokens, 0);
  const parts = splitAt(list, "comma-token").map(textOf);
  const inner = (part: string | undefined) =>
    part === undefined ? undefined : colorOf(part, { ...context, depth: depth + 1 });
  switch (first.text) {
    case "light-dark(":
      return inner(parts[context.isDark ? 1 : 0]);
    case "color-mix(":
      return mixed(parts, inner);
    case "contrast-color(":
      return contrastTo(inner(parts[0]?.replace(/\s+max$/, "")));
    default:
      return list[0]?.text === "from"
        ? relative(first.text, { list, inner })
        : parseColor(name, context.isDark);
  }
}

/** One colour over another that covers all. */
export function over(top: Color, below: Color): Color {
  const mix = (from: number, to: number) => to + (from - to) * top.alpha;
  return { r: mix(top.r, below.r), g: mix(top.g, below.g), b: mix(top.b, below.b), alpha: 1 };
}

/** Parts of one by which the red, green or blue of a text that is seen differs from its ground. */
const LEAST_DIFFERENCE = 0.08;

export function isSeenOn(text: Color, ground: Color): boolean {
  const shown = over(text, ground);
  const difference = Math.max(
    Math.abs(shown.r - ground.r),
    Math.abs(shown.g - ground.g),
    Math.abs(shown.b - ground.b),
  );
  return difference > LEAST_DIFFERENCE;
}
