/**
 * The type of a file by its bytes, whatever its name and its sender say (specification, Files): a type that a page or
 * a model would take for another one is not stored under a wrong name.
 */

import { Buffer } from "node:buffer";
import { ApiError } from "../../../shared/errors.ts";
import { TextCheck } from "./text_check.ts";
import { MAX_PARSED, textType } from "./text_type.ts";

const office = "application/vnd.openxmlformats-officedocument.";

/** Types that may be uploaded besides text, by the name that `magic-bytes.js` has for them. */
const allowed: ReadonlyMap<string, string> = new Map([
  ["application/pdf", "application/pdf"],
  ["image/png", "image/png"],
  ["image/jpeg", "image/jpeg"],
  ["image/gif", "image/gif"],
  ["image/webp", "image/webp"],
  ["audio/mpeg", "audio/mpeg"],
  ["audio/wav", "audio/wav"],
  ["audio/x-wav", "audio/wav"],
  ["audio/flac", "audio/flac"],
  ["audio/ogg", "audio/ogg"],
  ["application/ogg", "audio/ogg"],
]);

/** Office documents are archives: the folder of their parts tells which, by the names of the first files. */
const officeParts: ReadonlyMap<string, string> = new Map([
  ["word/", `${office}wordprocessingml.document`],
  ["xl/", `${office}spreadsheetml.sheet`],
  ["ppt/", `${office}presentationml.presentation`],
]);

interface FoundType {
  /** Undefined for text, and for what may not be uploaded. */
  readonly type: string | undefined;
  /** Unless later bytes show that it is none. */
  readonly isText: boolean;
  /** For the error. */
  readonly name: string;
}

async function findType(head: Buffer): Promise<FoundType> {
  if (head.subarray(0, 4).equals(ZIP)) {
    return { type: officeType(head), name: "application/zip", isText: false };
  }
  const { filetypemime } = await import("magic-bytes.js");
  const names = filetypemime(head.subarray(0, 4_096));
  const type = names.map((name) => allowed.get(name)).find((one) => one !== undefined);
  return { type, name: names[0] ?? "binary data of an unknown kind", isText: type === undefined };
}

/** Beginning of every entry of an archive. */
const ZIP = Buffer.from("PK\x03\x04");

/** The first entry of an OpenDocument archive is stored as it is and holds the type. */
const OPEN_DOCUMENT =
  /^PK.{28}mimetype(application\/vnd\.oasis\.opendocument\.(?:text|spreadsheet|presentation))PK/s;

function officeType(head: Buffer): string | undefined {
  const openDocument = OPEN_DOCUMENT.exec(head.toString("latin1", 0, 256))?.[1];
  if (openDocument !== undefined) return openDocument;
  if (!head.includes("[Content_Types].xml")) return undefined;
  return [...officeParts].find(([folder]) => head.includes(folder))?.[1];
}

const kinds =
  "PDF, PNG, JPEG, GIF, WebP, DOCX, XLSX, PPTX, ODT, ODS, ODP, MP3, WAV, FLAC, OGG, and text in UTF-8";

function notAllowed(found: string): ApiError {
  return new ApiError("invalid_request", `Cannot upload file: it is ${found}; allowed are ${kinds}`, {
    metadata: { path: "file" },
  });
}

const empty = () =>
  new ApiError("invalid_request", "Cannot upload file: it is empty", { metadata: { path: "file" } });

/** Bytes by which the type is known. */
const HEAD_BYTES = 64 * 1024;

/** Bytes on their way, and the type once they have passed. */
export class TypedContent implements AsyncIterable<Uint8Array> {
  readonly #content: AsyncIterable<Uint8Array>;
  readonly #anyType: boolean;
  #type: string | undefined;
  /** Type that the content looks like, for the error. */
  #name = "";
  #isText = false;
  readonly #check = new TextCheck();
  readonly #decoder = new TextDecoder();
  #text = "";
  #isWhole = true;

  /** `anyType`: what is neither of the allowed kinds nor text is `application/octet-stream`. */
  constructor(content: AsyncIterable<Uint8Array>, { anyType = false } = {}) {
    this.#content = content;
    this.#anyType = anyType;
  }

  /** Known once all bytes were read. */
  get type(): string {
    return this.#type ?? textType({ text: this.#text, whole: this.#isWhole });
  }

  /** Throws an ApiError (400) for what is empty or of another kind, unless any type will do. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const head: Uint8Array[] = [];
    let size = 0;
    for await (const bytes of this.#content) {
      if (size >= HEAD_BYTES) {
        this.#look(bytes);
        yield bytes;
        continue;
      }
      head.push(bytes);
      size += bytes.length;
      if (size >= HEAD_BYTES) yield await this.#begin(head);
    }
    if (size === 0 && !this.#anyType) throw empty();
    if (size < HEAD_BYTES) yield await this.#begin(head);
    this.#look();
  }

  async #begin(chunks: readonly Uint8Array[]): Promise<Uint8Array> {
    const head = Buffer.concat(chunks);
    const { type, name, isText } = await findType(head);
    this.#type = type;
    this.#name = name;
    this.#isText = isText;
    if (type === undefined && !isText) this.#refuse();
    this.#look(head);
    return head;
  }

  /** The next bytes of what may be text; none: it is over. */
  #look(bytes?: Uint8Array): void {
    if (!this.#isText) return;
    if (!this.#check.take(bytes)) return this.#refuse();
    if (bytes === undefined) return;
    this.#isWhole &&= this.#text.length + bytes.length <= MAX_PARSED;
    if (this.#text.length < MAX_PARSED) this.#text += this.#decoder.decode(bytes, { stream: true });
  }

  #refuse(): void {
    if (!this.#anyType) throw notAllowed(this.#name);
    this.#type = "application/octet-stream";
    this.#isText = false;
  }
}
