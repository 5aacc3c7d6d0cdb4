/** Whether an element is where nobody looks: outside of the window, cut off, or of no size. */

import { lengthOf, numberOf, WINDOW } from "./css/css_length.ts";
import { wordsOf } from "./css/css_property.ts";
import { argumentsOf, splitAt, textOf, tokensOf } from "./css/css_tokens.ts";
import { angleIn } from "./css/plain_color.ts";

type Properties = ReadonlyMap<string, string>;

/** Pixels outside of the window, at its left or top, and at its right: pages are long, but not wide. */
const FAR_PX = 500;
const FAR_RIGHT_PX = 5_000;
/** Pixels, and parts of the usual size, that hold no letter. */
const NO_SIZE_PX = 1;
const NO_SCALE = 0.05;

interface PlaceInput {
  readonly em: number;
  /** The element around cuts off what is beyond it: by whole widths of it slides of a carousel are moved. */
  readonly isSlide: boolean;
}

export function placeHides(properties: Properties, input: PlaceInput): boolean {
  const { em } = input;
  return isMovedAway(properties, input) || isScaledAway(properties) || isTurnedAway(properties) ||
    isClipped(properties, em) || isSizeless(properties, em);
}

const wordOf = (properties: Properties, name: string): string => properties.get(name)?.toLowerCase() ?? "";

/** One to four values, from the top clockwise; what is missing is as the opposite side. */
function sidesOf(value: string) {
  const [top, right = top, bottom = top, left = right] = wordsOf(value);
  return { top, right, bottom, left };
}

const isPositioned = (properties: Properties): boolean =>
  /^(?:absolute|fixed|relative|sticky)$/.test(wordOf(properties, "position"));

function isMovedAway(properties: Properties, { em, isSlide }: PlaceInput): boolean {
  const inset = sidesOf(wordOf(properties, "inset"));
  const margin = sidesOf(wordOf(properties, "margin"));
  const isHeld = isPositioned(properties);
  const place = (name: "left" | "right" | "top" | "bottom") =>
    isHeld ? properties.get(name) ?? inset[name] : undefined;
  const across = [
    properties.get("margin-left") ?? margin.left,
    place("left"),
    place("right"),
  ];
  const along = [properties.get("margin-top") ?? margin.top, place("top"), place("bottom")];
  const isWhole = (value: string | undefined) => isSlide && /^-?[1-9]\d*00%$/.test(value?.trim() ?? "");
  const pixels = (values: readonly (string | undefined)[], whole: number) =>
    values.filter((value) => !isWhole(value)).map((value) => lengthOf(value, { em, whole }));
  const moved = [...pixels(across, WINDOW.width), ...pixels(along, WINDOW.height)];
  const shifted = pixels(translations(properties), 100);
  const toRight = [...pixels([place("left")], WINDOW.width), ...shifted];
  return [...moved, ...shifted].some((px) => px !== undefined && px < -FAR_PX) ||
    toRight.some((px) => px !== undefined && px > FAR_RIGHT_PX);
}

/** Functions of `transform`, each with what it is given. */
function transformsOf(properties: Properties): readonly (readonly [name: string, list: readonly string[]])[] {
  return wordsOf(wordOf(properties, "transform")).map((word) => {
    const tokens = tokensOf(word);
    const list = splitAt(argumentsOf(tokens, 0), "comma-token").map(textOf);
    return [tokens[0]?.text.slice(0, -1) ?? "", list] as const;
  });
}

/** Percentages are parts of the element's own size, which is not known. */
function translations(properties: Properties): readonly string[] {
  const functions = transformsOf(properties).flatMap(([name, list]) => {
    if (name === "matrix") return list.slice(4).map((part) => `${part}px`);
    return name.startsWith("translate") ? list : [];
  });
  return [...wordsOf(wordOf(properties, "translate")), ...functions];
}

function isScaledAway(properties: Properties): boolean {
  const transforms = transformsOf(properties);
  const scales = transforms.filter(([name]) => /^scale(?:3d|x|y)?$/.test(name)).flatMap(([, list]) => list);
  const isFlat = transforms.some(([name, list]) => {
    const [a = 1, b = 0, c = 0, d = 1] = list.map((part) => numberOf(part) ?? 1);
    return name === "matrix" && Math.abs(a * d - b * c) <= NO_SCALE * NO_SCALE;
  });
  return isFlat || [...scales, ...wordsOf(wordOf(properties, "scale"))].some((part) => {
    const scale = numberOf(part);
    return scale !== undefined && Math.abs(scale) <= NO_SCALE;
  });
}

/** Seen from the edge, or from behind without a back. */
function isTurnedAway(properties: Properties): boolean {
  const [cosines, isFlat] = turnsOf(properties);
  const hasBack = wordOf(properties, "backface-visibility") !== "hidden";
  return isFlat || cosines.some((cosine) => hasBack ? Math.abs(cosine) <= NO_SCALE : cosine <= NO_SCALE);
}

