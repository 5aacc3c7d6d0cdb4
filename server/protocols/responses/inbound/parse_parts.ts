/** Content parts of a request → canonical model parts (specification, Content parts). */

import { trueAudioFormat, withTrueType } from "../../canonical/media_type.ts";
import type { AgentPart, MessagePart } from "../../../../shared/responses/parts.ts";
import type {
  AudioPart,
  CacheBreakpoint,
  ContentPart,
  FilePart,
  ImagePart,
  TextPart,
  VideoPart,
} from "../../canonical/item.ts";
import { unknownFields } from "./parse_fields.ts";

type Of<Type extends MessagePart["type"]> = Extract<MessagePart, { type: Type }>;

const keys = (...names: readonly string[]): ReadonlySet<string> =>
  new Set(["type", "cache_control", ...names]);

/** Fields that the canonical model has; `prompt_cache_breakpoint` also stays as written, for its own wire. */
const known = {
  text: keys("text", "annotations", "logprobs"),
  refusal: keys("refusal"),
  image: keys("image_url", "file_id", "detail"),
  file: keys("file_data", "file_url", "file_id", "filename"),
  audio: keys("input_audio"),
  video: keys("video_url"),
} as const;

/** One content part of a message or of a tool's result. */
export function parsePart(part: MessagePart): ContentPart {
  switch (part.type) {
    case "input_text":
    case "output_text":
      return parseText(part);
    case "input_image":
      return parseImage(part);
    case "input_file":
      return parseFile(part);
    case "input_audio":
      return parseAudio(part);
    case "input_video":
      return parseVideo(part);
    case "refusal":
      return { type: "refusal", text: part.refusal, extra: unknownFields(part, known.refusal) };
    default:
      return part satisfies never;
  }
}

/** Parses a part of another agent's message; undefined for one that only that agent's provider can read. */
export function parseAgentPart(part: AgentPart): ContentPart | undefined {
  return part.type === "encrypted_content" ? undefined : parsePart(part);
}

function parseText(part: Of<"input_text"> | Of<"output_text">): TextPart {
  const annotations = part.type === "output_text" && part.annotations?.length ? part.annotations : undefined;
  return {
    type: "text",
    text: part.text,
    annotations,
    cache: parseCacheBreakpoint(part),
    extra: unknownFields(part, known.text),
  };
}

function parseImage(part: Of<"input_image">): ImagePart {
  return {
    type: "image",
    url: part.image_url ? withTrueType(part.image_url) : undefined,
    fileId: part.file_id || undefined,
    detail: part.detail ?? undefined,
    cache: parseCacheBreakpoint(part),
    extra: unknownFields(part, known.image),
  };
}

function parseFile(part: Of<"input_file">): FilePart {
  return {
    type: "file",
    data: part.file_data ? withTrueType(part.file_data) : undefined,
    url: part.file_url || undefined,
    fileId: part.file_id || undefined,
    filename: part.filename || undefined,
    cache: parseCacheBreakpoint(part),
    extra: unknownFields(part, known.file),
  };
}

function parseAudio(part: Of<"input_audio">): AudioPart {
  const { data, format } = part.input_audio;
  return {
    type: "audio",
    data,
    format: trueAudioFormat(data, format),
    cache: parseCacheBreakpoint(part),
    extra: unknownFields(part, known.audio),
  };
}

function parseVideo(part: Of<"input_video">): VideoPart {
  return {
    type: "video",
    url: withTrueType(part.video_url),
    cache: parseCacheBreakpoint(part),
    extra: unknownFields(part, known.video),
  };
}

type Marked = Pick<Of<"input_text">, "cache_control" | "prompt_cache_breakpoint">;

/** Both spellings of an explicit breakpoint mean the same; `cache_control` wins. */
function parseCacheBreakpoint(part: Marked): CacheBreakpoint | undefined {
  if (part.cache_control) return { ttl: part.cache_control.ttl ?? undefined };
  return part.prompt_cache_breakpoint ? { breakpoint: part.prompt_cache_breakpoint } : undefined;
}
