/** Detects the type of a document, by its server's word and by its first bytes. */

import { decodeText, latin1 } from "./decode_text.ts";

type DocumentType =
  | { readonly type: "html"; readonly charset: string; readonly isXml: boolean }
  | { readonly type: "pdf" }
  /** Word, Excel, PowerPoint and OpenDocument, in an archive or flat, or another archive. */
  | { readonly type: "office" }
  | { readonly type: "rich_text" }
  | { readonly type: "text"; readonly charset: string; readonly isXml: boolean };

const htmlTypes: ReadonlySet<string> = new Set(["text/html", "application/xhtml+xml"]);
const textTypes: ReadonlySet<string> = new Set([
  "application/json",
  "application/ld+json",
  "application/xml",
  "application/yaml",
  "application/x-ndjson",
  "application/javascript",
  "application/toml",
]);

/** The first bytes of a ZIP archive, and of the container of older Office files and of encrypted ones. */
const ARCHIVE = "PK\x03\x04";
const OLD_CONTAINER = "\xd0\xcf\x11\xe0";
const RICH_TEXT = "{\\rtf";
const POSTSCRIPT = "%!PS";
const richTextTypes: ReadonlySet<string> = new Set(["application/rtf", "text/rtf", "text/richtext"]);
/** OpenDocument in one file of XML, and what Office saves so: the element or the instruction that says it. */
const FLAT_OFFICE = /<office:document\s|<\?mso-application\s/;
const officeTypes =
  /^application\/(?:vnd\.openxmlformats-officedocument\.|vnd\.oasis\.opendocument\.|vnd\.ms-(?:word|excel|powerpoint)|msword$)/;

/** `text/html` of a `content-type`; empty where there is none. */
const mediaTypeOf = (contentType: string): string => contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** Whether documents of this type can be read. One without a type may be anything. */
export function isReadableType(contentType: string): boolean {
  const type = mediaTypeOf(contentType);
  return type === "" || type === "application/octet-stream" || type === "application/pdf" ||
    officeTypes.test(type) || isTextType(type) || htmlTypes.has(type);
}

/** Whether a type is that of a text that needs no reading, as far as it says. */
export function isPlainType(contentType: string): boolean {
  const type = mediaTypeOf(contentType);
  return isTextType(type) && !htmlTypes.has(type);
}

const isTextType = (type: string): boolean =>
  type.startsWith("text/") || textTypes.has(type) || type.endsWith("+json") || type.endsWith("+xml");

/** Undefined for what cannot be read. */
export function documentTypeOf(contentType: string, body: Uint8Array): DocumentType | undefined {
  const charset = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1] ?? "";
  const type = mediaTypeOf(contentType);
  if (type === "application/pdf" || startsWith(body, "%PDF-")) return { type: "pdf" };
  if (richTextTypes.has(type) || startsWith(body, RICH_TEXT)) return { type: "rich_text" };
  if (startsWith(body, POSTSCRIPT)) return undefined;
  if (officeTypes.test(type)) return { type: "office" };
  if (htmlTypes.has(type)) return { type: "html", charset, isXml: type.endsWith("+xml") };
  if (isTextType(type)) return textType(body, { charset, isXml: /(?:^text\/|\/|\+)xml$/.test(type) });
  if (type !== "" && type !== "application/octet-stream") return undefined;
  if (startsWith(body, ARCHIVE) || startsWith(body, OLD_CONTAINER)) return { type: "office" };
  const start = readableStart(body, charset);
  if (start === undefined) return undefined;
  if (/^\s*<(!doctype html|html)/i.test(start)) return { type: "html", charset, isXml: false };
  return textType(body, { charset, isXml: /^\s*<\?xml\s/i.test(start) });
}

/** An upload tells texts by their bytes, so documents of XML are plain texts there. */
function textType(
  body: Uint8Array,
  text: { readonly charset: string; readonly isXml: boolean },
): DocumentType {
  const start = latin1(body.subarray(0, START_BYTES)).trimStart().replace(/^\u00ef\u00bb\u00bf/, "");
  const isFlatOffice = /^<(?:\?xml|office:document)\s/.test(start) && FLAT_OFFICE.test(start);
  return isFlatOffice ? { type: "office" } : { type: "text", ...text };
}

const startsWith = (body: Uint8Array, text: string) => latin1(body.subarray(0, text.length)) === text;

const START_BYTES = 4_096;
/** No text has them, in whatever encoding. */
// deno-lint-ignore no-control-regex -- controls are what it looks for
const CONTROLS = /[\x00-\x08\x0E-\x1A\x1C-\x1F]/;

/** The start of a text, in some encoding; undefined for what is none. */
function readableStart(body: Uint8Array, charset: string): string | undefined {
  const bytes = body.subarray(0, START_BYTES);
  const isCut = body.length > START_BYTES;
  const start = decodeText(bytes, { declared: [charset], isCut, detect: () => "latin1" }) ?? "";
  return CONTROLS.test(start) ? undefined : start;
}
