/** Names with wildcards: `vendor/*`. Never by regular expression, so that no pattern can be slow (SECURITY.md). */

/**
 * True when the pattern names the text; `*` stands for any text, also none. Two pointers: on a mismatch the last star
 * takes one character more, so the time is at most the product of the lengths.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let here = 0; here < text.length;) {
    if (pattern[at] === "*") {
      star = at++;
      resume = here;
    } else if (pattern[at] === text[here]) {
      at++;
      here++;
    } else if (star !== -1) {
      at = star + 1;
      here = ++resume;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}

interface Glob {
  readonly pattern: string;
  /** Texts between the stars. A text without one of them does not match, which is told at once. */
  readonly literals: readonly string[];
  /** Sum of the literals' lengths: a shorter text does not match. */
  readonly length: number;
}

/** Patterns that were made ready, and what they have said of names. */
export interface NamePatterns {
  readonly plain: ReadonlySet<string>;
  /** Beginnings of the patterns that end in their only star, `vendor/*`. */
  readonly prefixes: ReadonlySet<string>;
  readonly prefixLengths: readonly number[];
  readonly globs: readonly Glob[];
  readonly answers: Map<string, boolean>;
}

/** By their patterns: callers' rules are read again now and then, and their lists are mostly the same. */
const lists = new Map<string, NamePatterns>();
const MOST_LISTS = 1_000;
/** Most characters of all lists together: callers' own may be long. */
const MOST_CHARS = 4_000_000;
let keptChars = 0;
/** Most answers that are kept of each list. */
const MOST_ANSWERS = 10_000;

/** Lists that are asked for again, such as those of provider keys. */
const byArray = new WeakMap<readonly string[], NamePatterns>();

/** Capital letters make no difference. */
export function compilePatterns(patterns: readonly string[]): NamePatterns {
  const known = byArray.get(patterns);
  if (known !== undefined) return known;
  const compiled = compileText(patterns);
  byArray.set(patterns, compiled);
  return compiled;
}

function compileText(patterns: readonly string[]): NamePatterns {
  const key = JSON.stringify(patterns);
  const known = lists.get(key);
  if (known !== undefined) return known;
  const compiled = compileList(patterns);
  if (lists.size >= MOST_LISTS || keptChars + key.length > MOST_CHARS) {
    lists.clear();
    keptChars = 0;
  }
  lists.set(key, compiled);
  keptChars += key.length;
  return compiled;
}

function compileList(patterns: readonly string[]): NamePatterns {
  const small = patterns.map((pattern) => pattern.trim().toLowerCase());
  const isPrefix = (pattern: string) => pattern.indexOf("*") === pattern.length - 1;
  const withStars = small.filter((pattern) => pattern.includes("*"));
  const prefixes = new Set(withStars.filter(isPrefix).map((pattern) => pattern.slice(0, -1)));
  return {
    plain: new Set(small.filter((pattern) => !pattern.includes("*"))),
    prefixes,
    prefixLengths: [...new Set([...prefixes].map(({ length }) => length))],
    globs: withStars.filter((pattern) => !isPrefix(pattern)).map(toGlob),
    answers: new Map(),
  };
}

function toGlob(pattern: string): Glob {
  const literals = pattern.split("*").filter((literal) => literal !== "");
  return {
    pattern,
    // The longest one is the least likely.
    literals: literals.toSorted((one, other) => other.length - one.length),
    length: literals.reduce((sum, { length }) => sum + length, 0),
  };
}

/** `texts` are in small letters. Each is looked at once. */
export function matchesAny(patterns: NamePatterns, texts: Iterable<string>): boolean {
  for (const text of texts) if (matches(patterns, text)) return true;
  return false;
}

function matches(patterns: NamePatterns, text: string): boolean {
  const { plain, globs, answers } = patterns;
  if (plain.has(text)) return true;
  if (globs.length === 0) return startsWithAny(patterns, text);
  const known = answers.get(text);
  if (known !== undefined) return known;
  const answer = startsWithAny(patterns, text) || globs.some((glob) => isMatch(glob, text));
  if (answers.size >= MOST_ANSWERS) answers.clear();
  answers.set(text, answer);
  return answer;
}

const startsWithAny = ({ prefixes, prefixLengths }: NamePatterns, text: string): boolean =>
  prefixLengths.some((length) => length <= text.length && prefixes.has(text.slice(0, length)));

const isMatch = ({ pattern, literals, length }: Glob, text: string): boolean =>
  length <= text.length && literals.every((literal) => text.includes(literal)) && matchesGlob(pattern, text);
