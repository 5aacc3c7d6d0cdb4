/** Whether a media query holds for a person before a usual screen. */

import { lengthOf, WINDOW } from "./style_values.ts";

/** What such a screen says of itself. */
const features: ReadonlyMap<string, string> = new Map([
  ["orientation", "landscape"],
  ["prefers-color-scheme", "light"],
  ["prefers-reduced-motion", "no-preference"],
  ["prefers-contrast", "no-preference"],
  ["forced-colors", "none"],
  ["hover", "hover"],
  ["any-hover", "hover"],
  ["pointer", "fine"],
  ["any-pointer", "fine"],
  ["scripting", "enabled"],
  ["display-mode", "browser"],
  ["update", "fast"],
]);

const pixels = (text: string | undefined) => lengthOf(text, { em: 16, whole: 0 });

/** A list of queries holds where one of them does. Unknown features do not. */
export const mediaHolds = (list: string): boolean => list.trim() === "" || list.split(",").some(queryHolds);

function queryHolds(query: string): boolean {
  const text = query.trim().toLowerCase();
  const negated = /^not\s/.test(text);
  const bare = text.replace(/^(?:not|only)\s+/, "");
  const type = /^[a-z-]+/.exec(bare)?.[0];
  const conditions = [...bare.matchAll(/\(([^()]*)\)/g)].map(([, condition = ""]) =>
    conditionHolds(condition)
  );
  const all = /\)\s*or\s*\(/.test(bare) ? conditions.some(Boolean) : conditions.every(Boolean);
  const holds = (type === undefined || type === "all" || type === "screen") && all;
  return negated ? !holds : holds;
}

function conditionHolds(condition: string): boolean {
  const [name = "", value] = condition.split(":").map((part) => part.trim());
  if (value === undefined) return rangeHolds(name);
  const [, bound, side] = /^(min|max)-(?:device-)?(width|height)$/.exec(name) ?? [];
  if (bound !== undefined && (side === "width" || side === "height")) {
    const limit = pixels(value);
    return limit !== undefined && (bound === "min" ? WINDOW[side] >= limit : WINDOW[side] <= limit);
  }
  return features.get(name) === value;
}

/** `400px <= width < 900px`, or a feature that is there at all. */
function rangeHolds(text: string): boolean {
  const [, low, lowSign, side, sign, high] =
    /^(?:([\d.]+[a-z]+)\s*([<>]=?)\s*)?(width|height)(?:\s*([<>]=?)\s*([\d.]+[a-z]+))?$/.exec(text) ?? [];
  if (side !== "width" && side !== "height") return text === "color" || features.has(text);
  const size = WINDOW[side];
  return compares(pixels(low), lowSign, size) && compares(size, sign, pixels(high));
}

function compares(
  ...[left, sign, right]: readonly [number | undefined, string | undefined, number | undefined]
): boolean {
  if (sign === undefined) return true;
  if (left === undefined || right === undefined) return false;
  if (sign.endsWith("=") && left === right) return true;
  return sign.startsWith("<") ? left < right : left > right;
}
