/** Makes the indexes of files that have none: small texts many at a time, everything else one by one. */

import { SharedWork } from "../../../../shared/util/memo.ts";
import { isPlainType, isReadableType } from "../../../web/reader/document_type.ts";
import { describeLack, MAX_CHARACTERS, type Reader } from "../../../web/reader/reader.ts";
import {
  type Indexer,
  MAX_INDEX_BYTES,
  MAX_INDEX_TEXTS,
  MAX_TEXT_BYTES,
} from "../../../web/file_index/indexer.ts";
import type { IndexPart } from "../../../web/file_index/index_part.ts";
import type { Logger } from "../../../runtime.ts";
import { encodeIndex, type FileIndex, fileIndexOf, type IndexHead } from "./file_index.ts";
import { splitText } from "./split_text.ts";
import type { WorkspaceFile, WorkspaceFiles } from "./workspace_files.ts";

/** Most bytes of the text of all files of a search, and so of one file. */
export const MAX_SEARCH_BYTES = 50 * 1000 * 1000;
/** Bytes of a document that its reader takes. */
const MAX_DOCUMENT_BYTES = 15 * 1024 * 1024;
/** Makers at the same time: each computes in a process of its own. */
const AT_ONCE = 2;
/** Files that a maker has open. */
const OPEN_AT_ONCE = 16;

interface IndexMakerDeps {
  readonly files: Pick<WorkspaceFiles, "open" | "keepIndex">;
  readonly read: Reader;
  readonly index: Indexer;
  readonly log: Logger;
}

type IndexFacts = Omit<IndexHead, "version" | "parts">;

interface Waiting {
  readonly file: WorkspaceFile;
  readonly resolve: (index: FileIndex | undefined) => void;
}

export class IndexMaker {
  readonly #deps: IndexMakerDeps;
  readonly #making = new SharedWork<string, FileIndex | undefined>();
  #waiting: Waiting[] = [];
  #running = 0;

  constructor(deps: IndexMakerDeps) {
    this.#deps = deps;
  }

