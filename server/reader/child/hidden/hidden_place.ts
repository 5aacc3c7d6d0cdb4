/** Whether an element is where nobody looks: outside of the window, cut off, or of no size. */

import { lengthOf, WINDOW } from "./style_values.ts";

type Properties = ReadonlyMap<string, string>;

/** Pixels outside of the window, at its left or top, and at its right: pages are long, but not wide. */
const FAR_PX = 500;
const FAR_RIGHT_PX = 5_000;
/** Pixels, and parts of the usual size, that hold no letter. */
const NO_SIZE_PX = 1;
const NO_SCALE = 0.05;

export function placeHides(properties: Properties, em: number): boolean {
  return isMovedAway(properties, em) || isScaledAway(properties) || isClipped(properties, em) ||
    isSizeless(properties, em);
}

const wordOf = (properties: Properties, name: string): string => properties.get(name)?.toLowerCase() ?? "";

/** One to four values, from the top clockwise; what is missing is as the opposite side. */
function sidesOf(value: string) {
  const [top, right = top, bottom = top, left = right] = value.split(/\s+/).filter(Boolean);
  return { top, right, bottom, left };
}

const isPositioned = (properties: Properties): boolean =>
  /^(?:absolute|fixed|relative|sticky)$/.test(wordOf(properties, "position"));

function isMovedAway(properties: Properties, em: number): boolean {
  const horizontal = { em, whole: WINDOW.width };
  const vertical = { em, whole: WINDOW.height };
  const inset = sidesOf(wordOf(properties, "inset"));
  const margin = sidesOf(wordOf(properties, "margin"));
  const moves: (number | undefined)[] = [
    lengthOf(properties.get("margin-left") ?? margin.left, horizontal),
    lengthOf(properties.get("margin-top") ?? margin.top, vertical),
    ...translations(properties, em),
  ];
  if (isPositioned(properties)) {
    const toRight = lengthOf(properties.get("left") ?? inset.left, horizontal);
    if (toRight !== undefined && toRight > FAR_RIGHT_PX) return true;
    moves.push(
      toRight,
      lengthOf(properties.get("top") ?? inset.top, vertical),
      lengthOf(properties.get("right") ?? inset.right, horizontal),
      lengthOf(properties.get("bottom") ?? inset.bottom, vertical),
    );
  }
  return moves.some((px) => px !== undefined && px < -FAR_PX) ||
    translations(properties, em).some((px) => px !== undefined && px > FAR_RIGHT_PX);
}

/** Percentages are parts of the element's own size, which is not known. */
function translations(properties: Properties, em: number): readonly (number | undefined)[] {
  const parts = [
    ...wordOf(properties, "translate").split(/\s+/),
    ...[...wordOf(properties, "transform").matchAll(/translate(?:3d|x|y)?\(([^()]*)\)/g)]
      .flatMap(([, list = ""]) => list.split(",")),
  ];
  return parts.map((part) => lengthOf(part, { em, whole: 100 }));
}

function isScaledAway(properties: Properties): boolean {
  const scales = [...wordOf(properties, "transform").matchAll(/scale(?:3d|x|y)?\(([^()]*)\)/g)]
    .flatMap(([, list = ""]) => list.split(","));
  const matrix = /matrix\(([^()]*)\)/.exec(wordOf(properties, "transform"))?.[1]?.split(",");
  const all = [...scales, ...wordOf(properties, "scale").split(/\s+/)].filter((part) => part.trim() !== "");
  if (matrix !== undefined && Number(matrix[0]) === 0 && Number(matrix[1]) === 0) return true;
  return all.some((part) => {
    const scale = parseFloat(part) / (part.trim().endsWith("%") ? 100 : 1);
    return Math.abs(scale) <= NO_SCALE;
  });
}

function isClipped(properties: Properties, em: number): boolean {
  const rect = /^rect\(([^()]*)\)$/.exec(wordOf(properties, "clip"))?.[1];
  if (rect !== undefined && /^(?:absolute|fixed)$/.test(wordOf(properties, "position"))) {
    const [top, right, bottom, left] = rect.split(/[\s,]+/).filter(Boolean)
      .map((side) => lengthOf(side, { em, whole: WINDOW.width }));
    if (isThin(top, bottom) || isThin(left, right)) return true;
  }
  const [, shape, list = ""] = /^([a-z]+)\(([^()]*)\)/.exec(wordOf(properties, "clip-path").trim()) ?? [];
  switch (shape) {
    case "inset":
      return insetHides(list, em);
    case "circle":
    case "ellipse":
      return list.split(/\sat\s/)[0]?.trim().split(/\s+/).some((radius) =>
        (lengthOf(radius, { em, whole: WINDOW.height }) ?? Infinity) <= NO_SIZE_PX
      ) ?? false;
    case "polygon":
      return new Set(list.split(",").map((point) => point.trim().replaceAll(/\b0[a-z%]+/g, "0"))).size < 3;
    case "rect":
    case "xywh":
      return /^\s*(?:0\S*\s+){3}0/.test(list);
    default:
      return false;
  }
}

const isThin = (from: number | undefined, to: number | undefined): boolean =>
  from !== undefined && to !== undefined && to - from <= NO_SIZE_PX;

/** Of a box of this height and width, in pixels, which is about that of a paragraph. */
const BOX_PX = 1_000;

function insetHides(list: string, em: number): boolean {
  const sides = list.split(/\sround\s/)[0]?.trim().split(/\s+/)
    .map((side) => lengthOf(side, { em, whole: BOX_PX }) ?? 0) ?? [];
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

/** Of no height or width, and what is beyond is cut off. */
function isSizeless(properties: Properties, em: number): boolean {
  const overflow = ["overflow", "overflow-x", "overflow-y"].map((name) => wordOf(properties, name)).join(" ");
  if (!/\b(?:hidden|clip|scroll|auto)\b/.test(overflow)) return false;
  return (["height", "width"] as const).some((side) => {
    const basis = { em, whole: WINDOW[side] };
    const least = lengthOf(properties.get(`min-${side}`), basis) ?? 0;
    const sizes = [lengthOf(properties.get(side), basis), lengthOf(properties.get(`max-${side}`), basis)];
    if (least > NO_SIZE_PX || paddingOf(properties, { side, em }) >= ROOM_PX) return false;
    return sizes.some((px) => px !== undefined && px <= NO_SIZE_PX);
  });
}
