/** The index of a file as it is kept: lines of JSON, the first about the file, the others for a part of its text each. */

import * as z from "zod";
import { tryParseJson } from "../../../../shared/util/json.ts";
import { isLongText, nextLongStep } from "../../../../shared/util/long_step.ts";
import {
  INDEX_VERSION,
  type IndexPart,
  indexPartSchema,
  TermTable,
} from "../../../web/file_index/index_part.ts";

/** Why a file has no text that could be searched, for good. */
const lackSchema = z.string().optional();

const headSchema = z.strictObject({
  version: z.literal(INDEX_VERSION),
  parts: z.int().nonnegative(),
  /** Only the beginning of its text was read. */
  truncated: z.boolean(),
  title: z.string().optional(),
  /** Sentence about why it has no text. */
  lack: lackSchema,
});
export type IndexHead = z.output<typeof headSchema>;

/** A part as it is searched. */
export interface SearchedPart extends Pick<IndexPart, "text" | "pieces"> {
  readonly terms: TermTable;
  /** UTF-16 units of the file's text before it. */
  readonly offset: number;
}

export interface FileIndex extends Omit<IndexHead, "parts" | "version"> {
  readonly parts: readonly SearchedPart[];
  /** UTF-16 units of its text. */
  readonly length: number;
  /** Bytes in memory, about. */
  readonly size: number;
}

type IndexFacts = Omit<IndexHead, "parts" | "version">;

export function fileIndexOf(facts: IndexFacts, parts: readonly IndexPart[]): FileIndex {
  let [length, size] = [0, 1_000];
  const searched = parts.map(({ text, pieces, ...encoded }): SearchedPart => {
    const terms = new TermTable(encoded);
    const offset = length;
    length += text.length;
    size += 2 * text.length + terms.size;
    return { text, pieces, terms, offset };
  });
  return { ...facts, parts: searched, length, size };
}

const encoder = new TextEncoder();

export async function* encodeIndex(
  facts: IndexFacts,
  parts: readonly IndexPart[],
): AsyncGenerator<Uint8Array> {
  const head: IndexHead = { version: INDEX_VERSION, parts: parts.length, ...facts };
  for (const line of [head, ...parts]) {
    yield await Promise.resolve(encoder.encode(`${JSON.stringify(line)}\n`));
  }
}

/** Undefined for what is damaged, or of another version: it is made anew. */
export async function decodeIndex(content: ReadableStream<Uint8Array>): Promise<FileIndex | undefined> {
  const text = await new Response(content).text();
  const [first = "", ...lines] = text.split("\n");
  const head = headSchema.safeParse(tryParseJson(first)).data;
  if (head === undefined) return undefined;
  const { version: _same, parts: count, ...facts } = head;
  const parts: IndexPart[] = [];
  for (const line of lines.slice(0, count)) {
    if (isLongText(text.length)) await nextLongStep();
    const { data } = indexPartSchema.safeParse(tryParseJson(line));
    if (data === undefined) return undefined;
    parts.push(data);
  }
  return parts.length === count ? tryFileIndex(facts, parts) : undefined;
}

function tryFileIndex(facts: IndexFacts, parts: readonly IndexPart[]): FileIndex | undefined {
  try {
    return fileIndexOf(facts, parts);
  } catch (error) {
    if (error instanceof RangeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
