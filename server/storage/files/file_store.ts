/**
 * Files of workspaces: a record in the store and a blob with the bytes. The blob is written first and removed last,
 * so that every record has its bytes; a crash in between leaves a blob without a record, which the retention job
 * removes (file_retention.ts).
 */

import { ApiError } from "../../../shared/errors.ts";
import type { FileOrigin } from "../../../shared/files.ts";
import { BlobError, type BlobStore, type ByteRange, type StoredBlob } from "../blobs/blob_store.ts";
import { pauseBefore } from "../stores/pause.ts";
import type { Store, StorePut, VersionCheck } from "../stores/store.ts";
import type { Runtime } from "../../runtime.ts";
import { TypedContent } from "./detect_type.ts";
import { type FileLimits, requireRoom, upTo } from "./file_limits.ts";
import { indexBlobKey } from "./file_indexes.ts";
import { cleanFileName } from "./file_name.ts";
import { blobKeyOf, fileCollection, fileDeletes, filesByKey, fileUsage } from "./file_rows.ts";
import type { FileRow, StoredContent } from "./file_rows.ts";
import { type FileListQuery, listFiles, newestFiles } from "./list_files.ts";
import { verifiedContent, withReadErrors } from "./verified_content.ts";

/** With pauses of up to 250 ms these take several seconds. */
const TRIES = 50;

/** Records that are read at a time. */
const PAGE = 500;

interface FileStoreOptions {
  readonly store: Store;
  /** Undefined where no files are taken. */
  readonly blobs?: BlobStore;
  readonly runtime: Pick<Runtime, "clock" | "random" | "id" | "log">;
  readonly limits: FileLimits;
}

/** Bytes that were written and that no record names yet. */
export interface WrittenContent {
  readonly blob: StoredBlob;
  readonly mimeType: string;
}

interface WriteContentOptions {
  /** Also what clients may not upload. */
  readonly anyType?: boolean;
}

/** Fields of a record besides its content. */
interface FileDetails {
  /** Ledger id of the API key that makes it. */
  readonly keyId: string | null;
  readonly filename: string;
  readonly origin: FileOrigin;
  readonly purpose?: string;
  /** Belongs into the commit: the workspace is there, as it was when this was asked for. Throws an ApiError. */
  readonly workspaceCheck: () => Promise<VersionCheck>;
  /** Makes the rows that are written in the same commit. */
  readonly puts?: (row: FileRow) => readonly StorePut[];
}

export class FileStore {
  readonly #options: FileStoreOptions;

  constructor(options: FileStoreOptions) {
    this.#options = options;
  }

  /** Throws an ApiError (400) where bytes have no place. */
  get blobs(): BlobStore {
    const { blobs } = this.#options;
    if (blobs !== undefined) return blobs;
    throw new ApiError(
      "invalid_request",
      "This gateway has no place for files: its operator has set TOLLGATE_BLOBS to off.",
    );
  }

  /** Before the first byte of an upload. Throws an ApiError (413) where the workspace is full. */
  async prepare(workspaceId: string, workspaceCheck: FileDetails["workspaceCheck"]): Promise<void> {
    const { store, limits } = this.#options;
    const usage = fileUsage(store);
    const found = await usage.get(workspaceId);
    if (found !== undefined) return requireRoom(found.record, { bytes: 1, limits });
    // A conflict says that another upload has come first.
    await store.commit({
      checks: [await workspaceCheck(), usage.check([workspaceId], null)],
      puts: [usage.put([workspaceId], { files: 0, bytes: 0 })],
      small: true,
    });
  }

