/** Lengths and colours of CSS, as far as they decide whether a text is seen. */

import { converter, parse } from "culori";

/** Of the window in which a page is thought to be read. */
export const WINDOW = { width: 1_280, height: 800 } as const;
const ROOT_FONT_PX = 16;

const fixedUnits: ReadonlyMap<string, number> = new Map([
  ["px", 1],
  ["pt", 4 / 3],
  ["pc", 16],
  ["in", 96],
  ["cm", 96 / 2.54],
  ["mm", 96 / 25.4],
  ["q", 96 / 101.6],
  ["rem", ROOT_FONT_PX],
  ["vw", WINDOW.width / 100],
  ["vi", WINDOW.width / 100],
  ["vmax", WINDOW.width / 100],
  ["vh", WINDOW.height / 100],
  ["vb", WINDOW.height / 100],
  ["vmin", WINDOW.height / 100],
]);

export interface LengthBasis {
  /** Pixels of an `em`, and of a whole of which a percentage is a part. */
  readonly em: number;
  readonly whole: number;
}

/** Pixels; undefined for words and for what has to be calculated. */
export function lengthOf(value: string | undefined, { em, whole }: LengthBasis): number | undefined {
  const [, number, unit = ""] =
    /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]*|%)$/i.exec(value?.trim() ?? "") ?? [];
  if (number === undefined) return undefined;
  const count = Number(number);
  const name = unit.toLowerCase().replace(/^[sld](?=v)/, "");
  if (name === "") return count === 0 ? 0 : undefined;
  if (name === "%") return count / 100 * whole;
  if (name === "em") return count * em;
  if (name === "ex" || name === "ch") return count * em / 2;
  const factor = fixedUnits.get(name);
  return factor === undefined ? undefined : count * factor;
}

/** Parts of one, and how much covers what is below. */
export interface Color {
  readonly r: number;
  readonly g: number;
  readonly b: number;
  readonly alpha: number;
}

export const white: Color = { r: 1, g: 1, b: 1, alpha: 1 };
export const black: Color = { r: 0, g: 0, b: 0, alpha: 1 };

const systemColors: ReadonlyMap<string, string> = new Map([
  ["canvas", "white"],
  ["canvastext", "black"],
  ["field", "white"],
  ["fieldtext", "black"],
  ["buttonface", "#efefef"],
  ["buttontext", "black"],
  ["linktext", "#0000ee"],
]);

const toRgb = converter("rgb");
const colors = new Map<string, Color | undefined>();
const MOST_COLORS = 5_000;

/** Undefined for what is no colour. */
export function colorOf(text: string): Color | undefined {
  const name = text.trim().toLowerCase();
  if (colors.has(name)) return colors.get(name);
  const rgb = toRgb(parse(systemColors.get(name) ?? name));
  const color = rgb && { r: rgb.r, g: rgb.g, b: rgb.b, alpha: rgb.alpha ?? 1 };
  if (colors.size < MOST_COLORS) colors.set(name, color);
  return color;
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
