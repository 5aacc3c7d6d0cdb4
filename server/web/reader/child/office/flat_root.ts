/** A document that is one file of XML instead of an archive. */

import { decodeText, labelsInDocument, latin1 } from "../../decode_text.ts";
import { MAX_TREE_BYTES } from "./package_parts.ts";
import { UnreadableDocument } from "./unreadable_document.ts";
import { parseXml, type XmlElement } from "./xml.ts";

const START_BYTES = 64;

/** The root element; undefined for an archive. Throws an UnreadableDocument where it is damaged, too much, or Office's. */
export function flatRoot(bytes: Uint8Array): XmlElement | undefined {
  if (!/^(?:\u00ef\u00bb\u00bf)?\s*</.test(latin1(bytes.subarray(0, START_BYTES)))) return undefined;
  if (bytes.length > MAX_TREE_BYTES) throw new UnreadableDocument("unpacks_too_large");
  const text = decodeText(bytes, { declared: labelsInDocument(bytes, "xml"), detect: () => "utf-8" });
  const root = text === undefined ? undefined : parseXml(text.trimStart());
  if (root?.name === "document" && root.attribute("office:mimetype") !== undefined) return root;
  throw new UnreadableDocument("old_office");
}