  /** Writes what comes. Throws an ApiError for what is empty, too large, or of a type that is not allowed. */
  async writeContent(
    workspaceId: string,
    content: AsyncIterable<Uint8Array>,
    options: WriteContentOptions = {},
  ): Promise<WrittenContent> {
    const { runtime, limits } = this.#options;
    const typed = new TypedContent(upTo(limits.maxFileBytes, content), options);
    const blob = await this.blobs.put({ workspaceId, id: runtime.id() }, typed).catch(this.#logFailure);
    return { blob, mimeType: typed.type };
  }

  /** Removes what was written and is not wanted. What cannot be removed now goes with the retention job. */
  async discardContent({ blob }: WrittenContent): Promise<void> {
    await this.#deleteBlob({ workspace_id: blob.workspaceId, id: blob.id });
  }

  /** Makes the record of what was written; whatever fails, the content is gone too. */
  async commit(written: WrittenContent, details: FileDetails): Promise<FileRow> {
    try {
      const row = this.#rowOf(written, details);
      await this.#commitRow(row, details);
      return row;
    } catch (error) {
      await this.discardContent(written);
      throw error;
    }
  }

  #rowOf({ blob, mimeType }: WrittenContent, details: FileDetails): FileRow {
    return {
      id: blob.id,
      workspace_id: blob.workspaceId,
      key_id: details.keyId,
      filename: cleanFileName(details.filename),
      mime_type: mimeType,
      size: blob.size,
      sha256: blob.sha256,
      origin: details.origin,
      purpose: details.purpose ?? null,
      created_at: new Date(this.#options.runtime.clock.now()).toISOString(),
    };
  }

  async #commitRow(row: FileRow, { workspaceCheck, puts = () => [] }: FileDetails): Promise<void> {
    const { store, limits } = this.#options;
    const usage = fileUsage(store);
    await this.#retry(async () => {
      const found = await usage.get(row.workspace_id);
      const { files, bytes } = found?.record ?? { files: 0, bytes: 0 };
      requireRoom({ files, bytes }, { bytes: row.size, limits });
      const { type } = await store.commit({
        checks: [await workspaceCheck(), usage.check([row.workspace_id], found?.version ?? null)],
        puts: [
          fileCollection(store).put([row.workspace_id, row.id], row),
          ...(row.key_id === null
            ? []
            : [filesByKey(store).put([row.key_id, row.id], { workspace_id: row.workspace_id })]),
          usage.put([row.workspace_id], { files: files + 1, bytes: bytes + row.size }),
          ...puts(row),
        ],
        small: true,
      });
      return type === "ok";
    });
  }

  async find(workspaceId: string, id: string): Promise<FileRow | undefined> {
    return (await fileCollection(this.#options.store).get(workspaceId, id))?.record;
  }

  /** One more than `limit` where there are more. */
  list(query: FileListQuery): Promise<readonly FileRow[]> {
    return listFiles(this.#options.store, query);
  }

  /** The newest files of a workspace, the last one first. */
  newest(workspaceId: string, most: number): Promise<readonly FileRow[]> {
    return newestFiles(this.#options.store, { workspaceId, most });
  }

  /** False when it was gone already. The bytes go behind the record. */
  async delete(row: FileRow, puts: readonly StorePut[] = []): Promise<boolean> {
    const { store } = this.#options;
    const [rows, usage] = [fileCollection(store), fileUsage(store)];
    let deleted = false;
    await this.#retry(async () => {
      const found = await rows.get(row.workspace_id, row.id);
      if (found === undefined) return true;
      const used = await usage.get(row.workspace_id);
      const { files, bytes } = used?.record ?? { files: 1, bytes: row.size };
      const { type } = await store.commit({
        checks: [
          rows.check([row.workspace_id, row.id], found.version),
          usage.check([row.workspace_id], used?.version ?? null),
        ],
        puts: [
          usage.put([row.workspace_id], {
            files: Math.max(0, files - 1),
            bytes: Math.max(0, bytes - row.size),
          }),
          ...puts,
        ],
        deletes: fileDeletes(store, row),
        small: true,
      });
      deleted = type === "ok";
      return deleted;
    });
    if (deleted) await this.#deleteBlob(row);
    return deleted;
  }

  /** Whole or a part of them. Throws an ApiError (404) where a record has lost its bytes. */
  async open(row: StoredContent, range?: ByteRange): Promise<ReadableStream<Uint8Array>> {
    const opened = await this.blobs.open(blobKeyOf(row), range).catch(this.#logFailure);
    if (opened === undefined) {
      throw new ApiError("not_found", "The content of this file is gone: only its record is left.");
    }
    const { log } = this.#options.runtime;
    const content = withReadErrors(opened, (error) => {
      log.error("File storage failed", { workspace: row.workspace_id, file: row.id, error: String(error) });
    });
    if (range !== undefined) return content;
    const damaged = () => log.error("File content is damaged", { workspace: row.workspace_id, file: row.id });
    return verifiedContent(row, { content, damaged });
  }

  /** Removes the records and then the bytes of a workspace that is being deleted. Harmless where nothing is left. */
  async removeWorkspace(workspaceId: string): Promise<void> {
    const { store, blobs, runtime } = this.#options;
    const rows = fileCollection(store);
    for (;;) {
      const page = await rows.list({ within: [workspaceId], limit: PAGE });
      if (page.length === 0) break;
      await store.commit({ deletes: page.flatMap(({ record }) => fileDeletes(store, record)), small: true });
    }
    const usage = fileUsage(store);
    if (await usage.get(workspaceId) !== undefined) {
      const deleted_at = new Date(runtime.clock.now()).toISOString();
      await store.commit({
        puts: [usage.put([workspaceId], { files: 0, bytes: 0, deleted_at })],
        small: true,
      });
    }
    if (blobs === undefined) return;
    for await (const blob of blobs.list(workspaceId)) await blobs.delete(blob);
  }

  async #deleteBlob(row: Pick<FileRow, "workspace_id" | "id">): Promise<void> {
    const { blobs, runtime } = this.#options;
    for (const key of [blobKeyOf(row), indexBlobKey(row)]) {
      await blobs?.delete(key).catch((error: unknown) =>
        runtime.log.warn("Cannot delete file content yet", {
          workspace: row.workspace_id,
          file: row.id,
          error: String(error),
        })
      );
    }
  }

  /** Clients hear only that the store is unavailable. */
  readonly #logFailure = (error: unknown): never => {
    if (error instanceof BlobError) {
      this.#options.runtime.log.error("File storage failed", { error: error.message });
    }
    throw error;
  };

  /** Until `attempt` is true: others write the same workspace's files. */
  async #retry(attempt: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      await pauseBefore(tries, this.#options.runtime);
      if (await attempt()) return;
    }
    throw new ApiError("unavailable", "Too many concurrent changes to files of this workspace. Try again.", {
      retryAfter: 1,
    });
  }
}
