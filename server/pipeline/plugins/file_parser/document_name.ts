/** The name of a document, as the model and the client are told it. */

import { cutWhole } from "../../../../shared/util/text.ts";
import { visibleText } from "../../../../shared/util/visible_text.ts";
import type { FilePart } from "../../../protocols/canonical/item.ts";

const LONGEST = 200;

/** On one line; its own, else the end of its address. */
export function documentName({ filename, url }: Pick<FilePart, "filename" | "url">): string {
  const name = filename ?? lastSegment(url) ?? "";
  return cutWhole(visibleText(name).replaceAll(/[\s"<>]+/g, " ").trim(), LONGEST) || "file";
}

function lastSegment(url: string | undefined): string | undefined {
  const last = URL.parse(url ?? "")?.pathname.split("/").at(-1);
  if (!last) return undefined;
  try {
    return decodeURIComponent(last);
  } catch (_error) {
    // A per cent sign that begins nothing.
    return last;
  }
}
