/** Computes an element's style: whether it is there for a reader, and how its text looks. */

import { animationEnd } from "./animation.ts";
import { cascade, type Properties, type RankedDeclaration } from "./css/cascade.ts";
import { presentationalHints } from "./attribute_style.ts";
import { type ColorContext, colorOf, darkGround, isSeenOn, over } from "./css/css_color.ts";
import { black, type Color, white } from "./css/color.ts";
import { lengthOf, numberOf, WINDOW } from "./css/css_length.ts";
import { wordsOf } from "./css/css_property.ts";
import { endOf, textOf, tokensOf } from "./css/css_tokens.ts";
import { placeHides } from "./hidden_place.ts";
import { isMaskedAway } from "./hidden_mask.ts";
import { drawingOf, isInDrawing } from "./drawn_text.ts";
import { inlineDeclarations, type StyleSheet } from "./css/style_sheet.ts";
import { decorationShows } from "./text_decoration.ts";

/** Style that is inherited, and the ground below a text. */
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
  readonly variables: Properties;
  /** A shadow or an outline shows the letters, whatever their own colour. */
  readonly isDecorated: boolean;
  /** True where what is beyond the box is cut off or can be moved into it. */
  readonly isCut: boolean;
  readonly isDark: boolean;
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
  isDecorated: false,
  isCut: false,
  isDark: false,
};

/** Style of a page that asks for a dark ground. */
export const darkStyle: TextStyle = { ...startStyle, color: white, ground: darkGround, isDark: true };

/** Pixels below which nobody reads, and beyond which an indent leads out of sight. */
const LEAST_FONT_PX = 4;
const MOST_INDENT_PX = 500;
const LEAST_OPACITY = 0.05;

/** Whether a text of this style is seen. */
export function isTextSeen(
  { fontPx, color, ground, indentPx, isVisible, isGroundInText, isDecorated }: TextStyle,
): boolean {
  if (!isVisible || fontPx < LEAST_FONT_PX || Math.abs(indentPx) > MOST_INDENT_PX) return false;
  if (isGroundInText || isDecorated) return true;
  // Above a picture only a text that covers nothing is known to be unseen.
  return ground === undefined ? color.alpha > LEAST_OPACITY : isSeenOn(color, ground);
}

interface ElementStyle {
  readonly text: TextStyle;
  /** Neither it nor anything in it is seen. */
  readonly isGone: boolean;
}

interface StyleInput {
  readonly parent: TextStyle;
  readonly sheet: StyleSheet;
}

/** Where it is not known whether a declaration holds, an element must be seen with it and without. */
export function styleOf(element: Element, input: StyleInput): ElementStyle {
  const inline = element.getAttribute("style");
  const declared = [
    ...presentationalHints(element),
    ...input.sheet.declarationsOf(element),
    ...inline === null ? [] : inlineDeclarations(inline),
  ];
  const isMarked = element.getAttribute("aria-hidden") === "true" && !isFrame(element);
  if (isMarked) return { text: input.parent, isGone: true };
  if (declared.length === 0 && !isDrawing(element)) return { text: input.parent, isGone: false };
  const certain = declared.filter(({ isUncertain }) => !isUncertain);
  const style = styleBy(certain, { element, ...input });
  if (certain.length === declared.length || style.isGone) return style;
  const other = styleBy(declared, { element, ...input });
  return other.isGone || !isTextSeen(other.text) ? other : style;
}

function styleBy(
  declared: readonly RankedDeclaration[],
  { element, parent, sheet }: StyleInput & { readonly element: Element },
): ElementStyle {
  const attribute = (name: string) => element.getAttribute(name);
  const { initial } = sheet;
  const options = { inherited: parent.variables, initial, attribute };
  const usual = cascade(declared, options);
  const last = animationEnd(usual.properties, (name) => sheet.lastFrame(name));
  const { properties, variables } = last.length === 0 ? usual : cascade([...declared, ...last], options);
  const text = textStyle(properties, { element, parent, variables });
  return { text, isGone: isElementGone(element, { properties, text, parent }) };
}

interface Inherited {
  readonly element: Element;
  readonly parent: TextStyle;
  readonly variables: Properties;
}

function textStyle(properties: Properties, { element, parent, variables }: Inherited): TextStyle {
  const visibility = properties.get("visibility")?.toLowerCase();
  const isVisible = visibility === "visible" || visibility === "initial" ||
    (visibility !== "hidden" && visibility !== "collapse" && parent.isVisible);
  const fontPx = fontSize(properties, parent);
  const isDark = schemeOf(properties, parent);
  const context = { isDark, current: parent.color };
  const color = textColor(properties, { parent, context, isDrawn: isDrawing(element) });
  const ground = isDrawing(element)
    ? undefined
    : groundOf(properties, { parent, context: { isDark, current: color } });
  const basis = { em: fontPx, whole: WINDOW.width };
  const overflow = ["overflow", "overflow-x", "overflow-y"].map((name) => properties.get(name) ?? "").join(
    " ",
  );
  return {
    fontPx,
    color,
    ground,
    opacity: parent.opacity * opacityOf(properties),
    indentPx: indentOf(properties, basis) ?? parent.indentPx,
    isVisible,
    isGroundInText: parent.isGroundInText || /\btext\b/.test(properties.get("background-clip") ?? ""),
    variables,
    isDecorated: decorationShows(properties, {
      parent: parent.isDecorated,
      ground,
      current: color,
      isDark,
      em: fontPx,
    }),
    isCut: /\b(?:hidden|clip|scroll|auto)\b/i.test(overflow),
    isDark,
  };
}

