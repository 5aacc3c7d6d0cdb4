/** Content blocks that show something → canonical model parts. */

import { withTrueType } from "../../canonical/media_type.ts";
import {
  type DocumentBlock,
  isKnownBlock,
  type LaterBlock,
  type ReferenceBlock,
  type ShownBlock,
} from "../../../../shared/messages/blocks.ts";
import type {
  CacheBreakpoint,
  ContentPart,
  FilePart,
  ImagePart,
  JsonObject,
  PassthroughPart,
  WireExtra,
} from "../../canonical/item.ts";
import { pickUnknown } from "../../common/inbound/unknown_fields.ts";

/**
 * Picks the fields of an object that the canonical model has no words for; only this wire's own renderer may read
 * them.
 */
export function unknownFields(value: JsonObject, known: ReadonlySet<string>): WireExtra | undefined {
  const rest = pickUnknown(value, known);
  return rest === undefined ? undefined : { messages: rest };
}

type Control = { readonly ttl?: string | null } & JsonObject;

interface Marked {
  readonly cache_control?: Control | null;
}

const controlKeys = new Set(["type", "ttl"]);

export function parseCacheBreakpoint({ cache_control: control }: Marked): CacheBreakpoint | undefined {
  if (!control) return undefined;
  const extra = unknownFields(control, controlKeys);
  return { ttl: control.ttl ?? undefined, ...(extra === undefined ? {} : { extra }) };
}

const known = {
  text: new Set(["type", "text", "cache_control"]),
  image: new Set(["type", "source", "cache_control"]),
  document: new Set(["type", "source", "title", "cache_control"]),
  source: new Set(["type", "media_type", "data", "url", "file_id"]),
} as const;

type AnyPart = ShownBlock | ReferenceBlock | LaterBlock;

export function parsePart(block: AnyPart): ContentPart {
  if (!isKnownBlock(block)) return passthrough(block, undefined);
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
        extra: withSource(unknownFields(block, known.image), block.source),
      };
    case "document":
      return parseDocument(block);
    case "search_result": {
      const found = block.content.map(({ text }) => text).join("\n");
      return passthrough(block, `${block.title} (${block.source})\n${found}`);
    }
    case "tool_reference":
      return passthrough(block, block.tool_name);
    default:
      return block satisfies never;
  }
}

/** A block as it came; other wires are told what it says, where that is known. */
function passthrough(
  { cache_control, ...value }: LaterBlock,
  textFallback: string | undefined,
): PassthroughPart {
  const cache = parseCacheBreakpoint({ cache_control });
  return { type: "foreign", wire: "messages", kind: value.type, value, textFallback, cache };
}

type Source = DocumentBlock["source"];

/** The unknown fields of a block and those of what it shows. */
function withSource(extra: WireExtra | undefined, source: JsonObject): WireExtra | undefined {
  const rest = pickUnknown(source, known.source);
  return rest === undefined ? extra : { messages: { ...extra?.messages, source: rest } };
}

type ImageSource = Extract<ShownBlock, { type: "image" }>["source"];

function imageOf(source: ImageSource): ImagePart {
  if (source.type === "url") return { type: "image", url: source.url };
  if (source.type === "file") return { type: "image", fileId: source.file_id };
  return { type: "image", url: withTrueType(`data:${source.media_type};base64,${source.data}`) };
}

/** One that is made of blocks goes on as it came: a file would lose them. */
function parseDocument(block: DocumentBlock): ContentPart {
  const { source } = block;
  if (source.type === "content") {
    return passthrough(block, [block.title, wordsOf(source)].filter(Boolean).join("\n"));
  }
  return {
    type: "file",
    ...contentOf(source),
    filename: block.title || undefined,
    cache: parseCacheBreakpoint(block),
    extra: withSource(unknownFields(block, known.document), source),
  };
}

type BlocksSource = Extract<Source, { type: "content" }>;

function wordsOf({ content }: BlocksSource): string {
  if (typeof content === "string") return content;
  return content.flatMap((one) => one.type === "text" ? [one.text] : []).join("\n");
}

function contentOf(source: Exclude<Source, BlocksSource>): Pick<FilePart, "data" | "url" | "fileId"> {
  switch (source.type) {
    case "base64":
      return { data: withTrueType(`data:${source.media_type};base64,${source.data}`) };
    case "url":
      return { url: source.url };
    case "file":
      return { fileId: source.file_id };
    case "text":
      return { data: textFile(source.data) };
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
