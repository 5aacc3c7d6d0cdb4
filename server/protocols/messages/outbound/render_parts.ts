/** Content parts → blocks of a user's message or of a tool's result. */

import type {
  CacheBreakpoint,
  ContentPart,
  FilePart,
  ImagePart,
  JsonObject,
  PassthroughPart,
  TextPart,
  WireExtra,
} from "../../canonical/item.ts";
import { isGatewayFileId } from "../../../../shared/files.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import { splitDataUrl } from "../../canonical/data_url.ts";
import { mediaTypeByName, toDataUrl } from "../../common/outbound/data_url.ts";

export function renderParts(parts: readonly ContentPart[], note: ReportDropped): readonly RenderedBlock[] {
  return parts.flatMap((part) => renderPart(part, note));
}

function renderPart(part: ContentPart, note: ReportDropped): readonly RenderedBlock[] {
  switch (part.type) {
    case "text":
      return renderText(part);
    case "refusal":
      return renderTextBlock(part.text);
    case "image":
      return [ownBlock({ type: "image", source: imageSource(part) }, part)];
    case "file":
      return renderFile(part, note);
    case "foreign":
      return renderPassthroughPart(part);
    case "audio":
    case "video":
      return reportUnsupported(part.type, note);
    default:
      return part satisfies never;
  }
}

/** A text with what a client of this same wire has beside it (citations and the like). */
export const renderText = (part: TextPart): readonly RenderedBlock[] =>
  part.text.trim() === ""
    ? []
    : [ownBlock({ type: "text", text: part.text }, { ...part, extra: withProviderCitations(part.extra) })];

/** Citations that the gateway made are of results that the provider does not know, and refuses. */
function withProviderCitations(extra: WireExtra | undefined): WireExtra | undefined {
  const { citations, ...own } = extra?.messages ?? {};
  if (!Array.isArray(citations)) return extra;
  const kept = citations.filter((one: unknown) => !isRecord(one) || !isOfGateway(one));
  if (kept.length === citations.length) return extra;
  return { ...extra, messages: kept.length === 0 ? own : { ...own, citations: kept } };
}

const isOfGateway = ({ type, encrypted_index, source }: JsonObject): boolean =>
  type === "web_search_result_location"
    ? encrypted_index === ""
    : type === "search_result_location" && isGatewayFileId(String(source));

/** A block of this wire as it came; of another wire what can be told of it. */
export function renderPassthroughPart(
  { wire, value, textFallback = "", cache }: PassthroughPart,
): readonly RenderedBlock[] {
  if (wire !== "messages") return renderTextBlock(textFallback, cache);
  return [cache === undefined ? value : { ...value, ...renderCacheControl(cache) }];
}

/** A block with its mark, and with the fields that only clients of this same wire write: `source` has some inside. */
function ownBlock(
  block: RenderedBlock,
  { cache, extra }: { readonly cache?: CacheBreakpoint; readonly extra?: WireExtra },
): RenderedBlock {
  const own = extra?.messages;
  if (own === undefined) return cache === undefined ? block : { ...block, ...renderCacheControl(cache) };
  const { source: inside, ...fields } = own;
  const source = isRecord(inside) && isRecord(block.source) ? { source: { ...block.source, ...inside } } : {};
  return { ...block, ...source, ...fields, ...renderCacheControl(cache) };
}

/** The model is told that there was something: without it the words around make no sense. */
function reportUnsupported(what: string, note: ReportDropped): readonly RenderedBlock[] {
  note(what);
  return renderTextBlock(`[${what} that cannot be shown here]`);
}

/** A file that the provider stores, one inside the request, or an address that the provider fetches. */
function imageSource({ url, fileId }: ImagePart): JsonObject {
  if (url === undefined) return { type: "file", file_id: fileId ?? "" };
  const inside = inlineContent(url);
  return inside === undefined ? { type: "url", url } : base64Source(inside);
}

interface InlineContent {
  readonly mediaType: string;
  readonly base64: string;
}

/** Reads the content of a data URL; undefined for an address. */
function inlineContent(url: string): InlineContent | undefined {
  const found = splitDataUrl(url);
  if (found === undefined) return undefined;
  const { mediaType, isBase64, data } = found;
  return { mediaType, base64: isBase64 ? data : btoa(unescapeBytes(data)) };
}

