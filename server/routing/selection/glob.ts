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

/** Patterns that were made ready: plain names are looked up, and only the others are walked through. */
export interface NamePatterns {
  readonly plain: ReadonlySet<string>;
  readonly globs: readonly string[];
}

/** Capital letters make no difference. */
export function compilePatterns(patterns: readonly string[]): NamePatterns {
  const small = patterns.map((pattern) => pattern.trim().toLowerCase());
  return {
    plain: new Set(small.filter((pattern) => !pattern.includes("*"))),
    globs: small.filter((pattern) => pattern.includes("*")),
  };
}

/** `texts` are in small letters. */
export function matchesAny({ plain, globs }: NamePatterns, texts: Iterable<string>): boolean {
  for (const text of texts) {
    if (plain.has(text) || globs.some((glob) => matchesGlob(glob, text))) return true;
  }
  return false;
}
