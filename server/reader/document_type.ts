/** What a document is, by what its server says and by its first bytes. */

export type DocumentType =
  | { readonly type: "html"; readonly charset: string }
  | { readonly type: "pdf" }
  | { readonly type: "text"; readonly charset: string };

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

/** `text/html` of a `content-type`; empty where there is none. */
export const mediaTypeOf = (contentType: string): string =>
  contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** Whether documents of this type can be read. One without a type may be anything. */
export function isReadableType(contentType: string): boolean {
  const type = mediaTypeOf(contentType);
  return type === "" || type === "application/octet-stream" || type === "application/pdf" ||
    isTextType(type) || htmlTypes.has(type);
}

const isTextType = (type: string): boolean =>
  type.startsWith("text/") || textTypes.has(type) || type.endsWith("+json") || type.endsWith("+xml");

/** Undefined for what cannot be read. */
export function documentTypeOf(contentType: string, body: Uint8Array): DocumentType | undefined {
  const charset = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1] ?? "";
  const type = mediaTypeOf(contentType);
  if (type === "application/pdf" || startsWith(body, "%PDF-")) return { type: "pdf" };
  if (htmlTypes.has(type)) return { type: "html", charset };
  if (isTextType(type)) return { type: "text", charset };
  if (type !== "" && type !== "application/octet-stream") return undefined;
  if (/^\s*<(!doctype html|html)/i.test(latin1(body.subarray(0, 200)))) return { type: "html", charset };
  return isText(body) ? { type: "text", charset } : undefined;
}

const latin1 = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes);

const startsWith = (body: Uint8Array, text: string) => latin1(body.subarray(0, text.length)) === text;

/** UTF-8 without a NUL, as far as its start shows. */
function isText(body: Uint8Array): boolean {
  const start = body.subarray(0, 4_096);
  if (start.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: true });
    return true;
  } catch (_error) {
    // Bytes that are no UTF-8 may be anything.
    return false;
  }
}
