/** The words by which keys are found: of the name, and the last characters of the label. */

/** Rows that a key has in the index of words. */
const MOST_WORDS = 8;
/** Longer words are cut: a prefix of so many characters finds enough. */
const MOST_CHARS = 40;
/** Most characters of the name in the index that sorts by it. */
const MOST_NAME_CHARS = 100;
/** Typed words that count. */
const MOST_TYPED = 8;

/** Upper and lower case, and forms of the same character, are one. */
const fold = (text: string): string => text.normalize("NFKC").toLowerCase();

const splitWords = (text: string): readonly string[] =>
  fold(text).split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "").map((word) => word.slice(0, MOST_CHARS));

/** By which lists are sorted. */
export const foldName = (name: string): string => fold(name).slice(0, MOST_NAME_CHARS);

interface NamedKey {
  readonly name: string;
  readonly label: string;
}

/** Eight words at most; the end of the label, `x4q` of `tg-api-...x4Q`, is always one. */
export function wordsOfKey({ name, label }: NamedKey): readonly string[] {
  const end = splitWords(label).at(-1);
  const words = new Set(splitWords(name));
  if (end === undefined) return [...words].slice(0, MOST_WORDS);
  words.delete(end);
  return [...[...words].slice(0, MOST_WORDS - 1), end];
}

export interface KeySearch {
  /** Each has to begin a word of the key. */
  readonly words: readonly string[];
  /** Beginning of a hash that the typed text may be. */
  readonly hashPrefix?: string;
}

/** Reads what is typed into a search; without any word it finds nothing. */
export function parseKeySearch(typed: string): KeySearch {
  // A label is shown with dots between its beginning, which all keys share, and its end.
  const words = splitWords(typed.replace(/^tg-api-(?:\.{3}|…)?/, "")).slice(0, MOST_TYPED);
  const [only, ...more] = words;
  const isHash = more.length === 0 && only !== undefined && /^[0-9a-f]{6,64}$/.test(fold(typed));
  return isHash ? { words, hashPrefix: fold(typed) } : { words };
}

/** Whether every typed word begins a word of the key. */
export function matchesSearch(key: NamedKey, words: readonly string[]): boolean {
  const own = wordsOfKey(key);
  return words.every((word) => own.some((one) => one.startsWith(word)));
}
