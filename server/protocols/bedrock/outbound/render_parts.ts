/** Content parts → blocks of a user's message or of a tool's result. */

import { ownValue } from "../../../../shared/util/own_value.ts";
import { splitDataUrl } from "../../canonical/data_url.ts";
import type { ContentPart, FilePart } from "../../canonical/item.ts";
import { toDataUrl } from "../../common/outbound/data_url.ts";
import {
  type ConverseBlock,
  renderCachePoint,
  renderTextBlock,
  type ReportDropped,
} from "./render_blocks.ts";

export function renderParts(parts: readonly ContentPart[], note: ReportDropped): readonly ConverseBlock[] {
  return parts.flatMap((part) => renderPart(part, note));
}

function renderPart(part: ContentPart, note: ReportDropped): readonly ConverseBlock[] {
  switch (part.type) {
    case "text":
      return renderTextBlock(part.text, part.cache);
    case "refusal":
      return renderTextBlock(part.text);
    case "foreign":
      return renderTextBlock(part.textFallback ?? "", part.cache);
    case "image":
    case "video": {
      const block = mediaBlock(part.url);
      return block === undefined
        ? reportUnsupported(part.type, note)
        : [block, ...renderCachePoint(part.cache)];
    }
    case "file":
      return renderFile(part, note);
    case "audio":
      return reportUnsupported(part.type, note);
    default:
      return part satisfies never;
  }
}

/** The model is told that there was something: without it the words around make no sense. */
function reportUnsupported(what: string, note: ReportDropped): readonly ConverseBlock[] {
  note(what);
  return renderTextBlock(`[${what} that cannot be shown here]`);
}

const formats: Readonly<Record<string, readonly [kind: "image" | "video" | "document", format: string]>> = {
  "image/png": ["image", "png"],
  "image/jpeg": ["image", "jpeg"],
  "image/gif": ["image", "gif"],
  "image/webp": ["image", "webp"],
  "video/mp4": ["video", "mp4"],
  "video/quicktime": ["video", "mov"],
  "video/webm": ["video", "webm"],
  "application/pdf": ["document", "pdf"],
  "text/csv": ["document", "csv"],
  "text/html": ["document", "html"],
  "text/plain": ["document", "txt"],
  "text/markdown": ["document", "md"],
  "application/msword": ["document", "doc"],
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ["document", "docx"],
  "application/vnd.ms-excel": ["document", "xls"],
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ["document", "xlsx"],
};

/** The format of a data URL, where it is one that is known there, and its base64; empty for anything else. */
function readContent(url: string) {
  const { mediaType, isBase64, data } = splitDataUrl(url) ?? noContent;
  return { known: ownValue(formats, mediaType), bytes: isBase64 ? data : "" };
}

const noContent = { mediaType: "", isBase64: false, data: "" };

/** Nothing is fetched there: what is shown stands in the request. */
function mediaBlock(url = ""): ConverseBlock | undefined {
  const { known, bytes } = readContent(url);
  if (known === undefined || known[0] === "document" || bytes === "") return undefined;
  return { [known[0]]: { format: known[1], source: { bytes } } };
}

/** A document goes with words of its own, since one alone is refused. */
function renderFile(part: FilePart, note: ReportDropped): readonly ConverseBlock[] {
  const what = part.filename === undefined ? "file" : `file ${part.filename}`;
  if (part.data === undefined) return reportUnsupported(what, note);
  const url = toDataUrl(part.data, part.filename);
  const media = mediaBlock(url);
  if (media !== undefined) return [media, ...renderCachePoint(part.cache)];
  const { known, bytes } = readContent(url);
  if (known === undefined || bytes === "") return reportUnsupported(what, note);
  const document = { format: known[1], name: documentName(part.filename), source: { bytes } };
  return [{ text: `[${what}]` }, { document }, ...renderCachePoint(part.cache)];
}

/** Letters, digits, single spaces, hyphens and brackets; what comes behind the last dot is the format. */
const documentName = (filename = "document"): string =>
  filename.replace(/\.[^.]*$/, "").replace(/[^a-zA-Z0-9()[\]-]+/g, " ").trim().slice(0, 200) || "document";
