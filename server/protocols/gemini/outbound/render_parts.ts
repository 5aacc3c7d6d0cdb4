/** Content parts: text, data inside the request, and files that stand elsewhere. */

import type { ContentPart as HubPart, FilePart, JsonObject } from "../../canonical/item.ts";
import { mediaTypeByName, toDataUrl } from "../../common/outbound/data_url.ts";

/** Any parts of a message. Texts without a character are left out: the provider refuses them. */
export function renderParts(parts: readonly HubPart[]): readonly GeminiPart[] {
  return parts.flatMap(renderPart);
}

function renderPart(part: HubPart): readonly GeminiPart[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return part.text === "" ? [] : [{ text: part.text }];
    case "foreign":
      return part.textFallback ? [{ text: part.textFallback }] : [];
    case "image":
      return [renderFileUri(part.url ?? part.fileId ?? "")];
    case "file":
      return renderFile(part);
    case "audio":
      return [{ inlineData: { mimeType: `audio/${part.format}`, data: part.data } }];
    case "video":
      return [renderFileUri(part.url)];
    default:
      return part satisfies never;
  }
}

function renderFile({ data, url, fileId, filename }: FilePart): readonly GeminiPart[] {
  if (data !== undefined) return [renderFileUri(toDataUrl(data, filename))];
  const place = url ?? fileId;
  return place === undefined ? [] : [renderFileUri(place)];
}

/** Data travels in the request; other URLs and the provider's own file ids are fetched by the provider. */
function renderFileUri(url: string): GeminiPart {
  if (url.startsWith("data:")) return { inlineData: toInlineData(url) };
  const mimeType = typeOf(url);
  return { fileData: { ...(mimeType === undefined ? {} : { mimeType }), fileUri: url } };
}

/** `data:image/png;base64,…`; data that is not base64 is text with escapes. */
export function toInlineData(url: string): InlineData {
  const comma = url.indexOf(",");
  const head = url.slice("data:".length, comma);
  const body = url.slice(comma + 1);
  const mimeType = head.split(";", 1)[0] || "text/plain";
  return { mimeType, data: /;base64$/i.test(head) ? body : renderInlineData(body) };
}

const utf8 = new TextEncoder();

function renderInlineData(text: string): string {
  try {
    return utf8.encode(decodeURIComponent(text)).toBase64();
  } catch (error) {
    if (error instanceof URIError) return utf8.encode(text).toBase64();
    throw error;
  }
}

const images: ReadonlyMap<string, string> = new Map([
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

/** Guesses a type from the path of a URL; undefined leaves it to the provider. */
function typeOf(url: string): string | undefined {
  const path = URL.parse(url)?.pathname ?? url;
  return mediaTypeByName(path) ?? images.get(path.split(".").at(-1)?.toLowerCase() ?? "");
}

interface InlineData {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** A part holds one thing; `thoughtSignature` may stand beside any. */
export interface GeminiPart {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly inlineData?: InlineData;
  readonly fileData?: { readonly mimeType?: string; readonly fileUri: string };
  readonly functionCall?: { readonly id: string; readonly name: string; readonly args: JsonObject };
  readonly functionResponse?: {
    readonly id: string;
    readonly name: string;
    readonly response: JsonObject;
    readonly parts?: readonly { readonly inlineData: InlineData }[];
  };
}

export interface GeminiContent {
  readonly role: "user" | "model";
  readonly parts: readonly GeminiPart[];
}
