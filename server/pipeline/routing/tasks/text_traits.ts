/** Traits of a text that are no words: how long it is, how much of it is code, figures, tables or formulas. */

const lengthTraits = [
  "under 20 chars",
  "under 60 chars",
  "under 160 chars",
  "under 400 chars",
  "under 1200 chars",
  "longer",
] as const;
const contentTraits = [
  "lines",
  "many lines",
  "question at the end",
  "question in the first line",
  "code fence",
  "code lines",
  "mostly code lines",
  "places in files",
  "table rows",
  "many table rows",
  "list items",
  "some digits",
  "many digits",
  "mostly digits",
  "arithmetic",
  "much arithmetic",
  "formula",
  "at signs",
  "address",
  "quotes",
  "colon before text",
  "braces",
  "ideographs",
  "dialogue marks",
  "choices",
  "docstring",
] as const;
type LengthTrait = (typeof lengthTraits)[number];
type ContentTrait = (typeof contentTraits)[number];

export const textTraits = [...lengthTraits, ...contentTraits] as const;

/** Numbers of characters by their kind. */
interface CharCounts {
  digits: number;
  arithmetic: number;
  ideographs: number;
  formulas: number;
  braces: number;
  quotes: number;
  atSigns: number;
  stars: number;
}

const formulaChars = "∫√∑∏≤≥≠±×÷∞∂πθλΔ²³∈∀∃→\\";
const quoteChars = '"“”„«»「」『』‚‘';
const charKinds = new Map<number, keyof CharCounts>([
  ...listChars("0123456789", "digits"),
  ...listChars("+=^/", "arithmetic"),
  ...listChars(formulaChars, "formulas"),
  ...listChars("{}<>", "braces"),
  ...listChars(quoteChars, "quotes"),
  ...listChars("@", "atSigns"),
  ...listChars("*", "stars"),
]);

function listChars(chars: string, kind: keyof CharCounts): readonly (readonly [number, keyof CharCounts])[] {
  return [...chars].map((char) => [char.charCodeAt(0), kind] as const);
}

function countChars(text: string): CharCounts {
  const counts: CharCounts = {
    digits: 0,
    arithmetic: 0,
    ideographs: 0,
    formulas: 0,
    braces: 0,
    quotes: 0,
    atSigns: 0,
    stars: 0,
  };
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 97 && unit <= 122 || unit === 32) continue;
    const kind = unit >= 0x3040 && unit <= 0x9fff ? "ideographs" : charKinds.get(unit);
    if (kind !== undefined) counts[kind]++;
  }
  return counts;
}

interface LineCounts {
  lines: number;
  code: number;
  table: number;
  list: number;
  places: number;
}

const codeEnds: ReadonlySet<string> = new Set(["{", "}", ";", ")", "]", ">"]);
const codeStarts: readonly string[] = [
  "import ",
  "from ",
  "def ",
  "class ",
  "function ",
  "const ",
  "let ",
  "var ",
  "public ",
  "return ",
  "#include",
  "if (",
  "for (",
  "func ",
  "fn ",
  "</",
  "<div",
  "$ ",
  "async ",
  "export ",
  "type ",
  "print(",
];

const startsLikeCode = (line: string): boolean => codeStarts.some((start) => line.startsWith(start));

const borders: ReadonlySet<number> = new Set([..."|\t,;"].map((char) => char.charCodeAt(0)));

/** A cell's border thrice, or twice with figures beside. */
function isTableRow(line: string): boolean {
  if (line.startsWith("|")) return true;
  if (line.length >= 200) return false;
  let cells = 0;
  let digits = 0;
  for (let at = 0; at < line.length; at++) {
    const unit = line.charCodeAt(at);
    if (unit >= 48 && unit <= 57) digits++;
    else if (unit < 128 && borders.has(unit)) cells++;
  }
  return cells >= 2 && digits * 8 > line.length;
}

const isPlace = (line: string): boolean =>
  line.startsWith("at ") || line.startsWith('File "') || line.includes(", line ") ||
  line.includes("Error:") ||
  line.includes("Exception");

const isListItem = (line: string): boolean =>
  line.startsWith("- ") || line.startsWith("* ") || line.startsWith("• ") ||
  line.charCodeAt(0) < 58 && line.charCodeAt(0) > 47 && (line.charAt(1) === "." || line.charAt(1) === ")");

function countLines(text: string): LineCounts {
  const counts: LineCounts = { lines: 0, code: 0, table: 0, list: 0, places: 0 };
  for (const whole of text.split("\n")) {
    const line = whole.trim();
    if (line === "") continue;
    counts.lines++;
    if (codeEnds.has(line.at(-1) ?? "") && line.length > 1 || startsLikeCode(line)) counts.code++;
    if (isTableRow(line)) counts.table++;
    if (isListItem(line)) counts.list++;
    if (isPlace(line)) counts.places++;
  }
  return counts;
}

function lengthTrait(length: number): LengthTrait {
  if (length < 20) return "under 20 chars";
  if (length < 60) return "under 60 chars";
  if (length < 160) return "under 160 chars";
  if (length < 400) return "under 400 chars";
  return length < 1_200 ? "under 1200 chars" : "longer";
}

/** Marks of the second and the third of several answers to choose from. */
const choiceMarks = ").:：、．".split("").flatMap((sign) =>
  [["B", "C"], ["b", "c"]].map((letters) => letters.map((letter) => letter + sign))
);

const hasChoices = (text: string): boolean =>
  choiceMarks.some((marks) => marks.every((mark) => text.includes(mark)));

const docstringSigns: readonly string[] = ['"""', "'''", "/**", ">>> ", "@param"];

const endsAsQuestion = (line: string): boolean => line.endsWith("?") || line.endsWith("？");

/** Traits of a text; `length` is that of the whole, of which `text` may be a part. */
export function textTraitsOf(text: string, length: number): readonly (typeof textTraits)[number][] {
  const trimmed = text.trim();
  const chars = countChars(trimmed);
  const lines = countLines(trimmed);
  const [first = ""] = trimmed.split("\n", 1);
  const share = (count: number) => count / Math.max(1, trimmed.length);
  const holds: Readonly<Record<ContentTrait, boolean>> = {
    lines: lines.lines > 1,
    "many lines": lines.lines > 7,
    "question at the end": endsAsQuestion(trimmed),
    "question in the first line": endsAsQuestion(first.trim()),
    "code fence": trimmed.includes("```"),
    "code lines": lines.code > 1,
    "mostly code lines": lines.code > 2 && 2 * lines.code > lines.lines,
    "places in files": lines.places > 0,
    "table rows": lines.table > 1,
    "many table rows": lines.table > 4,
    "list items": lines.list > 1,
    "some digits": share(chars.digits) > 0.02,
    "many digits": share(chars.digits) > 0.08,
    "mostly digits": share(chars.digits) > 0.2,
    arithmetic: chars.arithmetic > 0 && chars.digits > 0,
    "much arithmetic": share(chars.arithmetic) > 0.03 && chars.digits > 0,
    formula: chars.formulas > 0,
    "at signs": chars.atSigns > 0,
    address: trimmed.includes("://") || trimmed.includes("www."),
    quotes: chars.quotes > 1,
    "colon before text": first.length < 160 && (first.endsWith(":") || first.endsWith("：")),
    braces: chars.braces > 3,
    ideographs: chars.ideographs > 1,
    "dialogue marks": chars.stars > 1,
    choices: hasChoices(trimmed),
    docstring: docstringSigns.some((sign) => trimmed.includes(sign)),
  };
  return [lengthTrait(length), ...contentTraits.filter((trait) => holds[trait])];
}
