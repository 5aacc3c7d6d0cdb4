/** Content parts: text, data inside the request, and files that stand elsewhere. */

import type { FilePart, Part as HubPart } from "../../../canonical/item.ts";
import { dataUrl, mediaTypeByName } from "../../common/outbound/data_url.ts";
import type { Blob, Part } from "./content.ts";

/** Any parts of a message. Texts without a character are left out: the provider refuses them. */
export function renderParts(parts: readonly HubPart[]): readonly Part[] {
  return parts.flatMap(renderPart);
}

function renderPart(part: HubPart): readonly Part[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return part.text === "" ? [] : [{ text: part.text }];
    case "image":
      return [linked(part.url ?? part.fileId ?? "")];
    case "file":
      return renderFile(part);
    case "audio":
      return [{ inlineData: { mimeType: `audio/${part.format}`, data: part.data } }];
    case "video":
      return [linked(part.url)];
    default:
      return part satisfies never;
  }
}

function renderFile({ data, url, fileId, filename }: FilePart): readonly Part[] {
  if (data !== undefined) return [linked(dataUrl(data, filename))];
  const place = url ?? fileId;
  return place === undefined ? [] : [linked(place)];
}

/** Data travels in the request; other URLs and the provider's own file ids are fetched by the provider. */
function linked(url: string): Part {
  if (url.startsWith("data:")) return { inlineData: blobOf(url) };
  const mimeType = typeOf(url);
  return { fileData: { ...(mimeType === undefined ? {} : { mimeType }), fileUri: url } };
}

/** `data:image/png;base64,…`; data that is not base64 is text with escapes. */
export function blobOf(url: string): Blob {
  const comma = url.indexOf(",");
  const head = url.slice("data:".length, comma);
  const body = url.slice(comma + 1);
  const mimeType = head.split(";", 1)[0] || "text/plain";
  return { mimeType, data: /;base64$/i.test(head) ? body : encoded(body) };
}

const utf8 = new TextEncoder();

function encoded(text: string): string {
  try {
    return utf8.encode(decodeURIComponent(text)).toBase64();
  } catch (error) {
    if (error instanceof URIError) return utf8.encode(text).toBase64();
    throw error;
  }
}

const pictures: ReadonlyMap<string, string> = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["webp", "image/webp"],
  ["heic", "image/heic"],
  ["heif", "image/heif"],
  ["mp4", "video/mp4"],
  ["mov", "video/mov"],
  ["webm", "video/webm"],
]);

/** What the path of a URL says of its type; undefined leaves it to the provider. */
function typeOf(url: string): string | undefined {
  const path = URL.parse(url)?.pathname ?? url;
  return mediaTypeByName(path) ?? pictures.get(path.split(".").at(-1)?.toLowerCase() ?? "");
}
