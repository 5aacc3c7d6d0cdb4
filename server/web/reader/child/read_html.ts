/** From an HTML page to its text as Markdown. */

import { parseHTML } from "linkedom";
import { pageStyles, removeHidden } from "./hidden/remove_hidden.ts";
import { resolveAddresses } from "./page_addresses.ts";
import { type PageText, pageText } from "./main_part.ts";
import type { ReadDocument, ReadRequest, TextLack } from "../messages.ts";
import { decodeText, labelsInDocument } from "../decode_text.ts";
import { asDate, shownFact, withLack } from "../page_facts.ts";
import { readableText } from "../plain_text.ts";

/** Beyond these a page is taken as plain text: finding the article takes time by the square of its depth. */
const MAX_ELEMENTS = 50_000;
const MAX_DEPTH = 256;

const PICTURES = "img, picture, svg, canvas, video, object, embed";

export async function readHtml(
  bytes: Uint8Array,
  { url, charset, maxCharacters }: ReadRequest,
): Promise<ReadDocument> {
  const document = parsePage(await decodePage(bytes, charset));
  const title = document.querySelector("title")?.textContent?.trim();
  const published = publishedTime(document);
  const styles = pageStyles(document);
  const usualLack = lackOf(document);
  const lack = removeHidden(document, styles) ? "hidden" : usualLack;
  resolveAddresses(document, url);
  const page = isSimple(document) ? tryPageText(document) : undefined;
  const text = page?.markdown ?? plainText(document);
  return {
    ...withLack(readableText(text, { maxCharacters, isCut: false }), lack),
    title: shownFact(page?.title || title, 1_000),
    published: asDate(shownFact(page?.published ?? published, 100)),
    leftOut: page?.leftOut,
  };
}

/** Says why a page has no text. */
function lackOf(document: Document): TextLack {
  if (document.querySelector("script") !== null) return "scripts";
  return document.querySelector(PICTURES) === null ? "empty" : "pictures";
}

/** Tags that a page may leave out, and that the parser does not make up. */
const FRAME_TAGS = /<\/?(?:html|head|body)(?=[\s>])[^>]*>|<!doctype[^>]*>/gi;

/** All of the page is in the body, but for its title. */
function parsePage(html: string): Document {
  const content = html.replaceAll(FRAME_TAGS, "");
  const { document } = parseHTML(`<!doctype html><html><head></head><body>${content}</body></html>`);
  copyAttributes(html, { tag: "html", to: document.documentElement });
  copyAttributes(html, { tag: "body", to: document.body });
  for (const element of document.querySelectorAll("*")) lowerAttributes(element);
  const title = document.querySelector("title");
  if (title !== null) document.head.append(title);
  return document;
}

/** The parser leaves names as they are written; of two of a name the first counts. */
function lowerAttributes(element: Element): void {
  for (const { name, value } of [...element.attributes]) {
    const lower = name.toLowerCase();
    if (name === lower) continue;
    element.removeAttribute(name);
    if (!element.hasAttribute(lower)) element.setAttribute(lower, value);
  }
}

/** Copies the attributes of the first tag: styles may go by them. */
function copyAttributes(
  html: string,
  { tag, to }: { readonly tag: "html" | "body"; readonly to: Element },
): void {
  const attributes = new RegExp(`<${tag}(\\s[^>]*)>`, "i").exec(html)?.[1];
  if (attributes === undefined) return;
  const { document } = parseHTML(`<!doctype html><html><body><div${attributes}></div></body></html>`);
  for (const { name, value } of document.querySelector("div")?.attributes ?? []) to.setAttribute(name, value);
}

/** Telling an encoding by its bytes takes tables that load slowly. */
async function decodePage(bytes: Uint8Array, charset: string): Promise<string> {
  const declared = [charset, ...labelsInDocument(bytes, "html")];
  const text = decodeText(bytes, { declared });
  if (text !== undefined) return text;
  const { detectCharset } = await import("./detect_charset.ts");
  return decodeText(bytes, { declared, detect: detectCharset }) ?? "";
}

/** Whether its elements are few and not deep. */
function isSimple(document: Document): boolean {
  let elements = 0;
  let depth = 0;
  let node: Element | null = document.documentElement;
  while (node !== null) {
    elements++;
    if (elements > MAX_ELEMENTS || depth > MAX_DEPTH) return false;
    if (node.firstElementChild !== null) {
      node = node.firstElementChild;
      depth++;
      continue;
    }
    while (node !== null && node.nextElementSibling === null) {
      node = node.parentElement;
      depth--;
    }
    node = node?.nextElementSibling ?? null;
  }
  return true;
}

/** Undefined where the page has no text, or an odd form. */
function tryPageText(document: Document): PageText | undefined {
  const whole = document.body.innerHTML;
  try {
    const page = pageText(document);
    if (page.markdown !== "") return page;
  } catch (_error) {
    // Odd trees break the heuristics, or are too deep for the stack: their plain text is left.
  }
  document.body.innerHTML = whole;
  return undefined;
}

/** Stand within a line. */
const inline: ReadonlySet<string> = new Set(
  ("a abbr b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike strong sub " +
    "sup time tt u var wbr").split(" "),
);
const TEXT_NODE = 3;

/** Without a form, but for the ends of lines. */
function plainText(document: Document): string {
  const parts: string[] = [];
  const open: (Node | string)[] = [document.body];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === "string") parts.push(next);
    else if (next.nodeType === TEXT_NODE) parts.push(next.textContent ?? "");
    else {
      const end = inline.has(next.nodeName.toLowerCase()) ? "" : "\n";
      parts.push(end);
      open.push(end);
      for (const child of [...next.childNodes].reverse()) open.push(child);
    }
  }
  return parts.join("").replaceAll(/[^\S\n]+/g, " ").replaceAll(/ ?\n[\s]*/g, "\n").trim();
}

function publishedTime(document: Document): string | undefined {
  const meta = document.querySelector('meta[property="article:published_time"], meta[name="date"]');
  return meta?.getAttribute("content") ?? undefined;
}
