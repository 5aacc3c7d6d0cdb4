/** Content parts of a chat → canonical model parts. */

import { trueAudioFormat, withTrueType } from "../../canonical/media_type.ts";
import type { ChatContent, ChatPart } from "../../../../shared/chat/parts.ts";
import type { CacheBreakpoint, ContentPart, FilePart, JsonObject, WireExtra } from "../../canonical/item.ts";
import { ownValue } from "../../../../shared/util/own_value.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import { pickUnknown } from "../../common/inbound/unknown_fields.ts";

/**
 * Fields of an object that the canonical model has no words for; only this wire's own renderer may read them.
 * Nulls say nothing: clients write out what they do not use.
 */
export function unknownFields(value: JsonObject, known: ReadonlySet<string>): WireExtra | undefined {
  const rest = pickUnknown(value, known);
  if (rest === undefined) return undefined;
  const said = Object.entries(rest).filter(([, one]) => one !== null && one !== undefined);
  return said.length === 0 ? undefined : { chat: Object.fromEntries(said) };
}

/** A plain string is one text; an empty one says nothing. */
export function parseContent(content: ChatContent | null | undefined): readonly ContentPart[] {
  if (typeof content !== "string") return content?.map(parsePart) ?? [];
  return content === "" ? [] : [{ type: "text", text: content }];
}

const keys = (...names: readonly string[]): ReadonlySet<string> =>
  new Set(["type", "cache_control", "prompt_cache_breakpoint", ...names]);

const known = {
  text: keys("text"),
  image_url: keys("image_url"),
  file: keys("file"),
  input_audio: keys("input_audio"),
  video_url: keys("video_url"),
  refusal: keys("refusal"),
} as const;

function parsePart(part: ChatPart): ContentPart {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text, ...parseCacheBreakpoint(part, known.text) };
    case "image_url": {
      const { url, detail } = part.image_url;
      return {
        type: "image",
        url: withTrueType(url),
        detail: detail ?? undefined,
        ...parseCacheBreakpoint(part, known.image_url),
      };
    }
    case "file":
      return { ...parseFile(part.file), ...parseCacheBreakpoint(part, known.file) };
    case "input_audio": {
      const { data, format } = part.input_audio;
      return {
        type: "audio",
        data,
        format: trueAudioFormat(data, format),
        ...parseCacheBreakpoint(part, known.input_audio),
      };
    }
    case "video_url":
    case "input_video":
      return {
        type: "video",
        url: withTrueType(part.video_url.url),
        ...parseCacheBreakpoint(part, known.video_url),
      };
    case "refusal":
      return { type: "refusal", text: part.refusal, extra: unknownFields(part, known.refusal) };
    default:
      return part satisfies never;
  }
}

type File = Extract<ChatPart, { type: "file" }>["file"];

/** An address may stand where the data belongs. */
function parseFile({ file_data: data, file_url, file_id, filename }: File): FilePart {
  const address = data && /^https?:/i.test(data) ? data : undefined;
  return {
    type: "file",
    data: address === undefined && data ? withTrueType(data) : undefined,
    url: file_url || address,
    fileId: file_id || undefined,
    filename: filename || undefined,
  };
}

type Marked = Exclude<ChatPart, { type: "refusal" }>;

interface Marks {
  readonly cache?: CacheBreakpoint;
  readonly extra?: WireExtra;
}

/** Fields that the canonical model knows of the object that a part has under its own name. */
const inner: Readonly<Record<string, ReadonlySet<string>>> = {
  image_url: new Set(["url", "detail"]),
  file: new Set(["file_data", "file_id", "file_url", "filename"]),
  input_audio: new Set(["data", "format"]),
  video_url: new Set(["url"]),
};

/** Both spellings of an explicit breakpoint mean the same; `cache_control` wins. */
function parseCacheBreakpoint(part: Marked, known: ReadonlySet<string>): Marks {
  const { cache_control: control, prompt_cache_breakpoint: point } = part;
  const cache = control ? { ttl: control.ttl ?? undefined } : point ? { breakpoint: point } : undefined;
  return { cache, extra: extraOf(part, known) };
}

/** Unknown fields of a part, and under the name of its object those in there. */
function extraOf(part: Marked, known: ReadonlySet<string>): WireExtra | undefined {
  const rest = unknownFields(part, known);
  const key = part.type === "input_video" ? "video_url" : part.type;
  const object = part[key];
  const inside = isRecord(object) ? unknownFields(object, ownValue(inner, key) ?? known)?.chat : undefined;
  return inside === undefined ? rest : { chat: { ...rest?.chat, [key]: inside } };
}
