/**
 * How many pages a PDF has, as far as its objects say so: those in the open, and those in compressed object streams.
 * What the document says of its own number of pages is believed only where it is more than what was found.
 */

import { PdfStreams } from "./pdf_streams.ts";

/** More than any document that a model could read. */
const MOST_PAGES = 100_000;
const HEAD_BYTES = 1_024;

/** Of `text`, a character for each byte; undefined where no page is found. Takes from the budget of `streams`. */
export async function pdfPages(text: string, streams: PdfStreams): Promise<number | undefined> {
  const pages = new Set<string>();
  let stated = Math.max(countInTree(text), linearized(text));
  addPages(pages, text);
  for await (const objects of streams.objectsIn(text)) {
    for (const { name, body } of objects) {
      if (page.test(body)) pages.add(name);
      stated = Math.max(stated, countInTree(body));
    }
  }
  const most = Math.max(pages.size, stated);
  return most === 0 ? undefined : Math.min(most, MOST_PAGES);
}

const page = /\/Type[\s\0]{0,64}\/Page(?![A-Za-z])/;
/** A page, or how an object begins: its number, its generation, and a word. */
const pageOrObject = new RegExp(String.raw`(\d{1,10})[\s\0]{1,8}\d{1,5}[\s\0]{1,8}obj\b|${page.source}`, "g");

/** By the numbers of their objects: a later revision of a page has the number of the earlier. */
function addPages(pages: Set<string>, text: string): void {
  let object: string | undefined;
  for (const { 1: opened, index } of text.matchAll(pageOrObject)) {
    if (pages.size >= MOST_PAGES) return;
    if (opened === undefined) pages.add(object ?? `at ${index}`);
    object = opened;
  }
}

/** A dictionary of the tree lists its children, each of them some ten bytes. */
const DICTIONARY_BYTES = 32_768;
/** Dictionaries of the tree that are read: the root states the whole number, and stands anywhere among them. */
const MOST_DICTIONARIES = 100;

/** The tree of pages states its number of pages at its root, and smaller ones in its branches. */
function countInTree(text: string): number {
  let most = 0;
  let read = 0;
  for (const { index } of text.matchAll(/\/Type[\s\0]{0,64}\/Pages\b/g)) {
    if (read++ === MOST_DICTIONARIES) break;
    const before = text.slice(Math.max(0, index - DICTIONARY_BYTES), index);
    const after = text.slice(index, index + DICTIONARY_BYTES);
    const until = after.indexOf(">>");
    const dictionary = before.slice(before.lastIndexOf("<<")) +
      after.slice(0, until === -1 ? undefined : until);
    most = Math.max(most, Number(/\/Count[\s\0]{1,4}(\d{1,9})/.exec(dictionary)?.[1] ?? 0));
  }
  return most;
}

/** A document made for reading while it loads states its number of pages at its beginning. */
function linearized(text: string): number {
  const head = text.slice(0, HEAD_BYTES);
  return head.includes("/Linearized") ? Number(/\/N[\s\0]{1,4}(\d{1,9})/.exec(head)?.[1] ?? 0) : 0;
}
