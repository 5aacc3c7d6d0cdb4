/** Styles of an element of its own that hide its text. Style sheets are not looked at. */

import { type Declaration, declarationsOf } from "./style_declarations.ts";
import { functionsOf, pixelsOf, quantityOf, shareOf } from "./style_values.ts";

/** By a style; undefined where it says nothing of that. What is inherited can be undone by an element within. */
interface OwnStyle {
  /** Nothing of the element is seen, whatever stands in it. */
  readonly isGone: boolean;
  /** It has a `display` of its own that shows it. */
  readonly isDisplayed: boolean;
  readonly isInvisible: boolean | undefined;
  readonly isTransparent: boolean | undefined;
  /** Pixels for the letters by those of the element around. */
  readonly letters: ((around: number) => number) | undefined;
}

type Values = ReadonlyMap<string, string>;

const words = (list: string) => {
  const known = new Set(list.split(" "));
  return (value: string) => known.has(value);
};
const sizeWords: ReadonlySet<string> = new Set(
  "xx-small x-small small medium large x-large xx-large xxx-large smaller larger".split(" "),
);
const isLength = (value: string) =>
  value.includes("(") || pixelsOf(value) !== undefined || quantityOf(value)?.unit === "%";
const contentWords = words("auto min-content max-content fit-content stretch -webkit-fill-available");
const isSize = (value: string) => contentWords(value) || isLength(value);
const isMost = (value: string) => value === "none" || value !== "auto" && isSize(value);
const isPlace = (value: string) => value === "auto" || isLength(value);
const areLengths = (value: string) => value.includes("(") || value.split(" ").every(isPlace);
const isShare = (value: string) => value.includes("(") || shareOf(value) !== undefined;
const isFunction = (value: string) => value === "none" || value.includes("(");
const isColor = (value: string) =>
  /^(?:[a-z]+$|#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$|[a-z-]+\()/.test(value);
const isAny = () => true;

const isDisplay = words(
  "none block inline inline-block flex inline-flex grid inline-grid flow flow-root contents list-item table inline-table " +
    "table-row table-cell table-row-group table-header-group table-footer-group table-column table-column-group " +
    "table-caption run-in ruby ruby-base ruby-text math -webkit-box -webkit-inline-box -webkit-flex",
);
const isDisplayPair = (value: string) =>
  /^(?:block|inline|run-in) (?:flow|flow-root|table|flex|grid|ruby|math|list-item)$/.test(value);
const isOverflow = words("visible hidden clip auto scroll overlay");

const placeNames = "top right bottom left margin-top margin-right margin-bottom margin-left".split(" ");
const sizeNames = "width height min-width min-height".split(" ");

/** Whether a browser takes a value for the property; of others it passes the declaration over. */
const isValid: ReadonlyMap<string, (value: string) => boolean> = new Map<string, (value: string) => boolean>([
  ...placeNames.map((name) => [name, isPlace] as const),
  ...sizeNames.map((name) => [name, isSize] as const),
  ["max-width", isMost],
  ["max-height", isMost],
  ["text-indent", (value) => isLength(value.split(" ", 1)[0] ?? "")],
  ["display", (value) => isDisplay(value) || isDisplayPair(value)],
  ["visibility", words("visible hidden collapse")],
  ["content-visibility", words("visible hidden auto")],
  ["overflow", (value) => value.split(" ").every(isOverflow)],
  ["overflow-x", isOverflow],
  ["overflow-y", isOverflow],
  ["position", words("static relative absolute fixed sticky -webkit-sticky")],
  ["opacity", isShare],
  ["font-size", (value) => sizeWords.has(value) || isLength(value) && !value.startsWith("-")],
  ["font", isAny],
  ["inset", areLengths],
  ["margin", areLengths],
  ["padding", areLengths],
  ["padding-top", isLength],
  ["padding-bottom", isLength],
  ["color", isColor],
  ["-webkit-text-fill-color", isColor],
  ["background", isAny],
  ["background-clip", isAny],
  ["-webkit-background-clip", isAny],
  ["text-shadow", isAny],
  ["-webkit-text-stroke", isAny],
  ["filter", isFunction],
  ["transform", isFunction],
  ["translate", (value) => value === "none" || areLengths(value)],
  ["scale", (value) => value === "none" || value.split(" ").every(isShare)],
  ["clip-path", isFunction],
  ["clip", (value) => value === "auto" || value.startsWith("rect(")],
]);

const ofEveryProperty: ReadonlySet<string> = new Set([
  "inherit",
  "initial",
  "unset",
  "revert",
  "revert-layer",
]);
const isUnknown = (value: string) => ofEveryProperty.has(value) || /\b(?:var|env|attr)\(/.test(value);

const sides = ["top", "right", "bottom", "left"] as const;

/** The properties that a shorthand sets. */
function expanded({ name, value }: Declaration): readonly (readonly [string, string])[] {
  if (name === "font") {
    const size = isUnknown(value) ? value : sizeOfFont(value);
    return size === undefined ? [] : [["font-size", size]];
  }
  if (name !== "inset" && name !== "margin") return [[name, value]];
  const written = value.includes("(") ? [value] : value.split(" ");
  const [top = "", right = top, bottom = top, left = right] = written;
  const values = { top, right, bottom, left };
  return sides.map((side) => [name === "inset" ? side : `margin-${side}`, values[side]] as const);
}

/** The size in a `font`, which its family follows. */
function sizeOfFont(value: string): string | undefined {
  const parts = value.replaceAll(/ ?\/ ?/g, "/").split(" ");
  const at = parts.findIndex((part) => {
    const [size = ""] = part.split("/", 1);
    return sizeWords.has(size) || size.includes("(") || pixelsOf(size) !== undefined;
  });
  return at === -1 || at === parts.length - 1 ? undefined : parts[at]?.split("/", 1)[0];
}

/** The last valid value of each property, and of those that are important where one is. */
function valuesOf(style: string): Values {
  const values = new Map<string, string>();
  const important = new Set<string>();
  for (const declaration of declarationsOf(style)) {
    const { name, value, isImportant } = declaration;
    if (value === "" || !(isUnknown(value) ? isValid.has(name) : isValid.get(name)?.(value) ?? false)) {
      continue;
    }
    for (const [single, meant] of expanded(declaration)) {
      if (important.has(single) && !isImportant) continue;
      if (isImportant) important.add(single);
      values.set(single, meant);
    }
  }
  return values;
}

/** Shares of opacity or of size, and pixels of a length, of which nobody makes anything out. */
const LEAST_SHARE = 0.05;
const LEAST_PIXELS = 1;
/** Pixels beyond the edge of a page where text begins, and beyond the other edge. */
const FAR = 999;
const FAR_OFF = 5_000;

const isFaint = (value: string) => (shareOf(value) ?? 1) <= LEAST_SHARE;
const isBefore = (value: string) => (pixelsOf(value) ?? 0) <= -FAR;
const isNothing = (value: string | undefined) =>
  value !== undefined && (pixelsOf(value) ?? FAR) <= LEAST_PIXELS;

/** Whether a box is moved off the page, unless it has no place of its own. */
const isOffPage = (value: string, values: Values) =>
  values.get("position") !== "static" && (isBefore(value) || (pixelsOf(value) ?? 0) >= FAR_OFF);

/** A box in the middle is moved back by half of its width. */
const isMovedOff = (value: string, values: Values) =>
  isBefore(value) && !["left", "top"].some((side) => (shareOf(values.get(side) ?? "") ?? 0) > 0);

const isCutTo = (side: "width" | "height") => (value: string, values: Values) => {
  const clips = ["overflow", "overflow-x", "overflow-y"].some((name) => {
    const overflow = values.get(name);
    return overflow !== undefined && !overflow.startsWith("visible");
  });
  if (!clips || !isNothing(value)) return false;
  const least = values.get(`min-${side}`);
  if (least !== undefined && !isNothing(least)) return false;
  // A box that holds a film: its padding makes its height.
  return !["padding", "padding-top", "padding-bottom"].some((name) =>
    (pixelsOf(values.get(name)?.split(" ")[0] ?? "0") ?? FAR) > LEAST_PIXELS
  );
};

function isTransformedAway(value: string): boolean {
  return functionsOf(value).some(({ name, words: [first = "", second = first, third = "", fourth = ""] }) => {
    if (/^translate(?:x|y|3d)?$/.test(name)) {
      return isBefore(first) || /^translate(?:3d)?$/.test(name) && isBefore(second);
    }
    if (/^scale(?:x|y|3d)?$/.test(name)) return isTiny(first) || isTiny(second);
    if (name !== "matrix") return false;
    return isTiny(String(Number(first) * Number(fourth) - Number(second) * Number(third)));
  });
}

const isTiny = (value: string) => Math.abs(shareOf(value) ?? 1) <= LEAST_SHARE;

function isClippedAway(value: string): boolean {
  const [shape] = functionsOf(value);
  if (shape === undefined) return false;
  const { name, words: written } = shape;
  if (name === "circle" || name === "ellipse") return isNothing(written[0]);
  if (name === "polygon") {
    return written.filter((word) => /\d/.test(word)).every((word) => quantityOf(word)?.number === 0);
  }
  if (name !== "inset") return false;
  const round = written.indexOf("round");
  const [top = "", right = top, bottom = top, left = right] = round === -1
    ? written
    : written.slice(0, round);
  const share = (word: string) => word.endsWith("%") ? shareOf(word) ?? 0 : 0;
  return share(top) + share(bottom) >= 1 || share(left) + share(right) >= 1;
}

function isCutOut(value: string, values: Values): boolean {
  const position = values.get("position");
  if (position !== undefined && position !== "absolute" && position !== "fixed") return false;
  const [top, right, bottom, left] = functionsOf(value)[0]?.words ?? [];
  const [from, to] = [pixelsOf(top ?? "") ?? 0, pixelsOf(bottom ?? "")];
  const [start, end] = [pixelsOf(left ?? "") ?? 0, pixelsOf(right ?? "")];
  return to !== undefined && to - from <= LEAST_PIXELS || end !== undefined && end - start <= LEAST_PIXELS;
}

/** Values of properties that leave nothing of an element, by property. */
const hiding: Readonly<Record<string, (value: string, values: Values) => boolean>> = {
  "display": (value) => value === "none",
  "content-visibility": (value) => value === "hidden",
  "opacity": isFaint,
  "filter": (value) =>
    functionsOf(value).some(({ name, words: [share = ""] }) => name === "opacity" && isFaint(share)),
  "transform": isTransformedAway,
  "translate": (value) => value.split(" ").some(isBefore),
  "scale": (value) => value.split(" ").slice(0, 2).some(isTiny),
  "clip-path": isClippedAway,
  "clip": isCutOut,
  "left": isOffPage,
  "top": isOffPage,
  "right": isOffPage,
  "bottom": isOffPage,
  "margin-left": isMovedOff,
  "margin-top": isMovedOff,
  "text-indent": (value) => isBefore(value.split(" ", 1)[0] ?? ""),
  "width": isCutTo("width"),
  "max-width": isCutTo("width"),
  "height": isCutTo("height"),
  "max-height": isCutTo("height"),
};

/** Reads a `style` attribute. */
export function ownStyleOf(style: string): OwnStyle {
  const values = valuesOf(style);
  const display = values.get("display");
  const visibility = values.get("visibility");
  return {
    isGone: Object.entries(hiding).some(([name, isHiding]) => {
      const value = values.get(name);
      return value !== undefined && !isUnknown(value) && isHiding(value, values);
    }),
    isDisplayed: display !== undefined && display !== "none" && !isUnknown(display),
    isInvisible: visibility === undefined || isUnknown(visibility) ? undefined : visibility !== "visible",
    isTransparent: transparencyOf(values),
    letters: lettersOf(values.get("font-size")),
  };
}

function transparencyOf(values: Values): boolean | undefined {
  const color = values.get("-webkit-text-fill-color") ?? values.get("color");
  if (color === undefined || isUnknown(color)) return undefined;
  const isFilled =
    ["background", "background-clip", "-webkit-background-clip"].some((name) =>
      values.get(name)?.split(" ").includes("text")
    ) ||
    ["text-shadow", "-webkit-text-stroke"].some((name) => (values.get(name) ?? "none") !== "none");
  return isTransparentColor(color) && !isFilled;
}

function isTransparentColor(color: string): boolean {
  if (color === "transparent") return true;
  if (color.startsWith("#")) {
    return color.length === 5 && color.endsWith("0") || color.length === 9 && /0[\da-c]$/.test(color);
  }
  const alpha = functionsOf(color)[0]?.words[3];
  return alpha !== undefined && isFaint(alpha);
}

const relativeSizes: ReadonlyMap<string, number> = new Map([["em", 1], ["%", 0.01], ["ex", 0.5], [
  "ch",
  0.5,
]]);
/** Pixels of letters where nothing is said. */
export const USUAL_LETTERS = 16;

function lettersOf(size: string | undefined): OwnStyle["letters"] {
  if (size === undefined || isUnknown(size)) return undefined;
  if (size === "smaller" || size === "larger") return (around) => around;
  const quantity = quantityOf(size);
  const share = relativeSizes.get(quantity?.unit ?? "");
  if (quantity && share !== undefined) return (around) => around * share * quantity.number;
  const pixels = sizeWords.has(size) ? USUAL_LETTERS : pixelsOf(size);
  return pixels === undefined ? undefined : () => pixels;
}

const LEAST_LETTERS = 4;

/** Whether nobody reads letters of so many pixels. */
export const areTooSmall = (pixels: number): boolean => pixels < LEAST_LETTERS;
