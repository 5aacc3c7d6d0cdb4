/** Where a text comes from → annotations in the words of our clients. */

import type { Annotation, JsonObject } from "../../canonical/item.ts";
import { citationSchema as citationSchema, type MessagesCitation } from "./response_schema.ts";

/** Undefined for what is no citation. */
export const parseCitation = (value: unknown): MessagesCitation | undefined =>
  citationSchema.safeParse(value).data;

/** Text of a block, as a stretch of the message's text in UTF-16 units. */
interface TextSpan {
  readonly from: number;
  readonly to: number;
}

/** A page of the web is cited by its address, a document of the request by its name and the place in it. */
export function toAnnotation(citation: MessagesCitation, { from, to }: TextSpan): Annotation {
  const url = citation.url ?? citation.source ?? "";
  if (/^https?:/.test(url)) {
    return {
      type: "url_citation",
      url,
      title: citation.title ?? "",
      start_index: from,
      end_index: to,
      ...(citation.cited_text ? { content: citation.cited_text } : {}),
    };
  }
  const index = citation.document_index ?? 0;
  return {
    type: "file_citation",
    file_id: citation.file_id ?? `document_${index}`,
    filename: citation.document_title ?? citation.title ?? url,
    index: to,
    ...placeOf(citation),
  };
}

const places = [
  "cited_text",
  "document_index",
  "start_char_index",
  "end_char_index",
  "start_page_number",
  "end_page_number",
  "start_block_index",
  "end_block_index",
] as const;

function placeOf(citation: MessagesCitation): JsonObject {
  return Object.fromEntries(places.flatMap((key) => citation[key] == null ? [] : [[key, citation[key]]]));
}
