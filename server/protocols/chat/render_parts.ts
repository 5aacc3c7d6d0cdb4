/** Content parts of messages. */

import type { FilePart, ImagePart, Json, Part } from "../../hub/item.ts";
import { dataUrl } from "../common/data_url.ts";
import { isText, textOf } from "../common/parts.ts";

/** What a message holds once it is rendered: text alone as a string, which every compatible server takes. */
export type Content = string | readonly Json[];

export interface RenderedParts {
  readonly content: Content;
  readonly dropped: readonly string[];
}

/** Any parts, as a user's message may hold them. */
export function renderParts(parts: readonly Part[]): RenderedParts {
  const content = parts.every(isText) ? textOf(parts) : parts.map(renderPart);
  return { content, dropped: parts.filter(isFileUrl).map(() => "file by URL") };
}

const isFileUrl = (part: Part) =>
  part.type === "file" && part.url !== undefined && part.data === undefined && part.fileId === undefined;

function renderPart(part: Part): Json {
  switch (part.type) {
    case "text":
    case "refusal":
      return { type: "text", text: part.text };
    case "image":
      return renderImage(part);
    case "file":
      return renderFile(part);
    case "audio":
      return { type: "input_audio", input_audio: { data: part.data, format: part.format } };
    case "video":
      return { type: "video_url", video_url: { url: part.url } };
    default:
      return part satisfies never;
  }
}

/** Chat Completions has no word for `original`; `high` is the nearest. */
const details: ReadonlyMap<string, string> = new Map([
  ["auto", "auto"],
  ["low", "low"],
  ["high", "high"],
  ["original", "high"],
]);

/** An image that the provider stores goes as the file it is: only `file` parts take an id. */
function renderImage({ url, fileId, detail }: ImagePart): Json {
  if (url === undefined) return { type: "file", file: { file_id: fileId ?? "" } };
  const known = details.get(detail ?? "");
  return { type: "image_url", image_url: { url, ...(known === undefined ? {} : { detail: known }) } };
}

/** Files travel inside the request or by the provider's id; of one that is elsewhere the model is told where. */
function renderFile(part: FilePart): Json {
  const { data, url, fileId, filename } = part;
  if (data !== undefined) {
    const file_data = dataUrl(data, filename);
    const unnamed = file_data.startsWith("data:application/pdf") ? "file.pdf" : "file";
    return { type: "file", file: { filename: filename ?? unnamed, file_data } };
  }
  if (fileId !== undefined) return { type: "file", file: { file_id: fileId } };
  return {
    type: "text",
    text: `[file ${filename === undefined ? "" : `${filename}: `}${url ?? "without content"}]`,
  };
}
