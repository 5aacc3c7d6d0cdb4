/** Lengths of CSS in pixels, those that are calculated too. */

import { calculate, type Unit } from "./css_math.ts";

/** Size in pixels of the window in which a page is assumed to be read. */
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
  ["rlh", ROOT_FONT_PX * 1.2],
  ["rex", ROOT_FONT_PX / 2],
  ["rch", ROOT_FONT_PX / 2],
  ["rcap", ROOT_FONT_PX * 0.7],
  ["ric", ROOT_FONT_PX],
  ...(["vw", "vi", "vmax", "cqw", "cqi", "cqmax"] as const).map((name) =>
    [name, WINDOW.width / 100] as const
  ),
  ...(["vh", "vb", "vmin", "cqh", "cqb", "cqmin"] as const).map((name) =>
    [name, WINDOW.height / 100] as const
  ),
]);

/** Parts of an `em`. */
const fontUnits: ReadonlyMap<string, number> = new Map([
  ["em", 1],
  ["ex", 0.5],
  ["ch", 0.5],
  ["cap", 0.7],
  ["ic", 1],
  ["lh", 1.2],
]);

interface LengthBasis {
  /** Pixels of an `em`, and of a whole of which a percentage is a part. */
  readonly em: number;
  readonly whole: number;
}

const unitOf = ({ em, whole }: LengthBasis): Unit => (count, unit) => {
  const name = unit.toLowerCase().replace(/^[sld](?=v)/, "");
  if (name === "%") return count / 100 * whole;
  const factor = fixedUnits.get(name) ?? em * (fontUnits.get(name) ?? NaN);
  return Number.isNaN(factor) ? undefined : count * factor;
};

/** Pixels; undefined for words. */
export function lengthOf(value: string | undefined, basis: LengthBasis): number | undefined {
  const text = value?.trim() ?? "";
  const unit = unitOf(basis);
  if (text.includes("(")) return calculate(text, unit);
  const [, number, name = ""] = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]*|%)$/i.exec(text) ?? [];
  if (number === undefined) return undefined;
  const count = Number(number);
  if (name === "") return count === 0 ? 0 : undefined;
  return unit(count, name);
}

/** A number or a percentage as a part of one; undefined for anything else. */
export function numberOf(value: string | undefined): number | undefined {
  const text = value?.trim() ?? "";
  const part: Unit = (count, unit) => unit === "%" ? count / 100 : undefined;
  if (text.includes("(")) return calculate(text, part);
  const [, number, percent] = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(%?)$/i.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) / (percent === "%" ? 100 : 1);
}
