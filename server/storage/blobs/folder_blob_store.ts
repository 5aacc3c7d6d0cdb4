/**
 * Blobs as files of a folder. A blob is written under a temporary name, synced and renamed, and the folder is synced:
 * after a crash it is there as a whole or not at all.
 */

import { BlobDigest } from "./blob_digest.ts";
import {
  BlobError,
  type BlobKey,
  blobPath,
  type BlobStore,
  type ByteRange,
  type ListedBlob,
  parseBlobPath,
  type StoredBlob,
} from "./blob_store.ts";

/** Bytes that are read at a time. */
const READ_BYTES = 256 * 1024;
/** Folder of unfinished blobs. No workspace has this name. */
const TEMPORARY = "tmp";

export class FolderBlobStore implements BlobStore {
  readonly location: string;
  /** Every write moves the time of the file. */
  readonly unfinishedMs = 3_600_000;

  /** `folder` is made when the first blob is written. */
  constructor(folder: string) {
    this.location = folder;
  }

  async put(key: BlobKey, content: AsyncIterable<Uint8Array>): Promise<StoredBlob> {
    const temporary = `${this.location}/${TEMPORARY}/${key.id}`;
    const path = this.#path(key);
    try {
      await makeFolder(`${this.location}/${TEMPORARY}`);
      const stored = (await writeFile(temporary, content)).describe(key);
      await this.#makeFolders(key);
      await Deno.rename(temporary, path);
      await syncFolder(path.slice(0, path.lastIndexOf("/")));
      return stored;
    } catch (error) {
      await removeFile(temporary);
      throw asBlobError(error, "write");
    }
  }

  async open(key: BlobKey, range?: ByteRange): Promise<ReadableStream<Uint8Array> | undefined> {
    const file = await openFile(this.#path(key));
    if (file === undefined || range === undefined) return file && streamOf(file, Infinity);
    await file.seek(range.offset, Deno.SeekMode.Start);
    return streamOf(file, range.length);
  }

  async delete(key: BlobKey): Promise<void> {
    await removeFile(this.#path(key)).catch((error) => {
      throw asBlobError(error, "delete");
    });
  }

  async *list(workspaceId?: string): AsyncGenerator<ListedBlob> {
    const workspaces = workspaceId === undefined ? await namesIn(this.location) : [workspaceId];
    for (const workspace of workspaces) {
      if (workspace === TEMPORARY) continue;
      for (const start of await namesIn(`${this.location}/${workspace}`)) {
        for (const id of await namesIn(`${this.location}/${workspace}/${start}`)) {
          const key = parseBlobPath(`${workspace}/${start}/${id}`);
          const modifiedAt = key && await modificationTime(this.#path(key));
          if (key && modifiedAt !== undefined) yield { ...key, modifiedAt };
        }
      }
    }
  }

  async removeUnfinished(before: number): Promise<number> {
    let removed = 0;
    for (const name of await namesIn(`${this.location}/${TEMPORARY}`)) {
      const path = `${this.location}/${TEMPORARY}/${name}`;
      const at = await modificationTime(path);
      if (at === undefined || at >= before) continue;
      await removeFile(path);
      removed++;
    }
    return removed;
  }

  #path(key: BlobKey): string {
    return `${this.location}/${blobPath(key)}`;
  }

  /** Folders that are new have to outlast a crash too. */
  async #makeFolders(key: BlobKey): Promise<void> {
    const parents = [this.location, `${this.location}/${key.workspaceId}`];
    const folder = `${this.location}/${key.workspaceId}/${key.id.slice(-2)}`;
    if (await modificationTime(folder) !== undefined) return;
    await makeFolder(folder);
    for (const parent of parents) await syncFolder(parent);
  }
}

function asBlobError(error: unknown, verb: string): unknown {
  const isSystem = error instanceof Error && ("code" in error || isDenoError(error));
  return isSystem ? new BlobError(`Cannot ${verb} file: ${error.message}`, { cause: error }) : error;
}

const isDenoError = (error: Error): boolean =>
  Object.values(Deno.errors).some((type) => error instanceof type);

const makeFolder = (path: string) => Deno.mkdir(path, { recursive: true, mode: 0o700 });

async function writeFile(path: string, content: AsyncIterable<Uint8Array>): Promise<BlobDigest> {
  const digest = new BlobDigest();
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  for await (const bytes of content) {
    digest.add(bytes);
    for (let written = 0; written < bytes.length;) written += await file.write(bytes.subarray(written));
  }
  await file.sync();
  return digest;
}

/** Writes a rename in a folder to the disk. Windows has no such call and needs none. */
async function syncFolder(path: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  using folder = await Deno.open(path);
  await folder.sync();
}

async function openFile(path: string): Promise<Deno.FsFile | undefined> {
  return await ifThere(Deno.open(path));
}

async function ifThere<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw asBlobError(error, "read");
  }
}

async function modificationTime(path: string): Promise<number | undefined> {
  return (await ifThere(Deno.stat(path)))?.mtime?.getTime();
}

async function removeFile(path: string): Promise<void> {
  await ifThere(Deno.remove(path));
}

async function namesIn(path: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of Deno.readDir(path)) names.push(name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw asBlobError(error, "list");
  }
  return names;
}

/** A file that cannot be read is of no further use: nobody cancels a stream that has broken. */
async function readOrClose(file: Deno.FsFile, room: Uint8Array): Promise<number | null> {
  try {
    return await file.read(room);
  } catch (error) {
    file.close();
    throw asBlobError(error, "read");
  }
}

/** At most `length` bytes of a file, from where it stands; the file closes with the stream. */
function streamOf(file: Deno.FsFile, length: number): ReadableStream<Uint8Array> {
  let left = length;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const room = new Uint8Array(Math.min(READ_BYTES, left));
      const read = left === 0 ? null : await readOrClose(file, room);
      if (read === null) {
        file.close();
        return controller.close();
      }
      left -= read;
      controller.enqueue(room.subarray(0, read));
    },
    cancel: () => file.close(),
  }, { highWaterMark: 0 });
}
