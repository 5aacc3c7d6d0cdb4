/** Tells of most requests at once that no filter finds anything in them; others are read text by text. */

import type { ModelRequest } from "../canonical/request.ts";
import type { FilterView } from "./content_filters.ts";
import { isShortAndClean, opaqueFields, utf8Length } from "./scan_text.ts";

export interface CleanRequest {
  /** Of text, in UTF-8. */
  readonly bytes: number;
  /** Parts that cannot be read. */
  readonly unscanned: number;
}

export interface CleanOptions {
  /** All filters: what is not a user's is read too strictly, and again where something is found. */
  readonly view: FilterView;
  /** Whether it was read before. */
  readonly isKnown: (value: object) => boolean;
}

/** Code units of a request that are read without a pause. */
const MOST_CHARS = 64 * 1024;
const MAX_DEPTH = 50;

/** Undefined where a filter finds something, or only a closer look can tell. */
export function readCleanRequest(request: ModelRequest, options: CleanOptions): CleanRequest | undefined {
  const { instructions, input, tools, format, extra, metadata, imageConfig, speech } = request;
  const reader = new CleanReader(options);
  const isClean = reader.isClean(instructions) && reader.isClean(input) && reader.isClean(tools) &&
    (format.type !== "json_schema" || reader.isClean(format)) && reader.isClean(extra) &&
    reader.isClean(metadata) && reader.isClean(imageConfig) && reader.isClean(speech?.options);
  if (!isClean) return undefined;
  return { bytes: reader.bytes, unscanned: reader.unscanned + (speech?.reference === undefined ? 0 : 1) };
}

const unreadable: ReadonlySet<unknown> = new Set(["image", "file", "audio", "video"]);

class CleanReader {
  readonly #options: CleanOptions;
  bytes = 0;
  unscanned = 0;
  #chars = 0;

  constructor(options: CleanOptions) {
    this.#options = options;
  }

  isClean(value: unknown, depth = 0): boolean {
    if (typeof value === "string") return this.#isCleanText(value);
    if (typeof value !== "object" || value === null) return true;
    if (this.#options.isKnown(value)) return true;
    if (depth > MAX_DEPTH) return false;
    if (Array.isArray(value)) return value.every((item) => this.isClean(item, depth + 1));
    return this.#isCleanObject(value, depth);
  }

  /** Arguments of calls have their texts encoded, which a closer look decodes. */
  #isCleanObject(value: object, depth: number): boolean {
    if ("arguments" in value) return false;
    if ("type" in value && unreadable.has(value.type)) this.unscanned++;
    for (const [name, field] of Object.entries(value)) {
      if (name === "encrypted") {
        // What the gateway has marked can be read.
        if (typeof field === "string" && field.startsWith("tg2.")) return false;
        this.unscanned += field === undefined ? 0 : 1;
      } else if (name !== "data" && !opaqueFields.has(name) && !this.isClean(field, depth + 1)) return false;
    }
    return true;
  }

  #isCleanText(text: string): boolean {
    // Images and the like stand in data URLs.
    if (text.startsWith("data:")) return true;
    this.#chars += text.length;
    this.bytes += utf8Length(text);
    return this.#chars <= MOST_CHARS && isShortAndClean(text, this.#options.view);
  }
}
