/** Makes declarations of elements and attributes, as browsers do. */

import { LEVELS, ranked, type RankedDeclaration } from "./css/cascade.ts";
import { drawingOf } from "./drawn_text.ts";
import { noLayer } from "./css/layers.ts";

type Pair = readonly [name: string, value: string];

const usualStyles: ReadonlyMap<string, readonly Pair[]> = new Map([
  ["mark", [["background-color", "mark"], ["color", "marktext"]]],
  ["button", [["background-color", "buttonface"], ["color", "buttontext"]]],
  ["select", [["background-color", "field"], ["color", "fieldtext"]]],
  ["textarea", [["background-color", "field"], ["color", "fieldtext"]]],
]);

export function presentationalHints(element: Element): readonly RankedDeclaration[] {
  const tag = element.localName;
  const isPicture = tag === "img" || tag === "svg";
  const usual: readonly Pair[] = [
    ...element.hasAttribute("hidden") || element.hasAttribute("popover")
      ? [["display", "none"]] as const
      : [],
    ...tag === "a" && element.hasAttribute("href") ? [["color", "linktext"]] as const : [],
    ...usualStyles.get(tag) ?? [],
  ];
  const attributes: readonly (readonly [name: string, value: string | null])[] = [
    ["background-color", colorIn(element.getAttribute("bgcolor"))],
    ["width", isPicture ? pixelsOf(element.getAttribute("width")) : null],
    ["height", isPicture ? pixelsOf(element.getAttribute("height")) : null],
    ["color", tag === "font" ? colorIn(element.getAttribute("color")) : null],
    ["color", tag === "body" ? colorIn(element.getAttribute("text")) : null],
    ...drawingOf(element) === undefined ? [] : drawn.map((name) =>
      [
        name,
        name === "font-size" ? pixelsOf(element.getAttribute(name)) : element.getAttribute(name),
      ] as const
    ),
  ];
  return [
    ...usual.map(atLevel(LEVELS.browser)),
    ...attributes.flatMap(([name, value]) => value === null ? [] : atLevel(LEVELS.attribute)([name, value])),
  ];
}

/** Attributes of SVG that are properties. */
const drawn = ["fill", "fill-opacity", "stroke", "opacity", "display", "visibility", "font-size"] as const;

const atLevel = (level: number) => ([name, value]: Pair): RankedDeclaration =>
  ranked({ name, value, isImportant: false }, {
    rank: { level, layer: noLayer, specificity: 0, place: 0 },
  });

const pixelsOf = (attribute: string | null): string | null =>
  attribute !== null && /^\s*\d+\s*$/.test(attribute) ? `${attribute.trim()}px` : attribute;

/** A colour without its sign is one in HTML. */
function colorIn(attribute: string | null): string | null {
  const text = attribute?.trim() ?? "";
  if (attribute === null || text.startsWith("#")) return attribute;
  return /^[\da-f]{3}$|^[\da-f]{6}$/i.test(text) ? `#${text}` : text;
}
