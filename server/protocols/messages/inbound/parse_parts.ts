/** Content blocks that show something → canonical model parts. */

import type { DocumentBlock, ShownBlock } from "../../../../shared/messages/blocks.ts";
import type {
  CacheBreakpoint,
  ContentPart,
  FilePart,
  ImagePart,
  JsonObject,
  WireExtra,
} from "../../../canonical/item.ts";
import { pickUnknown } from "../../common/inbound/unknown_fields.ts";

/** What of an object the canonical model has no words for; only this wire's own renderer may read it. */
export function unknownFields(value: JsonObject, known: ReadonlySet<string>): WireExtra | undefined {
  const rest = pickUnknown(value, known);
  return rest === undefined ? undefined : { messages: rest };
}

interface Marked {
  readonly cache_control?: { readonly ttl?: string | null } | null;
}

export function parseCacheBreakpoint({ cache_control: control }: Marked): CacheBreakpoint | undefined {
  return control ? { ttl: control.ttl ?? undefined } : undefined;
}

const known = {
  text: new Set(["type", "text", "cache_control", "citations"]),
  image: new Set(["type", "source", "cache_control"]),
  document: new Set(["type", "source", "title", "cache_control"]),
} as const;

export function parsePart(block: ShownBlock): ContentPart {
  switch (block.type) {
    case "text":
      return {
        type: "text",
        text: block.text,
        cache: parseCacheBreakpoint(block),
        extra: unknownFields(block, known.text),
      };
    case "image":
      return {
        ...imageOf(block.source),
        cache: parseCacheBreakpoint(block),
        extra: unknownFields(block, known.image),
      };
    case "document":
      return parseDocument(block);
    case "search_result": {
      const found = block.content.map(({ text }) => text).join("\n");
      return {
        type: "text",
        text: `${block.title} (${block.source})\n${found}`,
        cache: parseCacheBreakpoint(block),
      };
    }
    default:
      return block satisfies never;
  }
}

type ImageSource = Extract<ShownBlock, { type: "image" }>["source"];

function imageOf(source: ImageSource): ImagePart {
  if (source.type === "url") return { type: "image", url: source.url };
  if (source.type === "file") return { type: "image", fileId: source.file_id };
  return { type: "image", url: `data:${source.media_type};base64,${source.data}` };
}

function parseDocument(block: DocumentBlock): FilePart {
  return {
    type: "file",
    ...contentOf(block.source),
    filename: block.title || undefined,
    cache: parseCacheBreakpoint(block),
    extra: unknownFields(block, known.document),
  };
}

function contentOf(source: DocumentBlock["source"]): Pick<FilePart, "data" | "url" | "fileId"> {
  switch (source.type) {
    case "base64":
      return { data: `data:${source.media_type};base64,${source.data}` };
    case "url":
      return { url: source.url };
    case "file":
      return { fileId: source.file_id };
    case "text":
      return { data: textFile(source.data) };
    case "content": {
      const { content } = source;
      if (typeof content === "string") return { data: textFile(content) };
      return { data: textFile(content.flatMap((one) => one.type === "text" ? [one.text] : []).join("\n")) };
    }
    default:
      return source satisfies never;
  }
}

const utf8 = new TextEncoder();

/** A text as a file of its own, the one form in which every wire takes documents. */
function textFile(text: string): string {
  let bytes = "";
  for (const byte of utf8.encode(text)) bytes += String.fromCharCode(byte);
  return `data:text/plain;base64,${btoa(bytes)}`;
}
