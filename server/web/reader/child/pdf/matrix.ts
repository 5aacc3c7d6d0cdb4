/** Places on a page: what PDF.js says of them is checked here. */

/** As PDF writes it: `x' = a x + c y + e`, `y' = b x + d y + f`. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];
type Point = readonly [x: number, y: number];

export interface Box {
  readonly from: Point;
  readonly to: Point;
}

export const unit: Matrix = [1, 0, 0, 1, 0, 0];
const everywhere: Box = { from: [-Infinity, -Infinity], to: [Infinity, Infinity] };

/** The numbers of an array, or of one with numbered fields. */
function numbersOf(value: unknown): readonly number[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).filter((one) => typeof one === "number");
}

/** The unit for what is none. */
export function toMatrix(value: unknown): Matrix {
  const [a, b, c, d, e, f] = numbersOf(value);
  if (a === undefined || b === undefined || c === undefined) return unit;
  return d === undefined || e === undefined || f === undefined ? unit : [a, b, c, d, e, f];
}

/** Everywhere for what is none. */
export function toBox(value: unknown): Box {
  const [left, bottom, right, top] = numbersOf(value);
  if (left === undefined || bottom === undefined || right === undefined || top === undefined) {
    return everywhere;
  }
  return { from: [left, bottom], to: [right, top] };
}

/** First the second, then the first. */
export const multiply = (m: Matrix, n: Matrix): Matrix => [
  m[0] * n[0] + m[2] * n[1],
  m[1] * n[0] + m[3] * n[1],
  m[0] * n[2] + m[2] * n[3],
  m[1] * n[2] + m[3] * n[3],
  m[0] * n[4] + m[2] * n[5] + m[4],
  m[1] * n[4] + m[3] * n[5] + m[5],
];

export const apply = (m: Matrix, [x, y]: Point): Point => [
  m[0] * x + m[2] * y + m[4],
  m[1] * x + m[3] * y + m[5],
];

/** By which heights grow. */
export const scaleOf = (m: Matrix): number => Math.hypot(m[2], m[3]);

export const isIn = ([x, y]: Point, { from, to }: Box): boolean =>
  x >= from[0] && x <= to[0] && y >= from[1] && y <= to[1];

export function boxAround({ from, to }: Box, matrix: Matrix): Box {
  if (!Number.isFinite(from[0])) return everywhere;
  const corners = [from, to, [from[0], to[1]], [to[0], from[1]]] as const;
  const points = corners.map((corner) => apply(matrix, corner));
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  return { from: [Math.min(...xs), Math.min(...ys)], to: [Math.max(...xs), Math.max(...ys)] };
}
