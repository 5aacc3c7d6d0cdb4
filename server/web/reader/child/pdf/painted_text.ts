/** The texts that a page of a PDF paints, in their order, and whether a person before it would see each. */

import { isSeenOn } from "../hidden/css/css_color.ts";
import { type Color, white } from "../hidden/css/color.ts";
import { parseColor } from "../hidden/css/plain_color.ts";
import {
  apply,
  type Box,
  boxAround,
  isIn,
  type Matrix,
  multiply,
  scaleOf,
  toBox,
  toMatrix,
  unit,
} from "./matrix.ts";

export interface PaintedText {
  readonly text: string;
  readonly startsLine: boolean;
  /** Painted so that nothing shows, as the text of a scan lies on its picture; or hidden in another way. */
  readonly hidden: "unpainted" | "covered" | undefined;
}

/** Operations of a page, by the numbers of PDF.js. */
interface Operators {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly unknown[];
}

interface PaintOptions {
  readonly operatorNumbers: Readonly<Record<string, number>>;
  readonly view: unknown;
  /** Pictures may lie under any text: colours say nothing then. */
  readonly hasPictures: boolean;
}

interface GraphicsState {
  readonly matrix: Matrix;
  /** Undefined for patterns. */
  readonly fill: Color | undefined;
  readonly alpha: number;
  readonly mode: number;
  readonly fontSize: number;
}

interface Ground {
  readonly box: Box;
  readonly color: Color | undefined;
}

/** Modes of painting in which a text leaves no mark, and in which its fill is seen. */
const UNPAINTED: ReadonlySet<number> = new Set([3, 7]);
const FILLED: ReadonlySet<number> = new Set([0, 4]);
/** Points below which nobody reads. */
const LEAST_POINTS = 2;
const LEAST_ALPHA = 0.05;

type Handler = (painter: PagePainter, args: readonly unknown[]) => void;

export function paintedTexts(
  { fnArray, argsArray }: Operators,
  options: PaintOptions,
): readonly PaintedText[] {
  const painter = new PagePainter(options);
  const named = Object.entries(handlers).map(([name, handler]) =>
    [options.operatorNumbers[name], handler] as const
  );
  const byNumber = new Map(named);
  fnArray.forEach((operator, index) => {
    const args = argsArray[index];
    byNumber.get(operator)?.(painter, Array.isArray(args) ? args : []);
  });
  return painter.texts;
}

const handlers: Readonly<Record<string, Handler>> = {
  save: (painter) => painter.save(),
  restore: (painter) => painter.restore(),
  transform: (painter, args) => painter.transform(toMatrix(args)),
  paintFormXObjectBegin: (painter, [matrix]) => {
    painter.save();
    painter.transform(toMatrix(matrix));
  },
  paintFormXObjectEnd: (painter) => painter.restore(),
  setFillRGBColor: (painter, [color]) => painter.set({ fill: parseColor(String(color), false) }),
  setFillColorN: (painter) => painter.set({ fill: undefined }),
  setFillTransparent: (painter) => painter.set({ fill: { ...white, alpha: 0 } }),
  setGState: (painter, [entries]) => painter.setGraphicsState(entries),
  setTextRenderingMode: (painter, [mode]) => painter.set({ mode: Number(mode) }),
  setFont: (painter, [, size]) => painter.set({ fontSize: Number(size) }),
  beginText: (painter) => painter.moveTo(unit),
  setTextMatrix: (painter, [matrix]) => painter.moveTo(toMatrix(matrix)),
  moveText: (painter, [x, y]) => painter.moveBy(Number(x), Number(y)),
  nextLine: (painter) => painter.moveBy(0, 0),
  showText: (painter, [glyphs]) => painter.show(Array.isArray(glyphs) ? glyphs : []),
  constructPath: (painter, [operator, , bounds]) => painter.paintPath(Number(operator), bounds),
  shadingFill: (painter) => painter.cover({ box: toBox(undefined), color: undefined }),
};

