/** Properties that decide whether a text is seen, under one name each. */

import { endOf, isBlank, textOf, tokensOf } from "./css_tokens.ts";

const relevant: ReadonlySet<string> = new Set(
  ("all display visibility opacity filter content-visibility color text-fill-color color-scheme fill stroke " +
    "text-shadow text-stroke text-stroke-color text-stroke-width " +
    "background background-color background-image background-clip font font-size text-indent " +
    "position left right top bottom inset margin margin-left margin-right margin-top margin-bottom " +
    "clip clip-path mask mask-image mask-size overflow overflow-x overflow-y " +
    "transform translate scale rotate zoom backface-visibility line-height " +
    "animation animation-name animation-fill-mode animation-play-state animation-duration animation-delay " +
    "width height max-width max-height min-width min-height " +
    "padding padding-top padding-bottom padding-left padding-right").split(" "),
);

/** Physical properties of logical ones, for lines from left to right that follow from top to bottom. */
const physical: ReadonlyMap<string, readonly string[]> = new Map([
  ["inline-size", ["width"]],
  ["block-size", ["height"]],
  ["min-inline-size", ["min-width"]],
  ["min-block-size", ["min-height"]],
  ["max-inline-size", ["max-width"]],
  ["max-block-size", ["max-height"]],
  ["overflow-inline", ["overflow-x"]],
  ["overflow-block", ["overflow-y"]],
  ["inset-inline-start", ["left"]],
  ["inset-inline-end", ["right"]],
  ["inset-block-start", ["top"]],
  ["inset-block-end", ["bottom"]],
  ["inset-inline", ["left", "right"]],
  ["inset-block", ["top", "bottom"]],
  ...["margin", "padding"].flatMap((name): readonly (readonly [string, readonly string[]])[] => [
    [`${name}-inline-start`, [`${name}-left`]],
    [`${name}-inline-end`, [`${name}-right`]],
    [`${name}-block-start`, [`${name}-top`]],
    [`${name}-block-end`, [`${name}-bottom`]],
    [`${name}-inline`, [`${name}-left`, `${name}-right`]],
    [`${name}-block`, [`${name}-top`, `${name}-bottom`]],
  ]),
]);

/** Properties that each shorthand sets anew. */
export const shorthands: ReadonlyMap<string, readonly string[]> = new Map([
  ["background", ["background-color", "background-image", "background-clip"]],
  ["mask", ["mask-image", "mask-size"]],
  ["text-stroke", ["text-stroke-color", "text-stroke-width"]],
  ["font", ["font-size", "line-height"]],
  [
    "animation",
    ["name", "fill-mode", "play-state", "duration", "delay"].map((part) => `animation-${part}`),
  ],
  ["inset", ["left", "right", "top", "bottom"]],
  ["margin", ["margin-left", "margin-right", "margin-top", "margin-bottom"]],
  ["padding", ["padding-left", "padding-right", "padding-top", "padding-bottom"]],
  ["overflow", ["overflow-x", "overflow-y"]],
]);

/** Under which names it counts here; none where it makes no difference. The name is in small letters. */
export function propertiesOf(name: string): readonly string[] {
  if (name.startsWith("--")) return [name];
  const plain = name.replace(/^-webkit-/, "");
  return physical.get(plain) ?? (relevant.has(plain) ? [plain] : []);
}

/** Picks one property's part of a value for so many properties. */
export function partOf(value: string, place: { readonly of: number; readonly at: number }): string {
  if (place.of === 1) return value;
  const parts = wordsOf(value);
  return parts[Math.min(place.at, parts.length - 1)] ?? value;
}

/** Words and functions that blanks part. */
export function wordsOf(value: string): readonly string[] {
  const tokens = tokensOf(value);
  const words: string[] = [];
  let isOpen = false;
  for (let at = 0; at < tokens.length;) {
    const end = endOf(tokens, at);
    const text = textOf(tokens.slice(at, end));
    const last = words.length - 1;
    if (isBlank(tokens[at]?.type)) isOpen = false;
    else if (isOpen) words[last] = `${words[last]}${text}`;
    else words.push(text);
    isOpen ||= !isBlank(tokens[at]?.type);
    at = end;
  }
  return words;
}
