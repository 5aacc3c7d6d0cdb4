/** The text of a Word paragraph as its reader sees it. */

import type { XmlElement } from "../xml.ts";
import type { WordStyle } from "./word_styles.ts";

export interface ParagraphContext {
  readonly styles: ReadonlyMap<string, WordStyle>;
  /** Addresses of links, by the ids of their relations. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Is told the text boxes that are fixed to the paragraph. */
  readonly onTextBox: (content: XmlElement) => void;
}

/** Deleted and moved text, instructions of fields, and what only the printer is told. */
const unseen: ReadonlySet<string> = new Set([
  "pPr",
  "rPr",
  "del",
  "delText",
  "moveFrom",
  "instrText",
  "fldData",
  "sdtPr",
  "rt",
  "annotationRef",
]);

export function paragraphText(element: XmlElement, context: ParagraphContext): string {
  return element.elements.map((child) => inlineText(child, context)).join("");
}

function inlineText(element: XmlElement, context: ParagraphContext): string {
  const { name } = element;
  if (unseen.has(name)) return "";
  switch (name) {
    case "t":
      return element.text;
    case "tab":
    case "ptab":
      return "\t";
    case "br":
    case "cr":
      return "\n";
    case "noBreakHyphen":
      return "-";
    case "r":
      return isHidden(element, context) ? "" : paragraphText(element, context);
    case "hyperlink":
      return linkText(element, context);
    case "footnoteReference":
    case "endnoteReference":
      return `[^${noteMark(element)}]`;
    case "AlternateContent":
      return paragraphText(element.find("Choice") ?? element.find("Fallback") ?? element, context);
    case "txbxContent":
      context.onTextBox(element);
      return "";
    default:
      return paragraphText(element, context);
  }
}

function isHidden(run: XmlElement, { styles }: ParagraphContext): boolean {
  const properties = run.find("rPr");
  if (properties?.find("vanish") !== undefined) return properties.flag("vanish");
  return styles.get(properties?.find("rStyle")?.attribute("w:val") ?? "")?.isHidden === true;
}

function linkText(element: XmlElement, context: ParagraphContext): string {
  const text = paragraphText(element, context);
  const address = context.addresses.get(element.attribute("r:id") ?? "");
  return address === undefined || text.trim() === "" ? text : `[${text}](${address})`;
}

/** The mark of a note in the text and before it: endnotes have numbers of their own. */
export const noteMark = (element: XmlElement): string =>
  `${element.name.startsWith("endnote") ? "e" : ""}${element.attribute("w:id") ?? ""}`;
