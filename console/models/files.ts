/** The Files page: the files of one workspace, page by page, and uploads under way. */

import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { type ConsoleApi, operation, type OperationResult, queryOf } from "../api.ts";
import { toError } from "../resource.ts";
import { CursorPages } from "./cursor_pages.ts";

const listFiles = operation<"files.list">("GET", "/files");

const FILES_A_PAGE = 20;

type ListedFile = OperationResult<"files.list">["data"][number];
/** A file in the gateway's own form. */
export type ConsoleFileRecord = Extract<ListedFile, { _shape: "openrouter" }>;

const isOwnForm = (file: ListedFile): file is ConsoleFileRecord => file._shape === "openrouter";

interface Upload {
  readonly id: number;
  readonly name: string;
  /** From 0 to 1. */
  readonly share: number;
  readonly stop: () => void;
}

interface FilesDeps {
  readonly api: Pick<ConsoleApi, "call" | "upload">;
  /** Undefined until the workspaces were read. */
  readonly workspaceId: ReadonlySignal<string | undefined>;
  readonly onUploaded: (name: string) => void;
  readonly onFailed: (name: string, error: Error) => void;
}

export class FilesModel {
  readonly #deps: FilesDeps;
  readonly list = new CursorPages({
    size: FILES_A_PAGE,
    read: (cursor, abort) => this.#read(cursor, abort),
    nextCursor: ({ next }) => next,
  });
  readonly uploads = signal<readonly Upload[]>([]);
  #lastUpload = 0;

  constructor(deps: FilesDeps) {
    this.#deps = deps;
  }

  readonly files = computed(() => this.list.data.value?.files);

  /** Takes a deleted file out of the page. */
  remove(id: string): void {
    const page = this.list.data.value;
    if (page === undefined) return;
    const files = page.files.filter((file) => file.id !== id);
    if (files.length === 0) void this.list.loadAfterRemoval({ left: 0 });
    else this.list.set({ ...page, files });
  }

  /** Uploads files one after another. */
  async upload(files: readonly File[]): Promise<void> {
    for (const file of files) await this.#upload(file);
    await this.list.load();
  }

  async #upload(file: File): Promise<void> {
    const workspace_id = this.#deps.workspaceId.value;
    const controller = new AbortController();
    const id = ++this.#lastUpload;
    const show = (share: number) => {
      const own: Upload = { id, name: file.name, share, stop: () => controller.abort() };
      const others = this.uploads.value.filter((upload) => upload.id !== id);
      this.uploads.value = [...others, own];
    };
    show(0);
    try {
      const address = `/console/api/files${queryOf({ workspace_id })}`;
      await this.#deps.api.upload(address, { file, onProgress: show, signal: controller.signal });
      this.#deps.onUploaded(file.name);
    } catch (error) {
      if (!controller.signal.aborted) this.#deps.onFailed(file.name, toError(error));
    } finally {
      this.uploads.value = this.uploads.value.filter((upload) => upload.id !== id);
    }
  }

  async #read(cursor: string | undefined, abort: AbortSignal) {
    const workspace_id = this.#deps.workspaceId.value;
    if (workspace_id === undefined) return { files: [], next: undefined };
    const query = { workspace_id, limit: FILES_A_PAGE, cursor, order: "desc" } as const;
    const page = await this.#deps.api.call(listFiles, { query, signal: abort });
    const files = page.data.filter(isOwnForm);
    return { files, next: page.has_more ? files.at(-1)?.id : undefined };
  }
}

/** Where a file's bytes are: the browser downloads and resumes them by itself. */
export function contentAddress({ id }: Pick<ConsoleFileRecord, "id">, workspaceId: string): string {
  return `/console/api/files/${encodeURIComponent(id)}/content${queryOf({ workspace_id: workspaceId })}`;
}