/** `%20` and the like → one character a byte; what is not ASCII stands for its bytes in UTF-8. */
function unescapeBytes(data: string): string {
  const escaped = data.toWellFormed().replaceAll(/[\u0080-\u{10ffff}]+/gu, encodeURIComponent);
  return escaped.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

const base64Source = ({ mediaType, base64 }: InlineContent): JsonObject => ({
  type: "base64",
  media_type: mediaType,
  data: base64,
});

/** PDFs and plain text are documents, images are images; of anything else the model is told the name. */
function renderFile(part: FilePart, note: ReportDropped): readonly RenderedBlock[] {
  if (part.data !== undefined) {
    const inside = inlineContent(toDataUrl(part.data, part.filename));
    if (inside?.mediaType.startsWith("image/")) {
      return [{ type: "image", source: base64Source(inside), ...renderCacheControl(part.cache) }];
    }
    const source = inside === undefined ? undefined : documentSource(inside);
    return source === undefined ? reportUnsupported(named("file", part), note) : [document(part, source)];
  }
  if (part.url !== undefined) return renderAddress(part, { url: part.url, note });
  return [document(part, { type: "file", file_id: part.fileId ?? "" })];
}

const named = (what: string, { filename }: FilePart) => filename === undefined ? what : `${what} ${filename}`;

function documentSource(inside: InlineContent): JsonObject | undefined {
  if (inside.mediaType === "application/pdf") return base64Source(inside);
  const text = isReadable(inside.mediaType) ? textIn(inside.base64) : undefined;
  return text === undefined ? undefined : { type: "text", media_type: "text/plain", data: text };
}

/** True for a media type that may be text: one that nobody named is mostly source code. */
const isReadable = (mediaType: string) =>
  mediaType === "application/octet-stream" ||
  /^text\/|^application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|javascript|typescript|sql|toml)$/.test(
    mediaType,
  );

/** Undefined for what is no text. */
function textIn(base64: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.trim() === "" || text.includes("\0") ? undefined : text;
  } catch {
    // Neither base64 nor UTF-8: anyone who sent it called it text, but it is not.
    return undefined;
  }
}

interface Address {
  readonly url: string;
  readonly note: ReportDropped;
}

/** The provider fetches images and PDFs only; of text that is elsewhere the model is told where. */
function renderAddress(part: FilePart, { url, note }: Address): readonly RenderedBlock[] {
  const path = URL.parse(url)?.pathname ?? url;
  if (/\.(jpe?g|png|gif|webp)$/i.test(path)) {
    return [{ type: "image", source: { type: "url", url }, ...renderCacheControl(part.cache) }];
  }
  const mediaType = mediaTypeByName(path);
  if (mediaType === undefined || mediaType === "application/pdf") {
    return [document(part, { type: "url", url })];
  }
  note("file by URL");
  return renderTextBlock(`[${named("file", part)}: ${url}]`, part.cache);
}

function document(part: FilePart, source: JsonObject): RenderedBlock {
  const title = part.filename === undefined ? {} : { title: part.filename };
  return ownBlock({ type: "document", source, ...title }, part);
}

export type RenderedBlock = { readonly type: string } & JsonObject;

export interface RenderedMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly RenderedBlock[];
}

/** Told what had to be left out, in words for the routing metadata. */
export type ReportDropped = (words: string) => void;

/** A block of text; the provider refuses one without a visible character, so there is none for such. */
export function renderTextBlock(text: string, cache?: CacheBreakpoint): readonly RenderedBlock[] {
  return text.trim() === "" ? [] : [{ type: "text", text, ...renderCacheControl(cache) }];
}

/** Lifetimes that the provider knows; another one becomes its usual five minutes. */
const lifetimes: readonly string[] = ["5m", "1h"];

/** `cache_control` for an explicit breakpoint. */
export function renderCacheControl(cache: CacheBreakpoint | undefined): JsonObject {
  if (cache === undefined) return {};
  const { ttl, extra } = cache;
  const known = ttl !== undefined && lifetimes.includes(ttl);
  return { cache_control: { type: "ephemeral", ...(known ? { ttl } : {}), ...extra?.messages } };
}
