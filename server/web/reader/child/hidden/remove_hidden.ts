/** Takes out of a page what its reader would not see, by its attributes and by the styles that stand in it. */

import { textOfDataUrl } from "./data_url.ts";
import { replaceDrawings } from "./drawn_text.ts";
import { darkStyle, isTextSeen, startStyle, styleOf, type TextStyle } from "./element_style.ts";
import { mediaHolds } from "./css/media_query.ts";
import { StyleSheet } from "./css/style_sheet.ts";

/** The styles that stand in a page, however long; those of other addresses are not fetched. */
export function pageStyles(document: Document): StyleSheet {
  const sheet = new StyleSheet();
  for (const element of document.querySelectorAll("style, link[rel~=stylesheet i]")) {
    const css = element.localName === "style"
      ? element.textContent
      : textOfDataUrl(element.getAttribute("href") ?? "");
    if (css && isStyle(element)) sheet.add(css);
  }
  return sheet;
}

const isStyle = (element: Element): boolean =>
  /^(?:|text\/css)$/i.test(element.getAttribute("type") ?? "") &&
  !element.hasAttribute("disabled") && mediaHolds(element.getAttribute("media") ?? "");

const TEXT_NODE = 3;

const textsOf = (element: Element): readonly ChildNode[] =>
  [...element.childNodes].filter((node) => node.nodeType === TEXT_NODE && node.textContent?.trim() !== "");

/** Never part of what a reader sees, or shown only where something else fails. */
const UNSEEN = [
  ...[
    "script",
    "style",
    "link",
    "noscript",
    "template",
    "iframe",
    "object",
    "embed",
    "canvas",
    "video",
    "audio",
  ],
  ...["datalist", "dialog:not([open])", "noembed", "noframes", "annotation", "annotation-xml"],
].join(", ");

/** Whether there was a text to take out. */
export function removeHidden(document: Document, sheet: StyleSheet): boolean {
  // Selectors go by what stands beside an element: nothing is changed before all is judged.
  const hidden = hiddenNodes(document, sheet);
  for (const element of document.querySelectorAll(UNSEEN)) element.remove();
  const hadText = hidden.some((node) => node.textContent?.trim() !== "" && node.isConnected);
  for (const node of hidden) node.remove();
  replaceDrawings(document);
  // What looks for the article would judge by the first two alone; the third is seen by who points at it only.
  for (const element of document.querySelectorAll("[style], [hidden], [title]")) {
    for (const name of ["style", "hidden", "title"]) element.removeAttribute(name);
  }
  return hadText;
}

/** Elements of which nothing is seen, and single texts. */
function hiddenNodes(document: Document, sheet: StyleSheet): readonly ChildNode[] {
  const hidden: ChildNode[] = [];
  const open: { readonly element: Element; readonly parent: TextStyle }[] = [
    { element: document.documentElement, parent: startOf(document, sheet) },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { element, parent } = next;
    if (element.matches(UNSEEN)) continue;
    const { text, isGone } = styleOf(element, { parent, sheet });
    if (isGone) {
      hidden.push(element);
      continue;
    }
    if (!isTextSeen(text)) { for (const unseen of textsOf(element)) hidden.push(unseen); }
    for (const child of element.children) open.push({ element: child, parent: text });
  }
  return hidden;
}

/** A page that takes a dark scheme only has a dark ground and light letters. */
function startOf(document: Document, sheet: StyleSheet): TextStyle {
  const meta = document.querySelector("meta[name=color-scheme i]")?.getAttribute("content") ?? "";
  const isDark = /\bdark\b/i.test(meta) && !/\blight\b/i.test(meta);
  const declared = styleOf(document.documentElement, {
    parent: isDark ? darkStyle : startStyle,
    sheet,
  });
  return declared.text.isDark ? darkStyle : startStyle;
}
