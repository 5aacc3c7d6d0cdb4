/** A document that has been parsed, and how a model is given it. */

import type { ContentPart, FilePart, ImagePart, TextPart } from "../../../protocols/canonical/item.ts";
import type { FileAnnotation } from "../../../../shared/chat/file_annotation.ts";

/** The engines that read documents, by the names that the metadata has for them. */
export type ParserEngine = "local" | "mistral-ocr" | "cloudflare-ai";

export interface ParsedText {
  readonly text: string;
  /** Pages, slides or sheets that the text is from; absent where there is no such thing. */
  readonly pages?: number;
  /** Says that the document goes on. */
  readonly cut?: string;
  /** Data URLs. */
  readonly images: readonly string[];
}

export interface ParsedDocument extends ParsedText {
  readonly name: string;
  /** SHA-256 of the document, as hexadecimal digits. */
  readonly hash: string;
  readonly engine: ParserEngine;
  /** Nothing was parsed: the client sent the text back, or the gateway had kept it. */
  readonly known?: "annotation" | "kept";
}

/** The text in the place of the file, headed by its name. */
function documentText({ name, text, pages, cut }: ParsedDocument, { cache }: FilePart): TextPart {
  const head = `<file name="${name}"${pages === undefined ? "" : ` pages="${pages}"`}>`;
  return {
    type: "text",
    text: [head, text, ...(cut === undefined ? [] : [`[${cut}]`]), "</file>"].join("\n"),
    cache,
  };
}

/** The parts in the place of the file. */
export function documentParts(
  document: ParsedDocument,
  { part, images }: { readonly part: FilePart; readonly images: readonly string[] },
): readonly ContentPart[] {
  const shown = images.map((url): ImagePart => ({ type: "image", url }));
  return [documentText(document, part), ...shown];
}

/** The document as an answer of Chat Completions tells of it. */
export const annotationOf = ({ hash, name, text, images }: ParsedDocument): FileAnnotation => ({
  type: "file",
  file: {
    hash,
    name,
    content: [
      { type: "text", text },
      ...images.map((url) => ({ type: "image_url" as const, image_url: { url } })),
    ],
  },
});
