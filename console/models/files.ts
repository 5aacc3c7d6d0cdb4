/** The Files page: files of one or of all workspaces by their names, page by page, and uploads under way. */

import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { type ConsoleApi, operation, type OperationResult, queryOf } from "../api.ts";
import { toError } from "../resource.ts";
import type { Router } from "../router.ts";
import { CursorPages } from "./cursor_pages.ts";

const searchFiles = operation<"files.search">("GET", "/files/search");

const FILES_A_PAGE = 20;

type FilePage = OperationResult<"files.search">;
export type ConsoleFileRecord = FilePage["data"][number];

interface Upload {
  readonly id: number;
  readonly name: string;
  /** From 0 to 1. */
  readonly share: number;
  readonly stop: () => void;
}

interface FilesDeps {
  readonly api: Pick<ConsoleApi, "call" | "upload">;
  readonly router: Pick<Router, "query" | "setQuery">;
  /** The workspace that the switcher chose; undefined for all. */
  readonly workspaceId: ReadonlySignal<string | undefined>;
  /** The workspace that uploads go to; undefined until the workspaces were read. */
  readonly uploadsTo: ReadonlySignal<string | undefined>;
  readonly onUploaded: (name: string) => void;
  readonly onFailed: (name: string, error: Error) => void;
}

export class FilesModel {
  readonly #deps: FilesDeps;
  readonly list = new CursorPages<FilePage>({
    size: FILES_A_PAGE,
    read: (cursor, signal) => {
      const query = {
        workspace_id: this.#deps.workspaceId.peek(),
        q: this.q.peek() || undefined,
        cursor,
        limit: FILES_A_PAGE,
      };
      return this.#deps.api.call(searchFiles, { query, signal });
    },
    nextCursor: ({ next }) => next ?? undefined,
    address: {
      query: computed(() => this.#deps.router.query.value),
      setQuery: (changes) => this.#deps.router.setQuery(changes),
    },
  });
  readonly uploads = signal<readonly Upload[]>([]);
  #lastUpload = 0;

  constructor(deps: FilesDeps) {
    this.#deps = deps;
  }

  readonly q = computed(() => this.#deps.router.query.value.get("q") ?? "");
  readonly files = computed(() => this.list.data.value?.data);
  /** Choices that decide which files are listed: when they change, the list begins anew. */
  readonly filter = computed(() => JSON.stringify([this.q.value, this.#deps.workspaceId.value]));

  search(q: string): void {
    this.#deps.router.setQuery({ q });
  }

  /** Takes a deleted file out of the page. */
  remove(id: string): void {
    const page = this.list.data.value;
    if (page === undefined) return;
    const data = page.data.filter((file) => file.id !== id);
    if (data.length === 0) void this.list.loadAfterRemoval({ left: 0 });
    else this.list.set({ ...page, data });
  }

  /** Uploads files one after another. */
  async upload(files: readonly File[]): Promise<void> {
    for (const file of files) await this.#upload(file);
    await this.list.restart();
  }

  async #upload(file: File): Promise<void> {
    const workspace_id = this.#deps.uploadsTo.value;
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
}

/** Where a file's bytes are: the browser downloads and resumes them by itself. */
export function contentAddress(
  { id, workspace_id }: Pick<ConsoleFileRecord, "id" | "workspace_id">,
): string {
  return `/console/api/files/${encodeURIComponent(id)}/content${queryOf({ workspace_id })}`;
}
