/** Addresses of the web within a text. */

/** Where the next address begins; -1 where none does. */
export function nextAddress(text: string, from: number): number {
  for (let at = text.indexOf("http", from); at !== -1; at = text.indexOf("http", at + 4)) {
    if (text.startsWith("https://", at) || text.startsWith("http://", at)) return at;
  }
  return -1;
}

const ENDS = /[\s<>"`\]|\\^{}]/;
/** Marks of the sentence in which an address stands. */
const TRAILING = /[.,;:!?'*_]/;

/** Round brackets belong to an address as far as they come in pairs. */
export function addressEnd(text: string, start: number): number {
  let end = start;
  let open = 0;
  for (; end < text.length; end++) {
    const letter = text.charAt(end);
    if (ENDS.test(letter)) break;
    if (letter === "(") open++;
    if (letter === ")" && --open < 0) break;
  }
  while (end > start && TRAILING.test(text.charAt(end - 1))) end--;
  return end;
}

/** The http and https addresses of a text, each once, in their order. */
export function addressesIn(text: string): readonly string[] {
  const found = new Set<string>();
  for (let at = nextAddress(text, 0); at !== -1;) {
    const end = addressEnd(text, at);
    const address = text.slice(at, end);
    if (URL.canParse(address)) found.add(address);
    at = nextAddress(text, end);
  }
  return [...found];
}
