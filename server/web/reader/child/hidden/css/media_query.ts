/** Whether a media query holds for a person before a usual screen. */

import { conditionHolds, featureOf, type Truth } from "../condition.ts";
import { type CssTokens, splitAt, textOf, tokensOf } from "./css_tokens.ts";
import { lengthOf, WINDOW } from "./css_length.ts";

/** Features of such a screen. */
const features: ReadonlyMap<string, string> = new Map([
  ["orientation", "landscape"],
  ["prefers-color-scheme", "light"],
  ["prefers-reduced-motion", "no-preference"],
  ["prefers-reduced-transparency", "no-preference"],
  ["prefers-reduced-data", "no-preference"],
  ["prefers-contrast", "no-preference"],
  ["forced-colors", "none"],
  ["inverted-colors", "none"],
  ["hover", "hover"],
  ["any-hover", "hover"],
  ["pointer", "fine"],
  ["any-pointer", "fine"],
  ["scripting", "enabled"],
  ["display-mode", "browser"],
  ["update", "fast"],
  ["overflow-block", "scroll"],
  ["overflow-inline", "scroll"],
  ["color-gamut", "srgb"],
  ["dynamic-range", "standard"],
  ["video-dynamic-range", "standard"],
  ["scan", "progressive"],
  ["grid", "0"],
  ["monochrome", "0"],
]);
/** Features alone hold, but for those that are nothing. */
const absent: ReadonlySet<string> = new Set(["none", "no-preference", "0"]);

const ratio = WINDOW.width / WINDOW.height;
/** As numbers: pixels, pixels a dot, bits. */
const measures: ReadonlyMap<string, number> = new Map([
  ["width", WINDOW.width],
  ["device-width", WINDOW.width],
  ["inline-size", WINDOW.width],
  ["height", WINDOW.height],
  ["device-height", WINDOW.height],
  ["block-size", WINDOW.height],
  ["aspect-ratio", ratio],
  ["device-aspect-ratio", ratio],
  ["resolution", 1],
  ["-webkit-device-pixel-ratio", 1],
  ["color", 8],
  ["color-index", 0],
  ["monochrome", 0],
]);

/** A list of queries holds where one of them does. Unknown features do not. */
export const mediaHolds = (list: string): boolean => {
  const tokens = tokensOf(list);
  return tokens.length === 0 || splitAt(tokens, "comma-token").some(queryHolds);
};

function queryHolds(query: CssTokens): boolean {
  const [, negation = "", type = "", rest = ""] =
    /^(?:(not|only)\s+)?(?!not\b)([a-z-]+)(?:\s+and\s+([^]+))?$/i.exec(textOf(query)) ?? [];
  if (type === "") return conditionHolds(textOf(query), featureHolds) === true;
  const truth = rest === "" ? true : conditionHolds(rest, featureHolds);
  if (truth === undefined) return false;
  const holds = /^(?:all|screen)$/i.test(type) && truth;
  return negation.toLowerCase() === "not" ? !holds : holds;
}

/** Says whether a feature of a window holds, or of a container as far as it is as large as the window. */
function featureHolds(tokens: CssTokens, functionName?: string): Truth {
  if (functionName !== undefined) return undefined;
  const { name, value } = featureOf(tokens);
  if (/[<>=]/.test(name)) return rangeHolds(name);
  if (value === undefined) {
    const measure = measures.get(name);
    if (measure !== undefined) return measure !== 0;
    const usual = features.get(name);
    return usual === undefined ? undefined : !absent.has(usual);
  }
  const [, bound, measured] = /^(-webkit-)?(?:min|max)-(.+)$/.test(name)
    ? [name, name.replace("-webkit-", "").slice(0, 3), name.replace(/(?:min|max)-/, "")]
    : [name, undefined, name];
  const size = measures.get(measured);
  if (size === undefined) return features.has(name) ? features.get(name) === value.toLowerCase() : undefined;
  const limit = numberOf(value);
  if (limit === undefined) return undefined;
  return bound === undefined ? size === limit : bound === "min" ? size >= limit : size <= limit;
}

function numberOf(text: string): number | undefined {
  const [, whole, part] = /^([\d.]+)\s*\/\s*([\d.]+)$/.exec(text) ?? [];
  if (whole !== undefined) return Number(whole) / Number(part);
  if (/^[\d.]+$/.test(text)) return Number(text);
  const [, dots, unit] = /^([\d.]+)(dppx|x|dpi|dpcm)$/i.exec(text) ?? [];
  if (dots !== undefined) {
    return Number(dots) / (unit?.toLowerCase() === "dpi" ? 96 : unit?.toLowerCase() === "dpcm" ? 37.8 : 1);
  }
  return lengthOf(text, { em: 16, whole: WINDOW.width });
}

const signs: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
  "=": (left, right) => left === right,
};

/** `400px <= width < 900px`, or the half of it. */
function rangeHolds(text: string): Truth {
  const parts = text.split(/([<>]=?|=)/).map((part) => part.trim());
  const values = parts.filter((_, at) => at % 2 === 0).map((part) => measures.get(part) ?? numberOf(part));
  if (values.length < 2 || values.length > 3 || values.includes(undefined)) return undefined;
  return values.slice(1).every((right, at) => {
    const left = values[at];
    const compare = new Map(Object.entries(signs)).get(parts[at * 2 + 1] ?? "");
    return left !== undefined && right !== undefined && compare?.(left, right) === true;
  });
}
