/** Takes out of a page what its reader would not see, by its attributes and by the styles that stand in it. */

import { isTextSeen, startStyle, styleOf, type TextStyle } from "./element_style.ts";
import { mediaHolds } from "./media_query.ts";
import { StyleSheet } from "./style_sheet.ts";

/** The styles that stand in a page, however long; those of other addresses are not fetched. */
export function pageStyles(document: Document): StyleSheet {
  const sheet = new StyleSheet();
  for (const element of document.querySelectorAll("style")) {
    if (isStyle(element)) sheet.add(element.textContent ?? "");
  }
  return sheet;
}

const isStyle = (element: Element): boolean =>
  /^(?:|text\/css)$/i.test(element.getAttribute("type") ?? "") &&
  mediaHolds(element.getAttribute("media") ?? "");

const TEXT_NODE = 3;

const textsOf = (element: Element): readonly ChildNode[] =>
  [...element.childNodes].filter((node) => node.nodeType === TEXT_NODE && node.textContent?.trim() !== "");

/** Whether there was a text to take out. */
export function removeHidden(document: Document, sheet: StyleSheet): boolean {
  const open: { readonly element: Element; readonly parent: TextStyle }[] = [
    { element: document.documentElement, parent: startStyle },
  ];
  let hadText = false;
  const remove = (node: ChildNode) => {
    hadText ||= node.textContent?.trim() !== "";
    node.remove();
  };
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { element, parent } = next;
    const { text, isGone } = styleOf(element, { parent, sheet });
    if (isGone) {
      remove(element);
      continue;
    }
    // What looks for the article would judge by the first two alone; the third is seen by who points at it only.
    for (const name of ["style", "hidden", "title"]) element.removeAttribute(name);
    if (!isTextSeen(text)) textsOf(element).forEach(remove);
    for (const child of element.children) open.push({ element: child, parent: text });
  }
  return hadText;
}