/** Around an axis that lies in the page; those around the other one turn a text and hide nothing. */
function turnsOf(properties: Properties): readonly [cosines: readonly number[], isFlat: boolean] {
  const cosines: number[] = [];
  let isFlat = false;
  const turn = (axis: readonly (string | undefined)[], angle: string | undefined) => {
    const [x = 0, y = 0] = axis.map((part) => numberOf(part) ?? 0);
    const degrees = angleIn(angle);
    if ((x !== 0 || y !== 0) && degrees !== undefined) cosines.push(Math.cos(degrees / 180 * Math.PI));
  };
  for (const [name, list] of transformsOf(properties)) {
    if (name === "rotatex") turn(["1", "0"], list[0]);
    if (name === "rotatey") turn(["0", "1"], list[0]);
    if (name === "rotate3d") turn(list, list[3]);
    const [a = 1, b = 0, , , c = 0, d = 1] = list.map((part) => numberOf(part) ?? 0);
    if (name === "matrix3d") isFlat ||= Math.abs(a * d - b * c) <= NO_SCALE * NO_SCALE;
  }
  const words = wordsOf(wordOf(properties, "rotate"));
  const angle = words.find((word) => angleIn(word) !== undefined && numberOf(word) === undefined);
  const axis = words.filter((word) => word !== angle);
  if (axis[0] === "x" || axis[0] === "y") turn(["1", "0"], angle);
  else turn(axis, angle);
  return [cosines, isFlat];
}

function isClipped(properties: Properties, em: number): boolean {
  const clip = shapeOf(wordOf(properties, "clip"));
  if (clip?.name === "rect" && /^(?:absolute|fixed)$/.test(wordOf(properties, "position"))) {
    const [top, right, bottom, left] = clip.words.map((side) => lengthOf(side, { em, whole: WINDOW.width }));
    if (isThin(top, bottom) || isThin(left, right)) return true;
  }
  const shape = wordsOf(wordOf(properties, "clip-path")).map(shapeOf).find((one) => one !== undefined);
  if (shape === undefined) return false;
  const { name, words, points } = shape;
  const numbers = words.map((word) => lengthOf(word, { em, whole: BOX_PX }));
  const [first, second, third, fourth] = numbers;
  switch (name) {
    case "inset":
      return insetHides(numbers);
    case "circle":
    case "ellipse":
      return numbers.some((radius) => radius !== undefined && radius <= NO_SIZE_PX);
    case "polygon":
      return [0, 1].some((axis) =>
        isLine(points.map((point) => lengthOf(point[axis], { em, whole: BOX_PX })))
      );
    case "rect":
      return isThin(first, third) || isThin(fourth, second);
    case "xywh":
      return isThin(0, third) || isThin(0, fourth);
    default:
      return false;
  }
}

/** A function, and its words up to where it says how it is placed or rounded. */
function shapeOf(text: string) {
  const tokens = tokensOf(text);
  if (tokens[0]?.type !== "function-token") return undefined;
  const list = argumentsOf(tokens, 0);
  const all = wordsOf(textOf(list).replaceAll(/,(?![^(]*\))/g, " "));
  const end = all.findIndex((word) => word === "at" || word === "round");
  return {
    name: tokens[0].text.slice(0, -1),
    words: end === -1 ? all : all.slice(0, end),
    points: splitAt(list, "comma-token").map((part) => wordsOf(textOf(part)))
      .filter(([word]) => word !== "nonzero" && word !== "evenodd"),
  };
}

const isThin = (from: number | undefined, to: number | undefined): boolean =>
  from !== undefined && to !== undefined && to - from <= NO_SIZE_PX;

function isLine(places: readonly (number | undefined)[]): boolean {
  const known = places.filter((place) => place !== undefined);
  return known.length === places.length && known.length > 0 &&
    Math.max(...known) - Math.min(...known) <= NO_SIZE_PX;
}

/** Height and width of a box in pixels, about those of a paragraph. */
const BOX_PX = 1_000;

function insetHides(sides: readonly (number | undefined)[]): boolean {
  const [top = 0, right = top, bottom = top, left = right] = sides;
  return top + bottom >= BOX_PX - NO_SIZE_PX || left + right >= BOX_PX - NO_SIZE_PX;
}

/** Pixels of padding in which a text may be seen. */
const ROOM_PX = 10;

/** Boxes that keep their proportions have no height, and a padding instead. */
function paddingOf(
  properties: Properties,
  { side, em }: { readonly side: "width" | "height"; readonly em: number },
) {
  const padding = sidesOf(wordOf(properties, "padding"));
  const [first, last] = side === "height" ? ["top", "bottom"] as const : ["left", "right"] as const;
  const px = (name: "top" | "bottom" | "left" | "right") =>
    lengthOf(properties.get(`padding-${name}`) ?? padding[name], { em, whole: WINDOW.width }) ?? 0;
  return px(first) + px(last);
}

/** True for a box of no height or width, of which what is beyond is cut off. */
function isSizeless(properties: Properties, em: number): boolean {
  const overflow = ["overflow", "overflow-x", "overflow-y"].map((name) => wordOf(properties, name)).join(" ");
  if (!/\b(?:hidden|clip|scroll|auto)\b/.test(overflow)) return false;
  return (["height", "width"] as const).some((side) => {
    const basis = { em, whole: WINDOW[side] };
    const least = lengthOf(properties.get(`min-${side}`), basis) ?? 0;
    const own = properties.get(side);
    const lines = side === "height" && own === undefined ? properties.get("line-height") : undefined;
    const sizes = [lengthOf(own ?? lines, basis), lengthOf(properties.get(`max-${side}`), basis)];
    if (least > NO_SIZE_PX || paddingOf(properties, { side, em }) >= ROOM_PX) return false;
    return sizes.some((px) => px !== undefined && px <= NO_SIZE_PX);
  });
}
