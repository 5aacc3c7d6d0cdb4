/** Texts of SVG: which of its elements have some, and whether they stand within the drawing. */

import { WINDOW } from "./css/css_length.ts";

const drawings = new WeakMap<Element, Element | false>();

/** The `svg` that an element is in or is; undefined for what is HTML. Asked from above to below. */
export function drawingOf(element: Element): Element | undefined {
  const known = drawings.get(element);
  if (known !== undefined) return known || undefined;
  const parent = element.parentElement;
  const outer = parent === null || parent.localName.toLowerCase() === "foreignobject"
    ? undefined
    : drawingOf(parent);
  const own = outer ?? (element.localName === "svg" ? element : undefined);
  drawings.set(element, own ?? false);
  return own;
}

/** Elements whose texts are shown; what else an `svg` has is described, referred to, or no text. */
const shown: ReadonlySet<string> = new Set([
  "svg",
  "g",
  "a",
  "switch",
  "text",
  "tspan",
  "textpath",
  "foreignobject",
]);

const LEAST_FONT_PX = 4;
/** Part of the drawing's size by which a text may stand beyond its edge. */
const MARGIN = 0.1;

/** Whether an element of a drawing is there for a reader. */
export function isInDrawing(element: Element, fontPx: number): boolean {
  const drawing = drawingOf(element);
  if (drawing === undefined || !shown.has(element.localName.toLowerCase())) return false;
  if (element.localName !== "text" && element.localName !== "tspan") return !isFlat(element);
  const [left = 0, top = 0, width = WINDOW.width, height = WINDOW.height] = boxOf(drawing);
  const pixels = numberOf(drawing.getAttribute("width")) ?? WINDOW.width;
  const isScaled = drawing.hasAttribute("viewbox");
  if (isScaled && fontPx * pixels / width < LEAST_FONT_PX) return false;
  const { x, y } = placeOf(element, drawing);
  return !isFlat(element) && isNear(x, { from: left, size: width }) && isNear(y, { from: top, size: height });
}

function boxOf(drawing: Element): readonly number[] {
  const box = drawing.getAttribute("viewbox");
  return box?.trim().split(/[\s,]+/).map(Number) ?? [];
}

const numberOf = (text: string | null): number | undefined => {
  const number = parseFloat(text ?? "");
  return Number.isNaN(number) || text?.trim().endsWith("%") ? undefined : number;
};

const isNear = (place: number, { from, size }: { readonly from: number; readonly size: number }): boolean =>
  place >= from - size * MARGIN && place <= from + size * (1 + MARGIN);

/** By the attributes of the element and those around it. */
function placeOf(element: Element, drawing: Element): { readonly x: number; readonly y: number } {
  let x = 0;
  let y = 0;
  for (let one: Element | null = element; one !== null && one !== drawing; one = one.parentElement) {
    const [, across, along] =
      /translate\(\s*([-+.\de]+)[\s,]*([-+.\de]+)?/.exec(one.getAttribute("transform") ?? "") ?? [];
    x += (numberOf(across ?? null) ?? 0) + (one === element ? sumOf(one, ["x", "dx"]) : 0);
    y += (numberOf(along ?? null) ?? 0) + (one === element ? sumOf(one, ["y", "dy"]) : 0);
  }
  return { x, y };
}

const sumOf = (element: Element, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (numberOf(element.getAttribute(name)) ?? 0), 0);

const isFlat = (element: Element): boolean =>
  /scale\(\s*[-+]?0*\.?0*\s*[,)\s]/.test(element.getAttribute("transform") ?? "");

/** Texts in place of drawings, once what is hidden in them is gone. */
export function replaceDrawings(document: Document): void {
  for (const drawing of document.querySelectorAll("svg")) {
    if (drawing.parentElement?.closest("svg") !== null && drawing.parentElement !== null) continue;
    const texts = [...drawing.querySelectorAll("text, foreignObject")]
      .map((one) => one.textContent?.trim() ?? "").filter((text) => text !== "");
    const place = document.createElement("span");
    place.textContent = texts.length === 0 ? "" : ` ${texts.join(" ")} `;
    drawing.replaceWith(place);
  }
}
