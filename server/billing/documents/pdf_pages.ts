/**
 * How many pages a PDF has, as far as its objects say so: those in the open, and those in compressed object streams.
 * What the document says of its own number of pages is believed only where it is more than what was found.
 */

import type { Work } from "../../../shared/util/run_work.ts";
import { eachMatch } from "./each_match.ts";
import type { PdfStreams } from "./pdf_streams.ts";

/** More than any document that a model could read. */
const MOST_PAGES = 100_000;
const HEAD_BYTES = 1_024;

/**
 * Number of pages of a PDF, read from `text`, a character for each byte; undefined where no page is found. Takes from
 * the budget of `streams`.
 */
export function* pdfPages(text: string, streams: PdfStreams): Work<number | undefined> {
  const pages = new Set<string>();
  let stated = Math.max(yield* countInTree(text), linearized(text));
  yield* addPages(pages, text);
  yield* streams.eachObject(text, function* ({ name, body }) {
    if (page.test(body)) pages.add(name);
    stated = Math.max(stated, yield* countInTree(body));
  });
  const most = Math.max(pages.size, stated);
  return most === 0 ? undefined : Math.min(most, MOST_PAGES);
}

const page = /\/Type[\s\0]{0,64}\/Page(?![A-Za-z])/;
/** A page, or how an object begins: its number, its generation, and a word. */
const pageOrObject = new RegExp(String.raw`(\d{1,10})[\s\0]{1,8}\d{1,5}[\s\0]{1,8}obj\b|${page.source}`, "g");

/** By the numbers of their objects: a later revision of a page has the number of the earlier. */
function* addPages(pages: Set<string>, text: string): Work<void> {
  let object: string | undefined;
  yield* eachMatch({ text, pattern: pageOrObject }, ({ group, index }) => {
    if (group === undefined) pages.add(object ?? `at ${index}`);
    object = group;
    return pages.size < MOST_PAGES;
  });
}

/** A dictionary of the tree lists its children, each of them some ten bytes. */
const DICTIONARY_BYTES = 32_768;
/** Dictionaries of the tree that are read: the root states the whole number, and stands anywhere among them. */
const MOST_DICTIONARIES = 100;

/** The tree of pages states its number of pages at its root, and smaller ones in its branches. */
function* countInTree(text: string): Work<number> {
  let most = 0;
  let read = 0;
  yield* eachMatch({ text, pattern: /\/Type[\s\0]{0,64}\/Pages\b/g }, function* ({ index }) {
    const before = text.slice(Math.max(0, index - DICTIONARY_BYTES), index);
    const after = text.slice(index, index + DICTIONARY_BYTES);
    const until = after.indexOf(">>");
    const dictionary = before.slice(before.lastIndexOf("<<")) +
      after.slice(0, until === -1 ? undefined : until);
    most = Math.max(most, Number(/\/Count[\s\0]{1,4}(\d{1,9})/.exec(dictionary)?.[1] ?? 0));
    yield;
    return ++read < MOST_DICTIONARIES;
  });
  return most;
}

/** A document made for reading while it loads states its number of pages at its beginning. */
function linearized(text: string): number {
  const head = text.slice(0, HEAD_BYTES);
  return head.includes("/Linearized") ? Number(/\/N[\s\0]{1,4}(\d{1,9})/.exec(head)?.[1] ?? 0) : 0;
}
