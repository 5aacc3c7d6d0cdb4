/** Values of styles as numbers. What depends on the place or on another value is not known. */

/** Pixels of a unit. A share of something is taken for one of 900 pixels. */
const units: ReadonlyMap<string, number> = new Map([
  ...Object.entries({ px: 1, pt: 4 / 3, pc: 16, in: 96, cm: 37.8, mm: 3.78, q: 0.945 }),
  ...Object.entries({ em: 16, rem: 16, ex: 8, ch: 8, lh: 20, rlh: 20, cap: 11, ic: 16, "%": 9 }),
  ...["vw", "vh", "vi", "vb", "vmin", "vmax"].flatMap((unit) =>
    ["", "d", "l", "s"].map((kind) => [`${kind}${unit}`, 9] as const)
  ),
]);

const NUMBER = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)([a-z]*|%)$/;

interface Quantity {
  readonly number: number;
  readonly unit: string;
}

export function quantityOf(value: string): Quantity | undefined {
  const [, number, unit] = NUMBER.exec(value) ?? [];
  return number === undefined || unit === undefined ? undefined : { number: Number(number), unit };
}

/** Pixels of a length or of a simple `calc()`. */
export function pixelsOf(value: string): number | undefined {
  if (value.startsWith("calc(")) return sumOf(value.slice("calc(".length).replaceAll(/[()]/g, " "));
  const quantity = quantityOf(value);
  if (quantity === undefined) return undefined;
  const { number, unit } = quantity;
  if (unit === "") return number === 0 ? 0 : undefined;
  const pixels = units.get(unit);
  return pixels === undefined ? undefined : number * pixels;
}

/** A share: 0.5 or 50%. */
export function shareOf(value: string): number | undefined {
  const plain = value.startsWith("calc(") && value.endsWith(")")
    ? value.slice("calc(".length, -1).trim()
    : value;
  const { number, unit } = quantityOf(plain) ?? { number: 0, unit: "none" };
  if (unit === "%") return number / 100;
  return unit === "" ? number : undefined;
}

/** From left to right, products before sums. */
function sumOf(written: string): number | undefined {
  let [total, term, sign, operator] = [0, 0, 1, "+"];
  for (const word of written.replaceAll(/[*/]/g, " $& ").split(" ").filter((part) => part !== "")) {
    if (/^[-+*/]$/.test(word)) {
      operator = word;
      continue;
    }
    const quantity = quantityOf(word);
    const unit = quantity?.unit === "" ? 1 : units.get(quantity?.unit ?? "");
    if (quantity === undefined || unit === undefined) return undefined;
    const number = quantity.number * unit;
    if (operator === "*") term *= number;
    else if (operator === "/") term /= number;
    else {
      total += sign * term;
      sign = operator === "-" ? -1 : 1;
      term = number;
    }
  }
  return total + sign * term;
}

interface StyleFunction {
  readonly name: string;
  readonly words: readonly string[];
}

/** Functions of a value, with `calc()` in them as what it begins with. */
export function functionsOf(value: string): readonly StyleFunction[] {
  return value.replaceAll("calc(", " ").split(")").flatMap((part) => {
    const at = part.indexOf("(");
    if (at === -1) return [];
    const words = part.slice(at + 1).split(/[ ,/]/).filter((word) => word !== "");
    return [{ name: part.slice(0, at).trim(), words }];
  });
}
