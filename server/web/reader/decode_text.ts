/** From bytes to text: by a byte order mark, then by what is declared, then by the bytes themselves. */

import { pageTokens } from "./page/page_tokens.ts";

interface DecodeOptions {
  /** Labels as the server and the document name them, first choice first; what is no label is passed over. */
  readonly declared: readonly string[];
  /** The bytes are the beginning of something longer. */
  readonly isCut?: boolean;
  /** The label of an undeclared encoding that is not Unicode. */
  readonly detect?: (bytes: Uint8Array) => string;
}

/** Undefined where only detection could tell the encoding, and nobody detects. */
export function decodeText(
  bytes: Uint8Array,
  { declared, isCut = false, detect }: DecodeOptions,
): string | undefined {
  const marked = markedEncoding(bytes);
  const decoder = marked === undefined ? firstDecoder(declared) : new TextDecoder(marked);
  if (decoder !== undefined) return decoder.decode(bytes, { stream: isCut });
  const unicode = unicodeEncoding(bytes, { isCut });
  const label = unicode ?? detect?.(bytes);
  return label === undefined ? undefined : new TextDecoder(label).decode(bytes, { stream: isCut });
}

function firstDecoder(labels: readonly string[]): TextDecoder | undefined {
  for (const label of labels) {
    try {
      return new TextDecoder(label);
    } catch (_error) {
      // A server or a document may claim any encoding.
    }
  }
  return undefined;
}

/** By its byte order mark. */
function markedEncoding(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xff && second === 0xfe ? "utf-16le" : undefined;
}

/** Bytes of the beginning that tell UTF-16. */
const SAMPLE_BYTES = 4_096;

function unicodeEncoding(bytes: Uint8Array, { isCut }: { readonly isCut: boolean }): string | undefined {
  const wide = utf16Encoding(bytes.subarray(0, SAMPLE_BYTES));
  if (wide !== undefined) return wide;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
  } catch (_error) {
    // The bytes are in some other encoding.
    return undefined;
  }
  return isIso2022Jp(bytes.subarray(0, SAMPLE_BYTES)) ? "iso-2022-jp" : "utf-8";
}

/** UTF-16 without a mark: of its markup, digits and spaces every other byte is NUL, and of nothing else. */
function utf16Encoding(sample: Uint8Array): string | undefined {
  const even = sample.filter((byte, index) => byte === 0 && index % 2 === 0).length;
  const odd = sample.filter((byte, index) => byte === 0 && index % 2 === 1).length;
  const most = Math.max(even, odd);
  // A tenth of its characters, and next to none in the other half.
  if (most < 2 || most * 20 < sample.length || Math.min(even, odd) * 20 > most) return undefined;
  return even > odd ? "utf-16be" : "utf-16le";
}

/** Seven bits, and so UTF-8 as well, but for its escape sequences. */
function isIso2022Jp(sample: Uint8Array): boolean {
  const escape = sample.indexOf(0x1b);
  if (escape === -1) return false;
  // deno-lint-ignore no-control-regex -- the escape sequences of that encoding
  return /\x1b(?:\$[@B]|\([JI])/.test(latin1(sample.subarray(escape)));
}

export const latin1 = (bytes: Uint8Array): string => new TextDecoder("latin1").decode(bytes);

/** Where a document may name its encoding. */
const HEAD_BYTES = 4_096;

/**
 * Reads a document's own encoding labels: of an XML declaration and of an HTML page's head. Where they can be read
 * the bytes are not UTF-16, whatever they say.
 */
export function labelsInDocument(bytes: Uint8Array, type: "html" | "xml" | "other"): readonly string[] {
  if (type === "other") return [];
  const head = latin1(bytes.subarray(0, HEAD_BYTES));
  const inXml = /^\s*<\?xml\s[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1];
  const inHtml = type === "html" ? labelInPage(head) : undefined;
  return [inXml, inHtml].filter((label) => label !== undefined)
    .map((label) => /^utf-?16/i.test(label) ? "utf-8" : label);
}

/** By the first `meta` that declares it; what comments and scripts say is none. */
function labelInPage(head: string): string | undefined {
  for (const token of pageTokens(head, { isXml: false, isForeign: () => false })) {
    if (token.type !== "start" || token.name !== "meta") continue;
    const { attributes } = token;
    const isType = attributes.get("http-equiv")?.trim().toLowerCase() === "content-type";
    const content = isType ? attributes.get("content") : undefined;
    const inContent = content && /charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(content)?.[1];
    const label = attributes.get("charset")?.trim() || inContent;
    if (label) return label;
  }
  return undefined;
}
