/** What a page's styles make of an element: whether it is there for a reader, and how its text looks. */

import { placeHides } from "./hidden_place.ts";
import {
  inlineDeclarations,
  ORIGINS,
  type RankedDeclaration,
  type StyleSheet,
  withRank,
} from "./style_sheet.ts";
import { black, type Color, colorOf, isSeenOn, lengthOf, over, white, WINDOW } from "./style_values.ts";

/** What is inherited, and what lies under a text. */
export interface TextStyle {
  readonly fontPx: number;
  readonly color: Color;
  /** Undefined below a picture or a gradient: nobody knows. */
  readonly ground: Color | undefined;
  readonly opacity: number;
  readonly indentPx: number;
  readonly isVisible: boolean;
  /** The ground is cut out in the form of the letters. */
  readonly isGroundInText: boolean;
  readonly variables: ReadonlyMap<string, string>;
}

export const startStyle: TextStyle = {
  fontPx: 16,
  color: black,
  ground: white,
  opacity: 1,
  indentPx: 0,
  isVisible: true,
  isGroundInText: false,
  variables: new Map(),
};

/** Pixels below which nobody reads, and beyond which an indent leads out of sight. */
const LEAST_FONT_PX = 4;
const MOST_INDENT_PX = 500;
const LEAST_OPACITY = 0.05;

/** Whether a text of this style is seen. */
export function isTextSeen(
  { fontPx, color, ground, indentPx, isVisible, isGroundInText }: TextStyle,
): boolean {
  if (!isVisible || fontPx < LEAST_FONT_PX || Math.abs(indentPx) > MOST_INDENT_PX) return false;
  if (isGroundInText) return true;
  // Above a picture only a text that covers nothing is known to be unseen.
  return ground === undefined ? color.alpha > LEAST_OPACITY : isSeenOn(color, ground);
}

export interface ElementStyle {
  readonly text: TextStyle;
  /** Neither it nor anything in it is seen. */
  readonly isGone: boolean;
}

export type Properties = ReadonlyMap<string, string>;

export function styleOf(
  element: Element,
  { parent, sheet }: { readonly parent: TextStyle; readonly sheet: StyleSheet },
): ElementStyle {
  const inline = element.getAttribute("style");
  const declared = [
    ...attributeDeclarations(element),
    ...sheet.declarationsOf(element),
    ...inline === null ? [] : inlineDeclarations(inline),
  ];
  const isMarked = element.getAttribute("aria-hidden") === "true" && !isFrame(element);
  if (declared.length === 0 || isMarked) return { text: parent, isGone: isMarked };
  const sorted = declared.sort(byRank);
  const variables = variablesOf(sorted, parent.variables);
  const properties = new Map<string, string>();
  for (const { property, value } of sorted) {
    if (property.startsWith("--")) continue;
    const text = withVariables(value, variables);
    if (text === undefined) continue;
    for (const part of shorthands.get(property) ?? []) properties.delete(part);
    properties.set(property, text);
  }
  const text = textStyle(properties, { parent, variables });
  return { text, isGone: isElementGone(element, { properties, text }) };
}

/** What each sets anew. */
const shorthands: ReadonlyMap<string, readonly string[]> = new Map([
  ["background", ["background-color", "background-image", "background-clip"]],
  ["font", ["font-size"]],
  ["inset", ["left", "right", "top", "bottom"]],
  ["margin", ["margin-left", "margin-top"]],
  ["padding", ["padding-left", "padding-right", "padding-top", "padding-bottom"]],
  ["overflow", ["overflow-x", "overflow-y"]],
]);

const byRank = ({ rank: a }: RankedDeclaration, { rank: b }: RankedDeclaration): number =>
  a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

const pixelsOf = (attribute: string | null): string | null =>
  attribute !== null && /^\s*\d+\s*$/.test(attribute) ? `${attribute.trim()}px` : attribute;

const usualColors: ReadonlyMap<string, readonly (readonly [property: string, value: string])[]> = new Map([
  ["mark", [["background-color", "yellow"], ["color", "black"]]],
  ["button", [["background-color", "buttonface"], ["color", "buttontext"]]],
]);

/** What browsers make of elements and attributes. */
function attributeDeclarations(element: Element): readonly RankedDeclaration[] {
  const tag = element.localName;
  const usual: readonly (readonly [property: string, value: string])[] = [
    ...element.hasAttribute("hidden") ? [["display", "none"]] as const : [],
    ...tag === "a" && element.hasAttribute("href") ? [["color", "linktext"]] as const : [],
    ...usualColors.get(tag) ?? [],
  ];
  const attributes: readonly (readonly [property: string, value: string | null])[] = [
    ["background-color", element.getAttribute("bgcolor")],
    ["width", tag === "img" ? pixelsOf(element.getAttribute("width")) : null],
    ["height", tag === "img" ? pixelsOf(element.getAttribute("height")) : null],
    ["color", tag === "font" ? element.getAttribute("color") : null],
    ["color", tag === "body" ? element.getAttribute("text") : null],
  ];
  const ranked = (origin: number) => ([property, value]: readonly [string, string | null]) =>
    value === null ? [] : [withRank({ property, value, isImportant: false }, [origin, 0, 0])];
  return [...usual.flatMap(ranked(ORIGINS.browser)), ...attributes.flatMap(ranked(ORIGINS.attribute))];
}

function variablesOf(declared: readonly RankedDeclaration[], inherited: Properties): Properties {
  const own = declared.filter(({ property }) => property.startsWith("--"));
  if (own.length === 0) return inherited;
  return new Map([...inherited, ...own.map(({ property, value }) => [property, value] as const)]);
}

/** Variables in variables. */
const MAX_DEPTH = 8;
const MAX_VALUE = 1_000;

