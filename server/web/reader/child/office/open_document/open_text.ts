/** The text of an OpenDocument paragraph as its reader sees it. */

import type { XmlElement } from "../xml.ts";
import { keyOf } from "./hidden_styles.ts";

export interface OpenContext {
  /** Families and names. */
  readonly hidden: ReadonlySet<string>;
  /** Is told a footnote or an endnote, and gives its mark. */
  readonly onNote: (body: XmlElement) => string;
  /** Is told a frame that is fixed to the paragraph. */
  readonly onFrame: (frame: XmlElement) => void;
}

const MAX_SPACES = 200;
const unseen: ReadonlySet<string> = new Set([
  "annotation",
  "annotation-end",
  "ruby-text",
  "bookmark",
  "title",
  "desc",
]);
const frames: ReadonlySet<string> = new Set(["frame", "custom-shape", "rect", "ellipse", "g"]);

/** Line breaks of the file are spaces. */
export function openText(element: XmlElement, context: OpenContext): string {
  return element.nodes.map((node) =>
    typeof node === "string" ? node.replaceAll(/[\t\n\r ]+/g, " ") : inlineText(node, context)
  ).join("");
}

function inlineText(element: XmlElement, context: OpenContext): string {
  const { name } = element;
  if (unseen.has(name)) return "";
  if (frames.has(name)) {
    context.onFrame(element);
    return "";
  }
  switch (name) {
    case "s":
      return " ".repeat(Math.min(MAX_SPACES, Number(element.attribute("text:c") ?? 1) || 1));
    case "tab":
      return "\t";
    case "line-break":
      return "\n";
    case "a":
      return linkText(element, context);
    case "note":
      return context.onNote(element.find("note-body") ?? element);
    case "hidden-text":
    case "hidden-paragraph":
      return "";
    default:
      return isHidden(element, context) ? "" : openText(element, context);
  }
}

export const isHidden = (element: XmlElement, { hidden }: Pick<OpenContext, "hidden">): boolean =>
  hidden.has(keyOf(element.name === "span" ? "text" : "paragraph", element.attribute("text:style-name")));

function linkText(element: XmlElement, context: OpenContext): string {
  const text = openText(element, context);
  const address = element.attribute("xlink:href") ?? "";
  return text.trim() === "" || !/^(?:https?|mailto):/.test(address) ? text : `[${text}](${address})`;
}
