/** How many pages a PDF has, as far as its text says so without being decompressed. */

/** "%PDF" in base64. */
const PDF_BASE64 = "JVBER";
/** More than any document that a model could read. */
const MOST_PAGES = 100_000;
const HEAD_BYTES = 1_024;

/** Undefined for what is not a PDF, and for one whose objects are all compressed. */
export function pdfPages(base64: string): number | undefined {
  if (!base64.startsWith(PDF_BASE64)) return undefined;
  const text = decoded(base64);
  if (text === undefined) return undefined;
  const pages = countInTree(text) ?? pageObjects(text) ?? linearized(text);
  return pages === undefined ? undefined : Math.min(pages, MOST_PAGES);
}

/** A character for each byte. */
function decoded(base64: string): string | undefined {
  try {
    return atob(base64);
  } catch {
    // Not base64: its provider will say so.
    return undefined;
  }
}

/** A dictionary of the tree lists its children, each of them some ten bytes. */
const DICTIONARY_BYTES = 32_768;
/** Dictionaries of the tree that are read: the root states the whole number, and stands anywhere among them. */
const MOST_DICTIONARIES = 100;

/** The tree of pages states its number of pages at its root, and smaller ones in its branches. */
function countInTree(text: string): number | undefined {
  let most = 0;
  let read = 0;
  for (const { index } of text.matchAll(/\/Type\s{0,4}\/Pages\b/g)) {
    if (read++ === MOST_DICTIONARIES) break;
    const before = text.slice(Math.max(0, index - DICTIONARY_BYTES), index);
    const after = text.slice(index, index + DICTIONARY_BYTES);
    const until = after.indexOf(">>");
    const dictionary = before.slice(before.lastIndexOf("<<")) +
      after.slice(0, until === -1 ? undefined : until);
    const count = Number(/\/Count\s{1,4}(\d{1,9})/.exec(dictionary)?.[1] ?? 0);
    if (count > most) most = count;
  }
  return most > 0 ? most : undefined;
}

function pageObjects(text: string): number | undefined {
  let found = 0;
  for (const _ of text.matchAll(/\/Type\s{0,4}\/Page\b/g)) found++;
  return found > 0 ? found : undefined;
}

/** A document made for reading while it loads states its number of pages at its beginning. */
function linearized(text: string): number | undefined {
  const head = text.slice(0, HEAD_BYTES);
  const pages = head.includes("/Linearized") ? /\/N\s{1,4}(\d{1,9})/.exec(head)?.[1] : undefined;
  return pages === undefined ? undefined : Number(pages);
}
