/** Declarations of a `style` attribute, as browsers split them. The time that it takes grows with its length alone. */

export interface Declaration {
  /** In lower case, as is the value. */
  readonly name: string;
  /** Blanks are single, strings empty, and escapes characters. */
  readonly value: string;
  readonly isImportant: boolean;
}

/** Comments, strings and escapes as a whole; what ends at nothing ends with the text. */
const PIECE =
  /\/\*[^]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|\\(?:[\da-f]{1,6}[ \t\n\f\r]?|[^])|[;:()[\]{}]|[^\\"'/;:()[\]{}]+|[^]/gi;

const IMPORTANT = /! ?important$/;
const opening: ReadonlySet<string> = new Set("([{");
const closing: ReadonlySet<string> = new Set(")]}");

/** Lists them in their order, with those that no browser knows. */
export function declarationsOf(style: string): readonly Declaration[] {
  const declarations: Declaration[] = [];
  let depth = 0;
  let name: string | undefined;
  let written: string[] = [];
  const finish = () => {
    if (name !== undefined) declarations.push(declaration(name, shortened(written)));
    name = undefined;
    written = [];
  };
  for (const [piece] of style.matchAll(PIECE)) {
    if (opening.has(piece)) depth++;
    if (closing.has(piece)) depth = Math.max(0, depth - 1);
    if (piece === ";" && depth === 0) finish();
    else if (piece === ":" && depth === 0 && name === undefined) {
      name = shortened(written);
      written = [];
    } else written.push(meaningOf(piece));
  }
  finish();
  return declarations;
}

function declaration(name: string, written: string): Declaration {
  const isImportant = IMPORTANT.test(written);
  return {
    name,
    value: isImportant ? written.slice(0, written.lastIndexOf("!")).trim() : written,
    isImportant,
  };
}

const shortened = (pieces: readonly string[]): string =>
  pieces.join("").toLowerCase().replaceAll(/[ \t\n\f\r]+/g, " ").trim();

function meaningOf(piece: string): string {
  if (piece.startsWith("/*")) return " ";
  if (piece.startsWith('"') || piece.startsWith("'")) return '""';
  return piece.startsWith("\\") ? escaped(piece.slice(1)) : piece;
}

/** Decodes an escape: it stands for a letter of a name, whatever it would be without. */
function escaped(written: string): string {
  const isNumber = /^[\da-f]/i.test(written);
  const number = Number.parseInt(written, 16);
  const character = !isNumber ? written : number > 0x10ffff ? "\ufffd" : String.fromCodePoint(number);
  return /[^\w-]/.test(character) && character < "\x80" ? "_" : character;
}
