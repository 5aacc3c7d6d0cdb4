/** The documents of a request: its files but pictures, sounds and videos, and files that only a provider has. */

import { contentParts } from "../../../protocols/canonical/content_parts.ts";
import type { ContentPart, FilePart, Item } from "../../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import { toDataUrl } from "../../../protocols/common/outbound/data_url.ts";
import { isDocument } from "../../routing/selection/file_requirements.ts";

export const hasDocument = ({ input }: Pick<ModelRequest, "input">): boolean =>
  input.some((item) => contentParts(item).some(isDocument));

/** Each part once, in the order in which they stand. */
export const documentsOf = ({ input }: Pick<ModelRequest, "input">): readonly FilePart[] => [
  ...new Set(input.flatMap(contentParts).filter(isDocument)),
];

/** Puts other parts in the place of documents. Items without one stay the same objects. */
export function replaceDocuments(
  request: ModelRequest,
  replaced: ReadonlyMap<FilePart, readonly ContentPart[]>,
): ModelRequest {
  if (replaced.size === 0) return request;
  const swap = (part: ContentPart) => isDocument(part) ? replaced.get(part) ?? [part] : [part];
  const input = request.input.map((item): Item => {
    if (!contentParts(item).some((part) => isDocument(part) && replaced.has(part))) return item;
    if (item.type === "message") return { ...item, parts: item.parts.flatMap(swap) };
    if (item.type === "result" && typeof item.output !== "string") {
      return { ...item, output: item.output.flatMap(swap) };
    }
    return item;
  });
  return { ...request, input };
}

const PDF_BASE64 = "JVBER";

/** Whether an engine for PDFs reads it, as far as can be told without fetching it. */
export function isPdf({ data, url, filename }: FilePart): boolean {
  if (data !== undefined) {
    const inside = toDataUrl(data, filename);
    return inside.startsWith("data:application/pdf") ||
      inside.slice(inside.indexOf(",") + 1).startsWith(PDF_BASE64);
  }
  return /\.pdf$/i.test(filename ?? URL.parse(url ?? "")?.pathname ?? "");
}
