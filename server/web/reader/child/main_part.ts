/** How much of a page its text is made of: its main part where that has nearly all of it, else all but navigation. */

import { gfm } from "@joplin/turndown-plugin-gfm";
import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import TurndownService from "turndown";
import type { ReadDocument } from "../messages.ts";
import { simplifyTables } from "./page_tables.ts";

export interface PageText {
  readonly markdown: string;
  readonly title: string | undefined;
  readonly published: string | undefined;
  readonly leftOut: ReadDocument["leftOut"];
}

/** Share of the text outside navigation that the main part must have to be read alone. */
const MAIN_SHARE = 0.9;
/** Share of all text, and characters, below which the text outside navigation is not what the page is for. */
const LEAST_OUTSIDE = 0.25;
const LEAST_OUTSIDE_SIZE = 500;

/** Elements whose own `footer` and `header` belong to them, not to the page. */
const WITHIN = "article, aside, main, section, blockquote, figure, td, li, dd";
const NAVIGATION = "nav, footer, [role=navigation], [role=contentinfo], [role=banner], [role=search]";

/** Takes the page apart. Throws for trees that its libraries cannot walk. */
export function pageText(document: Document): PageText {
  simplifyTables(document);
  const all = textSize(document.body);
  const navigation = navigationOf(document);
  const outside = all - navigation.reduce((sum, element) => sum + textSize(element), 0);
  const isDropped = outside >= all * LEAST_OUTSIDE || outside >= LEAST_OUTSIDE_SIZE;
  if (isDropped) { for (const element of navigation) element.remove(); }
  const rest = document.body.innerHTML;
  const given = isDropped ? outside : all;
  const article = new Readability(document, { charThreshold: 200 }).parse();
  const facts = {
    title: article?.title?.trim() || undefined,
    published: article?.publishedTime || undefined,
  };
  const main = article?.content ? textSize(bodyOf(article.content)) : 0;
  if (article?.content && main >= given * MAIN_SHARE) {
    const leftOut = leftOutOf(main < given ? "beside_main" : "navigation", { given: main, all });
    return { markdown: toMarkdown(article.content), ...facts, leftOut };
  }
  return { markdown: toMarkdown(rest), ...facts, leftOut: leftOutOf("navigation", { given, all }) };
}

function leftOutOf(
  what: "beside_main" | "navigation",
  { given, all }: { readonly given: number; readonly all: number },
): ReadDocument["leftOut"] {
  return given >= all ? undefined : { what, percent: Math.ceil((1 - given / all) * 100) };
}

/** Lists the elements that the page itself declares to be navigation, each once. */
function navigationOf(document: Document): readonly Element[] {
  return [...document.querySelectorAll(NAVIGATION)].filter((element) =>
    element.parentElement?.closest(NAVIGATION) === null &&
    !(element.localName === "footer" && element.parentElement.closest(WITHIN) !== null)
  );
}

const TEXT_NODE = 3;

/** Characters that are not blank. */
function textSize(root: Element): number {
  let size = 0;
  const open: Node[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.nodeType === TEXT_NODE) size += node.textContent?.replaceAll(/\s+/g, "").length ?? 0;
    else for (const child of node.childNodes) open.push(child);
  }
  return size;
}

const bodyOf = (html: string): Element =>
  parseHTML(`<!doctype html><html><body>${html}</body></html>`).document.body;

function toMarkdown(html: string): string {
  const service = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
  });
  return service.use(gfm).turndown(html).trim();
}
