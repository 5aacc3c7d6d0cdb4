/**
 * Texts in blocks that are encoded one by one, so that others can run in between. The time of a run of letters, signs or
 * spaces grows with its square, so longer runs are cut first: the count of such a run may differ by a token for each
 * {@link LONGEST_RUN} characters.
 */

const LONGEST_RUN = 128;
/** UTF-16 units: about a millisecond. */
const BLOCK = 8_192;

/** Found in one pass, lazily. */
export function* blocksOf(text: string): Generator<string> {
  let from = 0;
  let run = 0;
  let last: Kind = "digit";
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0;
    const kind = kindOf(code);
    const goesOn = kind === last && kind !== "digit";
    const isFull = at - from >= BLOCK && (startsWord(text, at) || at - from >= 2 * BLOCK);
    if (isFull || goesOn && run >= LONGEST_RUN) {
      yield text.slice(from, at);
      from = at;
      run = 0;
    }
    run = goesOn ? run + 1 : 1;
    last = kind;
    if (code > 0xffff) at += 1;
  }
  yield text.slice(from);
}

/** Kinds of characters that the encoding takes together in runs, of digits at most three. */
type Kind = "letter" | "space" | "sign" | "digit";

const kinds = new Map<number, Kind>();

function kindOf(code: number): Kind {
  const known = kinds.get(code);
  if (known !== undefined) return known;
  const char = String.fromCodePoint(code);
  const kind = /\p{N}/u.test(char)
    ? "digit"
    : /\s/.test(char)
    ? "space"
    : /[\p{L}\p{M}]/u.test(char)
    ? "letter"
    : "sign";
  if (kinds.size < 20_000) kinds.set(code, kind);
  return kind;
}

/** Where a word starts with one space: no token reaches over it. */
function startsWord(text: string, at: number): boolean {
  return text[at] === " " && /^[A-Za-z] [A-Za-z]$/.test(text.slice(at - 1, at + 2));
}
