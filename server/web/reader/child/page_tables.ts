/** Tables in the form that Markdown has for them. */

/** Elements that a cell of Markdown cannot hold. */
const BLOCKS = "table, pre, ul, ol, dl, h1, h2, h3, h4, h5, h6, hr, blockquote";
const PARTS = "caption, thead, tbody, tfoot, tr, td, th";
/** Looks, by which a table would be given as HTML. */
const LOOKS = [
  "bgcolor",
  "bordercolor",
  "background",
  "cellpadding",
  "cellspacing",
  "align",
  "valign",
  "width",
];

/** Tables that lay a page out become blocks, one a cell; the others lose their looks. */
export function simplifyTables(document: Document): void {
  const layouts = [...document.querySelectorAll("table")].filter((table) => table.querySelector(BLOCKS));
  const isLayout = new Set<Element>(layouts);
  const parts = [...document.querySelectorAll(PARTS)].filter((part) => {
    const table = part.closest("table");
    return table !== null && isLayout.has(table);
  });
  for (const element of [...parts, ...layouts]) {
    const block = document.createElement("div");
    for (const child of [...element.childNodes]) block.append(child);
    element.replaceWith(block);
  }
  for (const element of document.querySelectorAll(`table, ${PARTS}`)) {
    for (const name of LOOKS) element.removeAttribute(name);
  }
}