/** Operators that fill a path. */
const FILLS = [
  "fill",
  "eoFill",
  "fillStroke",
  "eoFillStroke",
  "closeFillStroke",
  "closeEOFillStroke",
] as const;

class PagePainter {
  readonly texts: PaintedText[] = [];
  readonly #options: PaintOptions;
  readonly #view: Box;
  readonly #fills: ReadonlySet<number | undefined>;
  readonly #saved: GraphicsState[] = [];
  readonly #grounds: Ground[] = [];
  #state: GraphicsState = {
    matrix: unit,
    fill: { ...white, r: 0, g: 0, b: 0 },
    alpha: 1,
    mode: 0,
    fontSize: 0,
  };
  #line: Matrix = unit;
  #text: Matrix = unit;
  #startsLine = false;

  constructor(options: PaintOptions) {
    this.#options = options;
    this.#view = toBox(options.view);
    this.#fills = new Set(FILLS.map((name) => options.operatorNumbers[name]));
  }

  save(): void {
    this.#saved.push(this.#state);
  }

  restore(): void {
    this.#state = this.#saved.pop() ?? this.#state;
  }

  set(changes: Partial<GraphicsState>): void {
    this.#state = { ...this.#state, ...changes };
  }

  transform(matrix: Matrix): void {
    this.set({ matrix: multiply(this.#state.matrix, matrix) });
  }

  setGraphicsState(entries: unknown): void {
    for (const entry of Array.isArray(entries) ? entries : []) {
      if (Array.isArray(entry) && entry[0] === "ca") this.set({ alpha: Number(entry[1]) });
    }
  }

  moveTo(matrix: Matrix): void {
    this.#line = matrix;
    this.#text = matrix;
    this.#startsLine = true;
  }

  moveBy(x: number, y: number): void {
    this.moveTo(multiply(this.#line, [1, 0, 0, 1, x, y]));
  }

  paintPath(operator: number, bounds: unknown): void {
    if (!this.#fills.has(operator)) return;
    const { matrix, fill, alpha } = this.#state;
    // What shines through mixes with what is below.
    const color = alpha < 1 ? undefined : fill;
    this.cover({ box: boxAround(toBox(bounds), matrix), color });
  }

  cover(ground: Ground): void {
    this.#grounds.push(ground);
  }

  show(glyphs: readonly unknown[]): void {
    let text = "";
    let width = 0;
    for (const glyph of glyphs) {
      if (typeof glyph === "number") width -= glyph;
      if (typeof glyph !== "object" || glyph === null) continue;
      if ("unicode" in glyph && typeof glyph.unicode === "string") text += glyph.unicode;
      if ("width" in glyph && typeof glyph.width === "number") width += glyph.width;
    }
    const hidden = this.#hidden();
    if (text !== "") this.texts.push({ text, startsLine: this.#startsLine, hidden });
    this.#startsLine = false;
    this.#text = multiply(this.#text, [1, 0, 0, 1, width / 1_000 * this.#state.fontSize, 0]);
  }

  #hidden(): PaintedText["hidden"] {
    const { matrix, fill, alpha, mode, fontSize } = this.#state;
    if (UNPAINTED.has(mode)) return "unpainted";
    const place = multiply(matrix, this.#text);
    const size = Math.abs(fontSize) * scaleOf(place);
    // A little above the line on which the letters stand.
    const point = apply(place, [fontSize / 4, fontSize / 4]);
    if (alpha <= LEAST_ALPHA || size < LEAST_POINTS || !isIn(point, this.#view)) return "covered";
    if (!FILLED.has(mode) || fill === undefined || this.#options.hasPictures) return undefined;
    const ground = this.#grounds.findLast(({ box }) => isIn(point, box));
    const color = ground === undefined ? white : ground.color;
    return color === undefined || isSeenOn(fill, color) ? undefined : "covered";
  }
}
