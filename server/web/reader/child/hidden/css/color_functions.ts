/** Colours that are made of others. */

import { converter, interpolate } from "culori";
import { black, type Color, white } from "./color.ts";
import { type CssTokens, textOf, tokensOf } from "./css_tokens.ts";
import { parseColor, withNumbers } from "./plain_color.ts";

type Inner = (text: string | undefined) => Color | undefined;

/** Names of spaces in CSS, and here. */
const spaces = {
  "srgb": "rgb",
  "srgb-linear": "lrgb",
  "display-p3": "p3",
  "a98-rgb": "a98",
  "prophoto-rgb": "prophoto",
  "rec2020": "rec2020",
  "lab": "lab",
  "oklab": "oklab",
  "xyz": "xyz65",
  "xyz-d50": "xyz50",
  "xyz-d65": "xyz65",
  "hsl": "hsl",
  "hwb": "hwb",
  "lch": "lch",
  "oklch": "oklch",
} as const;

const spaceOf = new Map<string, (typeof spaces)[keyof typeof spaces]>(Object.entries(spaces));

/** `in srgb, red 20%, blue`. */
export function mixed(parts: readonly string[], inner: Inner): Color | undefined {
  const hasSpace = parts[0]?.startsWith("in ") === true;
  const space = spaceOf.get(hasSpace ? parts[0]?.split(/\s+/)[1] ?? "" : "oklab");
  const [first, second] = parts.slice(hasSpace ? 1 : 0).map((part) => weighted(part, inner));
  if (space === undefined || first?.color === undefined || second?.color === undefined) return undefined;
  const firstPart = first.part ?? (second.part === undefined ? 50 : 100 - second.part);
  const secondPart = second.part ?? 100 - firstPart;
  const all = firstPart + secondPart;
  if (all <= 0) return undefined;
  const mix = converter("rgb")(
    interpolate([culoriOf(first.color), culoriOf(second.color)], space)(secondPart / all),
  );
  return mix && { r: mix.r, g: mix.g, b: mix.b, alpha: (mix.alpha ?? 1) * Math.min(1, all / 100) };
}

function weighted(text: string, inner: Inner): { readonly color: Color | undefined; readonly part?: number } {
  const [, before, color = "", after] = /^(?:([\d.]+)%\s+)?([^]*?)(?:\s+([\d.]+)%)?$/.exec(text) ?? [];
  const part = before ?? after;
  return { color: inner(color), part: part === undefined ? undefined : Number(part) };
}

const culoriOf = ({ r, g, b, alpha }: Color) => ({ mode: "rgb" as const, r, g, b, alpha });

/** Channels as CSS counts them. */
const channels: ReadonlyMap<string, readonly (readonly [name: string, scale: number])[]> = new Map([
  ["rgb", [["r", 255], ["g", 255], ["b", 255]]],
  ["hsl", [["h", 1], ["s", 100], ["l", 100]]],
  ["hwb", [["h", 1], ["w", 100], ["b", 100]]],
  ["lab", [["l", 1], ["a", 1], ["b", 1]]],
  ["oklab", [["l", 1], ["a", 1], ["b", 1]]],
  ["lch", [["l", 1], ["c", 1], ["h", 1]]],
  ["oklch", [["l", 1], ["c", 1], ["h", 1]]],
]);

interface RelativeColor {
  readonly list: CssTokens;
  readonly inner: Inner;
}

/** `from white r g calc(b / 2)`. */
export function relative(name: string, { list, inner }: RelativeColor): Color | undefined {
  const { origin, rest } = originOf(list.slice(1), inner);
  if (origin === undefined) return undefined;
  const declared = name.slice(0, -1).replace(/a$/, "");
  const spaceName = declared === "color" ? rest[0]?.text ?? "" : declared;
  const space = spaceOf.get(declared === "rgb" ? "srgb" : spaceName);
  if (space === undefined) return undefined;
  const values = new Map<string, unknown>(Object.entries(converter(space)(culoriOf(origin)) ?? {}));
  const scales = channels.get(declared) ?? [...values.keys()].map((key) => [key, 1] as const);
  const numbers = new Map<string, number>([["alpha", origin.alpha]]);
  for (const [key, scale] of scales) numbers.set(key, Number(values.get(key) ?? 0) * scale);
  const text = rest.map(({ type, text: own }) =>
    type === "ident-token" && numbers.has(own) ? String(numbers.get(own)?.toFixed(6)) : own
  ).join("");
  const isPercent = declared === "hsl" || declared === "hwb";
  return parseColor(withNumbers(`${declared}(${isPercent ? percents(text) : text.trim()})`), false);
}

/** The last two of three are percentages there. */
const percents = (text: string): string => {
  const [hue = "", first = "", second = "", ...more] = withNumbers(`x(${text.trim()})`).slice(2, -1).split(
    /\s+/,
  );
  const percent = (part: string) => part.endsWith("%") ? part : `${part}%`;
  return [hue, percent(first), percent(second), ...more].join(" ");
};

/** The colour that it begins with, however many tokens that has. */
function originOf(tokens: CssTokens, inner: Inner) {
  const text = textOf(tokens).trim();
  for (let end = text.indexOf(" "); end !== -1; end = text.indexOf(" ", end + 1)) {
    const origin = inner(text.slice(0, end));
    if (origin !== undefined) return { origin, rest: tokensOf(text.slice(end)) };
  }
  return { origin: undefined, rest: [] };
}

export function contrastTo(color: Color | undefined): Color | undefined {
  if (color === undefined) return undefined;
  const light = 0.2126 * color.r ** 2.2 + 0.7152 * color.g ** 2.2 + 0.0722 * color.b ** 2.2;
  return light > 0.18 ? black : white;
}
