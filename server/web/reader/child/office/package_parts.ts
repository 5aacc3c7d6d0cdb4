/** The parts of an Office file, which is a ZIP archive of XML files. What they unpack to is bounded. */

import { unzipSync } from "fflate";
import { decodeText, labelsInDocument } from "../../decode_text.ts";
import { UnreadableDocument } from "./unreadable_document.ts";
import { parseXml, type XmlElement } from "./xml.ts";

/** Bytes of all parts that are read. */
const MAX_BYTES = 160 * 1024 * 1024;
/** Bytes of a part that is parsed as a whole: its tree takes twenty times as many. */
export const MAX_TREE_BYTES = 14 * 1024 * 1024;
const MAX_PARTS = 20_000;

export class PackageParts {
  readonly #bytes: Uint8Array;
  /** Bytes that each part says it unpacks to; what it has beyond them is not unpacked. */
  readonly #sizes: ReadonlyMap<string, number>;
  #unpacked = 0;

  /** Throws an UnreadableDocument where the archive is damaged. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    const sizes = new Map<string, number>();
    unpack(bytes, ({ name, originalSize }) => {
      if (sizes.size >= MAX_PARTS) throw new UnreadableDocument("unpacks_too_large");
      sizes.set(name, originalSize);
      return false;
    });
    this.#sizes = sizes;
  }

  has(name: string): boolean {
    return this.#sizes.has(name);
  }

  /** Undefined where there is no such part. Throws an UnreadableDocument where it is damaged, or too much. */
  bytes(name: string): Uint8Array | undefined {
    const size = this.#sizes.get(name);
    if (size === undefined) return undefined;
    this.#unpacked += size;
    if (this.#unpacked > MAX_BYTES) throw new UnreadableDocument("unpacks_too_large");
    return Object.entries(unpack(this.#bytes, (part) => part.name === name))[0]?.[1];
  }

  text(name: string): string | undefined {
    if ((this.#sizes.get(name) ?? 0) > MAX_TREE_BYTES) throw new UnreadableDocument("unpacks_too_large");
    const bytes = this.bytes(name);
    if (bytes === undefined) return undefined;
    return decodeText(bytes, { declared: labelsInDocument(bytes, "xml"), detect: () => "utf-8" });
  }

  /** The root of an XML part. Throws an UnreadableDocument where it is damaged, or too much. */
  xml(name: string): XmlElement | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : parseXml(text);
  }
}

type PartFilter = NonNullable<NonNullable<Parameters<typeof unzipSync>[1]>["filter"]>;

function unpack(bytes: Uint8Array, filter: PartFilter): ReturnType<typeof unzipSync> {
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    // Whatever its parser finds wrong with an archive, it is damaged.
    throw error instanceof UnreadableDocument ? error : new UnreadableDocument("broken");
  }
}
