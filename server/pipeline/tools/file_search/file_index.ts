/** The index of a file as it is kept: lines of JSON, the first about the file, the others for a part of its text each. */

import * as z from "zod";
import { tryParseJson } from "../../../../shared/util/json.ts";
import { nextLongStep } from "../../../../shared/util/long_step.ts";
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

/** Rejects with a RangeError or SyntaxError where a part is damaged. */
export async function fileIndexOf(
  facts: IndexFacts,
  parts: Iterable<IndexPart> | AsyncIterable<IndexPart>,
): Promise<FileIndex> {
  let [length, size] = [0, 1_000];
  const searched: SearchedPart[] = [];
  for await (const { text, pieces, ...encoded } of parts) {
    if (searched.length > 0) await nextLongStep();
    const terms = new TermTable(encoded);
    searched.push({ text, pieces, terms, offset: length });
    length += text.length;
    size += 2 * text.length + terms.size;
  }
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
  const lines = linesOf(content);
  try {
    const head = headSchema.safeParse(parsedOf(await lines.next())).data;
    if (head === undefined) return undefined;
    const { version: _same, parts: count, ...facts } = head;
    const index = await fileIndexOf(facts, partsIn(lines));
    return index.parts.length === count ? index : undefined;
  } catch (error) {
    if (error instanceof RangeError || error instanceof SyntaxError) return undefined;
    throw error;
  } finally {
    await lines.return(undefined);
  }
}

const parsedOf = ({ value, done }: IteratorResult<string, unknown>): unknown =>
  done ? undefined : tryParseJson(value);

async function* partsIn(lines: AsyncIterable<string>): AsyncGenerator<IndexPart> {
  for await (const line of lines) {
    const { data } = indexPartSchema.safeParse(tryParseJson(line));
    if (data === undefined) throw new SyntaxError("A part of the index is damaged");
    yield data;
  }
}

/** Lines of a text that has a line end behind each. */
async function* linesOf(content: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let line = "";
  for await (const bytes of content) {
    const [more = "", ...others] = decoder.decode(bytes, { stream: true }).split("\n");
    line += more;
    for (const next of others) {
      yield line;
      line = next;
    }
  }
  if (line !== "") yield line;
}