/** Undefined where a variable has no value: the declaration is none then. */
function withVariables(value: string, variables: Properties): string | undefined {
  let text = value;
  for (let depth = 0; text.includes("var("); depth++) {
    if (depth === MAX_DEPTH || text.length > MAX_VALUE) return undefined;
    text = text.replaceAll(
      /var\(\s*(--[^\s,()]+)\s*(?:,([^()]*(?:\([^()]*\)[^()]*)*))?\)/g,
      (_, name: string, fallback: string | undefined) => variables.get(name) ?? fallback ?? "\0",
    );
    if (text.includes("\0")) return undefined;
  }
  return text;
}

interface Inherited {
  readonly parent: TextStyle;
  readonly variables: Properties;
}

function textStyle(properties: Properties, { parent, variables }: Inherited): TextStyle {
  const visibility = properties.get("visibility")?.toLowerCase();
  const isVisible = visibility === "visible" || visibility === "initial" ||
    (visibility !== "hidden" && visibility !== "collapse" && parent.isVisible);
  const fontPx = fontSize(properties, parent);
  const color = textColor(properties, parent);
  const ground = groundOf(properties, { parent, color });
  const basis = { em: fontPx, whole: WINDOW.width };
  return {
    fontPx,
    color,
    ground,
    opacity: parent.opacity * opacityOf(properties),
    indentPx: lengthOf(properties.get("text-indent")?.split(/\s/)[0], basis) ?? parent.indentPx,
    isVisible,
    isGroundInText: parent.isGroundInText || /\btext\b/.test(properties.get("background-clip") ?? ""),
    variables,
  };
}

const fontWords: ReadonlyMap<string, number> = new Map([
  ["xx-small", 9],
  ["x-small", 10],
  ["small", 13],
  ["medium", 16],
  ["initial", 16],
  ["large", 18],
  ["x-large", 24],
  ["xx-large", 32],
  ["xxx-large", 48],
]);

/** Pixels. The size in `font` stands before a slash, or has a unit, or is nothing. */
function fontSize(properties: Properties, { fontPx }: TextStyle): number {
  const short = properties.get("font")?.split(/\s+/).map((part) => part.split("/")[0] ?? "")
    .find((part) => part === "0" || /^[\d.]+(?:[a-z]+|%)$/i.test(part));
  const value = (properties.get("font-size") ?? short ?? "").toLowerCase();
  const word = fontWords.get(value);
  if (word !== undefined) return word;
  if (value === "smaller") return fontPx / 1.2;
  if (value === "larger") return fontPx * 1.2;
  const px = lengthOf(value, { em: fontPx, whole: fontPx }) ?? fontPx;
  const zoom = Number(properties.get("zoom") ?? 1);
  return zoom > 0 && zoom < 1 ? px * zoom : px;
}

function textColor(properties: Properties, { color }: TextStyle): Color {
  for (const property of ["text-fill-color", "color"]) {
    const value = properties.get(property)?.toLowerCase();
    if (value === undefined || value === "currentcolor" || value === "inherit" || value === "unset") continue;
    if (value === "initial") return black;
    const own = colorOf(value);
    if (own !== undefined) return own;
  }
  return color;
}

interface Ground {
  readonly parent: TextStyle;
  readonly color: Color;
}

function groundOf(properties: Properties, { parent, color }: Ground): Color | undefined {
  const short = properties.get("background") ?? "";
  const image = `${short} ${properties.get("background-image") ?? ""}`;
  if (/\b(?:url|[a-z-]*gradient|image-set|element|cross-fade|paint)\(/i.test(image)) return undefined;
  const value = properties.get("background-color") ?? (colorWithin(short) ?? "");
  const own = value.toLowerCase() === "currentcolor" ? color : colorOf(value);
  if (own === undefined || own.alpha === 0) return parent.ground;
  return own.alpha === 1 ? own : parent.ground && over(own, parent.ground);
}

/** Of a `background`, which has positions and words besides. */
const colorWithin = (short: string): string | undefined =>
  (short.match(/#[\da-f]+|[a-z-]+\([^()]*\)|[a-z]+/gi) ?? []).find((part) => colorOf(part) !== undefined);

function opacityOf(properties: Properties): number {
  const own = partOf(properties.get("opacity"));
  const filtered = partOf(/\bopacity\(\s*([^()]*?)\s*\)/i.exec(properties.get("filter") ?? "")?.[1]);
  return own * filtered;
}

/** A number from 0 to 1, or a percentage. */
function partOf(value: string | undefined): number {
  const number = parseFloat(value ?? "1");
  if (Number.isNaN(number)) return 1;
  return Math.min(1, Math.max(0, value?.trim().endsWith("%") ? number / 100 : number));
}

interface Judged {
  readonly properties: Properties;
  readonly text: TextStyle;
}

/** A page may wait for its scripts before it shows anything. */
const isFrame = ({ localName }: Element): boolean => localName === "html" || localName === "body";

function isElementGone(element: Element, { properties, text }: Judged): boolean {
  if (isFrame(element)) return false;
  return properties.get("display")?.toLowerCase() === "none" ||
    properties.get("content-visibility")?.toLowerCase() === "hidden" ||
    text.opacity <= LEAST_OPACITY || placeHides(properties, text.fontPx) ||
    (element.localName === "img" && isDot(properties));
}

/** Pixels of a picture that nobody notices: what describes it would be read by the model alone. */
const DOT_PX = 1;

const isDot = (properties: Properties): boolean =>
  ["width", "height"].some((side) =>
    (lengthOf(properties.get(side), { em: startStyle.fontPx, whole: WINDOW.width }) ?? Infinity) <= DOT_PX
  );
