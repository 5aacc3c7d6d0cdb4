/** Width and height of an image, read from the head of its base64 payload: providers charge images by their size. */

/** Pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Undefined for what is not a PNG, JPEG, GIF or WebP image, or has no readable size. */
export function imageSizeOf(base64: string): ImageSize | undefined {
  const bytes = new Base64Bytes(base64);
  const head = bytes.at(0, 32);
  if (head === undefined) return undefined;
  const size = sizeIn(head, bytes);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

function sizeIn(head: DataView, bytes: Base64Bytes): ImageSize | undefined {
  switch (head.getUint16(0)) {
    case 0x8950:
      return { width: head.getUint32(16), height: head.getUint32(20) };
    case 0x4749:
      return { width: head.getUint16(6, true), height: head.getUint16(8, true) };
    case 0x5249:
      return webpSize(head);
    case 0xffd8:
      return jpegSize(bytes);
    default:
      return undefined;
  }
}

/** The three forms of WebP name their size at different offsets. */
function webpSize(head: DataView): ImageSize | undefined {
  const u24 = (offset: number) => head.getUint16(offset, true) | head.getUint8(offset + 2) << 16;
  switch (head.getUint32(12)) {
    // "VP8X"
    case 0x56503858:
      return { width: u24(24) + 1, height: u24(27) + 1 };
    // "VP8L"
    case 0x5650384c: {
      const bits = head.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: (bits >> 14 & 0x3fff) + 1 };
    }
    // "VP8 "
    case 0x56503820:
      return { width: head.getUint16(26, true) & 0x3fff, height: head.getUint16(28, true) & 0x3fff };
    default:
      return undefined;
  }
}

/** Segments before the one that names the size: metadata, thumbnails, tables. */
const MOST_SEGMENTS = 200;

function jpegSize(bytes: Base64Bytes): ImageSize | undefined {
  let offset = 2;
  for (let segment = 0; segment < MOST_SEGMENTS; segment++) {
    const view = bytes.at(offset, 9);
    if (view === undefined || view.getUint8(0) !== 0xff) return undefined;
    const marker = view.getUint8(1);
    if (isFrame(marker)) return { width: view.getUint16(7), height: view.getUint16(5) };
    offset += 2 + view.getUint16(2);
  }
  return undefined;
}

/** "Start of frame" markers, of which three numbers of their range mean something else. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** Reads bytes out of a base64 text without decoding all of it. */
class Base64Bytes {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Undefined behind the end, and where the text is not base64. */
  at(offset: number, length: number): DataView | undefined {
    const first = Math.floor(offset / 3);
    const last = Math.ceil((offset + length) / 3);
    const text = this.#text.slice(first * 4, last * 4);
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
    const binary = atob(text.length % 4 === 1 ? text.slice(0, -1) : text);
    const skipped = offset - first * 3;
    if (binary.length < skipped + length) return undefined;
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    return new DataView(bytes.buffer, skipped, length);
  }
}
