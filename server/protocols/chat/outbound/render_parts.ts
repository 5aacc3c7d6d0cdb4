/** Content parts of messages. */

import { isRecord, omitUndefined } from "../../../../shared/util/json.ts";
import type { ContentPart, FilePart, ImagePart, JsonObject } from "../../canonical/item.ts";
import { toDataUrl } from "../../common/outbound/data_url.ts";
import { isTextPart, partsText } from "../../common/outbound/parts.ts";

/** Content of a rendered message: text alone as a string, which every compatible server takes. */
export type RenderedContent = string | readonly JsonObject[];

interface RenderedParts {
  readonly content: RenderedContent;
  readonly dropped: readonly string[];
}

/** Any parts, as a user's message may hold them. */
export function renderParts(parts: readonly ContentPart[]): RenderedParts {
  const content = parts.every(isTextPart)
    ? renderTexts(parts)
    : parts.filter(saysSomething).map(renderMarked);
  return { content, dropped: parts.filter(isFileUrl).map(() => "file by URL") };
}

/** The texts of the parts: as parts only where one of them ends a prefix that is to be cached. */
export function renderTexts(parts: readonly ContentPart[]): RenderedContent {
  if (!parts.some(isOwn)) return partsText(parts);
  return parts.filter((part) => isTextPart(part) && saysSomething(part)).map(renderMarked);
}

/** All but what another wire alone has words for. */
const saysSomething = (part: ContentPart) => part.type !== "foreign" || Boolean(part.textFallback);

/** Instructions or results as one, a paragraph each. */
export function joinContents(one: RenderedContent, other: RenderedContent): RenderedContent {
  if (typeof one === "string" && typeof other === "string") return `${one}\n\n${other}`;
  return [...toList(one), ...toList(other)];
}

const toList = (content: RenderedContent) =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

/** Whether a part says more than its text: a mark, or fields that only a client of this same wire writes. */
const isOwn = (part: ContentPart): boolean => isBreakpoint(part) || ownFields(part) !== undefined;

const ownFields = (part: ContentPart): JsonObject | undefined =>
  part.type === "foreign" ? undefined : part.extra?.chat;

const pointOf = (part: ContentPart): JsonObject | undefined =>
  part.type === "refusal" ? undefined : part.cache?.breakpoint;

export const isBreakpoint = (part: ContentPart): boolean => pointOf(part) !== undefined;

function renderMarked(part: ContentPart): JsonObject {
  const point = pointOf(part);
  const rendered = withOwnFields(renderPart(part), ownFields(part));
  if (point === undefined) return rendered;
  return { ...rendered, prompt_cache_breakpoint: omitUndefined({ mode: point.mode, ttl: point.ttl }) };
}

/** Fields beside the part's own, and under the name of its object those inside it. */
function withOwnFields(rendered: JsonObject, own: JsonObject | undefined): JsonObject {
  if (own === undefined) return rendered;
  const all: Record<string, unknown> = { ...own, ...rendered };
  for (const [key, inside] of Object.entries(own)) {
    const object = rendered[key];
    if (isRecord(object) && isRecord(inside)) all[key] = { ...inside, ...object };
  }
  return all;
}

const isFileUrl = (part: ContentPart) =>
  part.type === "file" && part.url !== undefined && part.data === undefined && part.fileId === undefined;

function renderPart(part: ContentPart): JsonObject {
  switch (part.type) {
    case "text":
    case "refusal":
      return { type: "text", text: part.text };
    case "foreign":
      return { type: "text", text: part.textFallback ?? "" };
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
function renderImage({ url, fileId, detail }: ImagePart): JsonObject {
  if (url === undefined) return { type: "file", file: { file_id: fileId ?? "" } };
  const known = details.get(detail ?? "");
  return { type: "image_url", image_url: { url, ...(known === undefined ? {} : { detail: known }) } };
}

/** Files travel inside the request or by the provider's id; of one that is elsewhere the model is told where. */
function renderFile(part: FilePart): JsonObject {
  const { data, url, fileId, filename } = part;
  if (data !== undefined) {
    const file_data = toDataUrl(data, filename);
    const unnamed = file_data.startsWith("data:application/pdf") ? "file.pdf" : "file";
    return { type: "file", file: { filename: filename ?? unnamed, file_data } };
  }
  if (fileId !== undefined) return { type: "file", file: { file_id: fileId } };
  return {
    type: "text",
    text: `[file ${filename === undefined ? "" : `${filename}: `}${url ?? "without content"}]`,
  };
}