  /** Undefined where it cannot be made now. Does not reject. It goes on though nobody waits any more. */
  make(file: WorkspaceFile): Promise<FileIndex | undefined> {
    return this.#making.run(file.id, () => {
      const { promise, resolve } = Promise.withResolvers<FileIndex | undefined>();
      this.#waiting.push({ file, resolve });
      // Those who ask in the same moment come into one batch.
      queueMicrotask(() => this.#start());
      return promise;
    });
  }

  #start(): void {
    while (this.#running < AT_ONCE && this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      this.#running++;
      this.#makeBatch(batch).finally(() => {
        this.#running--;
        this.#start();
      });
    }
  }

  #takeBatch(): readonly Waiting[] {
    const [first] = this.#waiting;
    let size = 0;
    const batch = this.#waiting.filter((one) => {
      if (one === first) {
        size += one.file.size;
        return true;
      }
      if (first === undefined || !isSmallText(first.file) || !isSmallText(one.file)) return false;
      size += one.file.size;
      return size <= MAX_INDEX_BYTES;
    }).slice(0, MAX_INDEX_TEXTS);
    const taken = new Set(batch);
    this.#waiting = this.#waiting.filter((one) => !taken.has(one));
    return batch;
  }

  async #makeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const [first] = batch;
      if (first === undefined) return;
      if (isSmallText(first.file)) await this.#makeSmall(batch);
      else first.resolve(await this.#makeOne(first.file));
    } catch (error) {
      const { file } = batch[0] ?? {};
      this.#deps.log.warn("Index of files not made", {
        workspace: file?.workspaceId,
        file: file?.id,
        error: String(error),
      });
    } finally {
      // Harmless for those that have theirs.
      for (const { resolve } of batch) resolve(undefined);
    }
  }

  async #makeSmall(batch: readonly Waiting[]): Promise<void> {
    const there = await this.#readSmall(batch);
    const indexes = await this.#deps.index(there.map(({ bytes }) => bytes));
    for (const [at, { one }] of there.entries()) {
      const part = indexes?.[at];
      if (part === undefined) continue;
      one.resolve(await this.#keep(one.file, { facts: factsOf(part), parts: part === null ? [] : [part] }));
    }
  }

  /** A few at a time: each takes an open file. */
  async #readSmall(batch: readonly Waiting[]): Promise<readonly ReadFile[]> {
    const there: ReadFile[] = [];
    for (let at = 0; at < batch.length; at += OPEN_AT_ONCE) {
      const some = batch.slice(at, at + OPEN_AT_ONCE);
      const read = await Promise.all(
        some.map(async (one) => ({ one, bytes: await this.#bytesOf(one.file) })),
      );
      there.push(...read.flatMap(({ one, bytes }) => bytes === undefined ? [] : [{ one, bytes }]));
    }
    return there;
  }

  async #makeOne(file: WorkspaceFile): Promise<FileIndex | undefined> {
    if (!isReadableType(file.mimeType)) {
      const lack = `It is of the type ${file.mimeType}, which has no text.`;
      return await fileIndexOf({ truncated: false, lack }, []);
    }
    if (!isPlainType(file.mimeType)) return await this.#makeOfDocument(file);
    const content = await this.#deps.files.open(file);
    if (content === undefined) return undefined;
    const { parts, truncated } = await splitText(content, MAX_SEARCH_BYTES);
    return await this.#makeOfParts(file, { parts, facts: { truncated } });
  }

  async #makeOfDocument(file: WorkspaceFile): Promise<FileIndex | undefined> {
    const failed = (lack: string) => this.#keep(file, { facts: { truncated: false, lack }, parts: [] });
    if (file.size > MAX_DOCUMENT_BYTES) {
      return await failed(`It is larger than ${MAX_DOCUMENT_BYTES / 1024 / 1024} MiB.`);
    }
    const body = await this.#bytesOf(file);
    if (body === undefined) return undefined;
    const { signal } = new AbortController();
    const input = { body, contentType: file.mimeType, url: "", maxCharacters: MAX_CHARACTERS, signal };
    const read = await this.#deps.read(input);
    if (read.type === "failed") return read.isPassing ? undefined : await failed(read.message);
    if (read.lack !== undefined) return await failed(describeLack(read.lack));
    const { truncated, title } = read;
    const whole = new Blob([read.text]).stream();
    const { parts } = await splitText(whole, MAX_SEARCH_BYTES);
    return await this.#makeOfParts(file, { parts, facts: { truncated, title } });
  }

  async #makeOfParts(file: WorkspaceFile, { parts, facts }: TextParts): Promise<FileIndex | undefined> {
    const made: IndexPart[] = [];
    for (const group of groupsOf(parts)) {
      const indexes = await this.#deps.index(group);
      if (indexes === undefined) return undefined;
      made.push(...indexes.filter((one) => one !== null));
    }
    return await this.#keep(file, { facts, parts: made });
  }

  async #keep(file: WorkspaceFile, { facts, parts }: MadeIndex): Promise<FileIndex> {
    await this.#deps.files.keepIndex(file, encodeIndex(facts, parts));
    return await fileIndexOf(facts, parts);
  }

  async #bytesOf(file: WorkspaceFile): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const content = await this.#deps.files.open(file);
    return content === undefined ? undefined : await new Response(content).bytes();
  }
}

interface ReadFile {
  readonly one: Waiting;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface TextParts {
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
  readonly facts: IndexFacts;
}

interface MadeIndex {
  readonly parts: readonly IndexPart[];
  readonly facts: IndexFacts;
}

const isSmallText = ({ mimeType, size }: WorkspaceFile): boolean =>
  size <= MAX_TEXT_BYTES && isPlainType(mimeType);

const factsOf = (part: IndexPart | null): IndexFacts =>
  part === null
    ? { truncated: false, lack: "It is no text, whatever its type says." }
    : { truncated: false, ...(part.pieces.length === 0 ? { lack: "It has no text." } : {}) };

/** As many as are indexed in one go. */
function* groupsOf(parts: readonly Uint8Array<ArrayBuffer>[]): Generator<readonly Uint8Array<ArrayBuffer>[]> {
  const most = Math.floor(MAX_INDEX_BYTES / MAX_TEXT_BYTES);
  for (let at = 0; at < parts.length; at += most) yield parts.slice(at, at + most);
}
