/** Words of a user's text for filling in a form: quotes, names, words, numbers, and what follows a name. */

const MAX_TEXT = 4_000;
const MAX_PHRASES = 40;

export interface PromptWords {
  /** The text, cut to a sensible length. */
  readonly text: string;
  /** Quoted phrases first, then capitalised ones, then the longer words; at least one. */
  readonly phrases: readonly string[];
  readonly numbers: readonly number[];
  /** Every run without white space, without the punctuation around it. */
  readonly tokens: readonly string[];
  /** Finds the words behind a name in the text (`city: Paris`, `city Paris`, `city = "New York"`). */
  readonly after: (name: string) => string | undefined;
  /** The next phrase in turn. */
  readonly next: () => string;
}

const stopWords = new Set(
  ("about after also and are can call could does for from have how into just like make more please should some " +
    "tell than that the them then there these they this tool use using was what when where which who why will " +
    "with would you your").split(" "),
);

/** `without`: words that are no material, such as the names of tools. */
export function extractPromptWords(whole: string, without: readonly string[] = []): PromptWords {
  const text = whole.slice(0, MAX_TEXT);
  const phrases = phrasesOf(text, new Set(without.map((word) => word.toLowerCase())));
  let turn = 0;
  return {
    text,
    phrases,
    numbers: [...text.matchAll(/(?<![\w.])-?\d{1,12}(\.\d{1,6})?(?![\w])/g)].map(([found]) => Number(found)),
    tokens: text.split(/\s+/).map(bare).filter((token) => token !== "").slice(0, 400),
    after: (name) => behind(text, name),
    next: () => phrases[turn++ % phrases.length] ?? "example",
  };
}

function phrasesOf(text: string, without: ReadonlySet<string>): readonly string[] {
  const quoted = [...text.matchAll(/["“`']([^"”`'\n]{1,80})["”`'](?!\w)/g)].map((found) => found[1] ?? "");
  const names = [...text.matchAll(/(?<!\w)\p{Lu}[\p{L}\p{N}]*( \p{Lu}[\p{L}\p{N}]*){0,4}/gu)];
  const inside = names.filter((found) => found.index > 0 && !/[.!?]\s*$/.test(text.slice(0, found.index)));
  const words = [...text.matchAll(/[\p{L}\p{N}_]{3,40}/gu)].map(([word]) => word);
  const kept = [...quoted, ...inside.map(([name]) => name), ...words]
    .map((phrase) => phrase.trim())
    .filter((phrase) =>
      phrase !== "" && !stopWords.has(phrase.toLowerCase()) && !without.has(phrase.toLowerCase())
    );
  const all = [...new Set(kept)].slice(0, MAX_PHRASES);
  return all.length > 0 ? all : ["example"];
}

/** A token without the punctuation around it. */
function bare(token: string): string {
  return token.replace(/^[("'“`\[{<]{1,8}/, "").replace(/[)"'”`\]}>.,;:!?]{1,8}$/, "");
}

/** Short names need a sign behind them: `a=2` is meant, the article in `a day` is not. */
function behind(text: string, name: string): string | undefined {
  const speech = name.replace(/[_-]+/g, " ").toLowerCase();
  if (speech === "") return undefined;
  const lower = text.toLowerCase();
  for (let at = lower.indexOf(speech); at >= 0; at = lower.indexOf(speech, at + 1)) {
    if (/[\p{L}\p{N}_]/u.test(lower.charAt(at - 1))) continue;
    const rest = text.slice(at + speech.length, at + speech.length + 120);
    const found = (speech.length < 3 ? signed : loose).exec(rest);
    const value = found?.[1] ?? found?.[2];
    if (value !== undefined && bare(value) !== "") return bare(value);
  }
  return undefined;
}

const signed = /^"?\s?[:=]\s?(?:["“'`]([^"”'`\n]+)["”'`]|(\S+))/;
const loose = /^"?(?:\s?[:=]|\sis|\sof|\sto)?\s{0,2}(?:["“'`]([^"”'`\n]+)["”'`]|(?<=[\s:=])(\S+))/;
