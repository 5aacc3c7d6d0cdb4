/** Files that travel as base64, or in a `data:` address. The text of those that have one can be read and replaced. */

import { base64Groups } from "../../../../shared/util/base64_groups.ts";
import type { Work } from "../../../../shared/util/run_work.ts";

interface DocumentOptions {
  /** Head before the data: `data:text/plain;base64,`, or nothing. */
  readonly head: string;
  readonly data: string;
  /** Undefined where the data is no text. */
  readonly text: string | undefined;
  readonly isBase64: boolean;
}

/** Slots of a document, by number. */
export const HEAD = 0;
export const BODY = 1;

export class DocumentText {
  readonly #options: DocumentOptions;

  constructor(options: DocumentOptions) {
    this.#options = options;
  }

  get head(): string {
    return this.#options.head;
  }

  get text(): string | undefined {
    return this.#options.text;
  }

  // deno-lint-ignore require-yield -- a text that has been read is written in one go
  *write(changes: ReadonlyMap<number, string>): Work<string> {
    const { head, data, isBase64 } = this.#options;
    const text = changes.get(BODY);
    const written = text === undefined
      ? data
      : isBase64
      ? new TextEncoder().encode(text).toBase64()
      : encodeURIComponent(text);
    return (changes.get(HEAD) ?? head) + written;
  }
}

/** Undefined for what is no address with data in it, and is read as text. */
export function* parseDataAddress(address: string): Work<DocumentText | undefined> {
  if (!/^data:/i.test(address.slice(0, 5))) return undefined;
  const comma = address.indexOf(",");
  if (comma < 0) return undefined;
  const head = address.slice(0, comma + 1);
  const data = address.slice(comma + 1);
  if (/;\s*base64\s*,$/i.test(head.slice(-16))) return yield* parseBase64(data, head);
  const text = decodePercent(data);
  return text === undefined ? undefined : new DocumentText({ head, data, text, isBase64: false });
}

/** A file as it was sent: a data address, or bare base64. Undefined for what is neither. */
export function* parseFile(data: string): Work<DocumentText | undefined> {
  return (yield* parseDataAddress(data)) ?? (yield* parseBase64(data, ""));
}

/** Types without a text that could be read. */
const binaryTypes = /^data:(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:pdf|zip|vnd\.|msword))/i;

function* parseBase64(data: string, head: string): Work<DocumentText | undefined> {
  // Words are base64 as well, as far as decoders go.
  if (data.includes(" ")) return undefined;
  const reader = binaryTypes.test(head.slice(0, 64)) ? undefined : new TextReader();
  for (const group of base64Groups(data)) {
    const bytes = decodeGroup(group);
    if (bytes === undefined) return undefined;
    reader?.add(bytes);
    yield;
  }
  return new DocumentText({ head, data, text: reader?.end(), isBase64: true });
}

function decodeGroup(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(base64);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Bytes as a text, if they are one. */
class TextReader {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #parts: string[] | undefined = [];

  add(bytes: Uint8Array): void {
    this.#read(() => this.#decoder.decode(bytes, { stream: true }));
  }

  end(): string | undefined {
    this.#read(() => this.#decoder.decode());
    return this.#parts?.join("");
  }

  #read(decode: () => string): void {
    if (this.#parts === undefined) return;
    try {
      const text = decode();
      if (text.includes("\0")) this.#parts = undefined;
      else this.#parts.push(text);
    } catch (error) {
      // It is no UTF-8.
      if (!(error instanceof TypeError)) throw error;
      this.#parts = undefined;
    }
  }
}

function decodePercent(data: string): string | undefined {
  try {
    return decodeURIComponent(data);
  } catch (error) {
    // Then it is read as it stands.
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