const indentOf = (properties: Properties, basis: { readonly em: number; readonly whole: number }) =>
  properties.get("text-indent") === "initial"
    ? 0
    : wordsOf(properties.get("text-indent") ?? "").map((word) => lengthOf(word, basis))
      .find((px) => px !== undefined);

/** Light, where an element takes both. */
function schemeOf(properties: Properties, { isDark }: TextStyle): boolean {
  const scheme = properties.get("color-scheme")?.toLowerCase();
  return scheme === undefined ? isDark : /\bdark\b/.test(scheme) && !/\blight\b/.test(scheme);
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
  const basis = { em: fontPx, whole: fontPx };
  const short = wordsOf(properties.get("font") ?? "").map(sizeIn)
    .find((word) => fontWords.has(word.toLowerCase()) || lengthOf(word, basis) !== undefined);
  const value = (properties.get("font-size") ?? short ?? "").toLowerCase();
  const px = fontWords.get(value) ?? relativeSizes.get(value)?.(fontPx) ?? lengthOf(value, basis) ?? fontPx;
  const zoom = numberOf(properties.get("zoom")) ?? 1;
  return zoom > 0 && zoom < 1 ? Math.max(0, px) * zoom : Math.max(0, px);
}

const relativeSizes: ReadonlyMap<string, (px: number) => number> = new Map([
  ["smaller", (px: number) => px / 1.2],
  ["larger", (px: number) => px * 1.2],
]);

/** Reads the size before the slash. */
function sizeIn(word: string): string {
  const tokens = tokensOf(word);
  return textOf(tokens.slice(0, endOf(tokens, 0)));
}

interface ColorInput {
  readonly parent: TextStyle;
  readonly context: ColorContext;
  /** A text of SVG. */
  readonly isDrawn: boolean;
}

function textColor(properties: Properties, { parent, context, isDrawn }: ColorInput): Color {
  const names = isDrawn ? ["fill", "color"] : ["text-fill-color", "color"];
  for (const property of names) {
    const value = properties.get(property)?.toLowerCase();
    if (value === undefined || value === "currentcolor") continue;
    if (value === "initial") return context.isDark ? white : black;
    if (property === "fill" && value === "none") return { ...black, alpha: 0 };
    const own = colorOf(value, context);
    if (own !== undefined) return own;
  }
  return parent.color;
}

interface Ground {
  readonly parent: TextStyle;
  readonly context: ColorContext;
}

function groundOf(properties: Properties, { parent, context }: Ground): Color | undefined {
  const short = properties.get("background") ?? "";
  const image = `${short} ${properties.get("background-image") ?? ""}`;
  if (/\b(?:url|[a-z-]*gradient|image-set|element|cross-fade|paint)\(/i.test(image)) return undefined;
  const value = properties.get("background-color") ?? wordsOf(short.split(/,(?![^(]*\))/).at(-1) ?? "")
    .find((word) => colorOf(word, context) !== undefined) ??
    "";
  const own = colorOf(value, context);
  if (own === undefined || own.alpha === 0) return parent.ground;
  return own.alpha === 1 ? own : parent.ground && over(own, parent.ground);
}

function opacityOf(properties: Properties): number {
  const filter = properties.get("filter") ?? "";
  const filtered = wordsOf(filter).filter((word) => /^opacity\(/i.test(word))
    .map((word) => numberOf(wordsOf(word.slice(8, -1))[0]) ?? numberOf(word.slice(8, -1)) ?? 1);
  return [numberOf(properties.get("opacity")) ?? 1, ...filtered]
    .reduce((all, one) => all * Math.min(1, Math.max(0, one)), 1);
}

interface Judged {
  readonly properties: Properties;
  readonly text: TextStyle;
  readonly parent: TextStyle;
}

/** A page may wait for its scripts before it shows anything. */
const isFrame = ({ localName }: Element): boolean => localName === "html" || localName === "body";

const isDrawing = (element: Element): boolean => drawingOf(element) !== undefined;

function isElementGone(element: Element, { properties, text, parent }: Judged): boolean {
  if (isFrame(element)) return false;
  if (isDrawing(element) && !isInDrawing(element, text.fontPx)) return true;
  return properties.get("display")?.toLowerCase() === "none" ||
    properties.get("content-visibility")?.toLowerCase() === "hidden" ||
    text.opacity <= LEAST_OPACITY || isMaskedAway(properties, text) ||
    placeHides(properties, { em: text.fontPx, isSlide: parent.isCut }) ||
    ((element.localName === "img" || element.localName === "svg") && isDot(properties));
}

/** Pixels of a picture that nobody notices: what describes it would be read by the model alone. */
const DOT_PX = 1;

const isDot = (properties: Properties): boolean =>
  ["width", "height"].some((side) =>
    (lengthOf(properties.get(side), { em: startStyle.fontPx, whole: WINDOW.width }) ?? Infinity) <= DOT_PX
  );
