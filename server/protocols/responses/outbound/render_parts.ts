/** Hub parts → content parts of a Responses request (specification, Content parts). */

import { ownValue } from "../../../../shared/util/own_value.ts";
import { omitUndefined } from "../../../../shared/util/json.ts";
import type { CacheBreakpoint, ContentPart, FilePart, JsonObject, WireExtra } from "../../canonical/item.ts";
import { partExtras, pickKeys, renderEach } from "./published_fields.ts";

/** Told what had to be left out, in words for the routing metadata. */
export type ReportDropped = (words: string) => void;

/** Parts of a user's, system's or developer's message, or of a tool's output. */
export function renderInputParts(parts: readonly ContentPart[], note: ReportDropped): readonly JsonObject[] {
  return renderEach(parts, (part) => inputPart(part, note));
}

function inputPart(part: ContentPart, note: ReportDropped): JsonObject | undefined {
  switch (part.type) {
    case "text":
    case "refusal":
      return omitUndefined({ type: "input_text", text: part.text, ...marks(part) });
    case "image":
      return inputImage(part);
    case "file":
      return inputFile(part);
    case "audio":
      return { type: "input_audio", input_audio: { data: part.data, format: part.format }, ...marks(part) };
    case "video":
      return void note("input_video");
    case "foreign":
      return part.textFallback ? { type: "input_text", text: part.textFallback, ...marks(part) } : undefined;
    default:
      return part satisfies never;
  }
}

/** `detail` is required by the provider's types; `auto` is what it means when absent. */
function inputImage(part: Extract<ContentPart, { type: "image" }>): JsonObject {
  const { url, fileId, detail = "auto" } = part;
  return omitUndefined({ type: "input_image", detail, image_url: url, file_id: fileId, ...marks(part) });
}

function inputFile(part: FilePart): JsonObject {
  const { url, fileId, data, filename } = part;
  return omitUndefined({
    type: "input_file",
    filename: filename ?? (data === undefined ? undefined : "file.pdf"),
    file_data: data === undefined ? undefined : dataUrl(data, filename),
    file_url: url,
    file_id: fileId,
    ...marks(part),
  });
}

const mediaTypes: Readonly<Record<string, string>> = {
  csv: "text/csv",
  html: "text/html",
  json: "application/json",
  md: "text/markdown",
  txt: "text/plain",
};

/** The provider takes files as data URLs only; bare base64 gets the type that its name suggests. */
function dataUrl(data: string, filename: string | undefined): string {
  if (data.startsWith("data:")) return data;
  const ending = filename?.split(".").at(-1)?.toLowerCase() ?? "";
  return `data:${ownValue(mediaTypes, ending) ?? "application/pdf"};base64,${data}`;
}

/** Lifetimes of explicit breakpoints at this provider; other wires' lifetimes (`5m`, `1h`) are unknown to it. */
const lifetimes: readonly string[] = ["30m", "12h"];

function marks(
  { cache, extra }: { readonly cache?: CacheBreakpoint; readonly extra?: WireExtra },
): JsonObject | undefined {
  if (cache === undefined && extra?.responses === undefined) return undefined;
  const own = pickKeys(extra?.responses ?? {}, partExtras);
  if (cache?.breakpoint !== undefined) {
    return { ...own, prompt_cache_breakpoint: pickKeys(cache.breakpoint, ["mode", "ttl"]) };
  }
  const ttl = cache?.ttl;
  if (own.prompt_cache_breakpoint !== undefined || ttl === undefined || !lifetimes.includes(ttl)) return own;
  return { ...own, prompt_cache_breakpoint: { mode: "explicit", ttl } };
}

/** Parts of a turn that the model said earlier. */
export function renderOutputParts(parts: readonly ContentPart[], note: ReportDropped): readonly JsonObject[] {
  return renderEach(parts, (part) => outputPart(part, note));
}

function outputPart(part: ContentPart, note: ReportDropped): JsonObject | undefined {
  if (part.type === "refusal") return { type: "refusal", refusal: part.text };
  if (part.type === "foreign") {
    return part.textFallback ? { type: "output_text", text: part.textFallback, annotations: [] } : undefined;
  }
  if (part.type !== "text") return void note(`assistant ${part.type}`);
  return omitUndefined({
    type: "output_text",
    text: part.text,
    annotations: part.annotations ?? [],
    logprobs: part.logprobs?.length ? part.logprobs : undefined,
  });
}
