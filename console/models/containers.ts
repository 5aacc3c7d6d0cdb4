/** Containers of one workspace, page by page, and the files of the one that is open. */

import { computed, type ReadonlySignal } from "@preact/signals";
import { type ConsoleApi, operation, type OperationResult } from "../api.ts";
import type { Router } from "../router.ts";
import { CursorPages } from "./cursor_pages.ts";

const listContainers = operation<"containers.list">("GET", "/containers");
const deleteContainer = operation<"containers.delete">("DELETE", "/containers/:container_id");
const listContainerFiles = operation<"containers.files.list">("GET", "/containers/:container_id/files");
const deleteContainerFile = operation<"containers.files.delete">(
  "DELETE",
  "/containers/:container_id/files/:file_id",
);
const promoteContainerFile = operation<"containers.files.promote">(
  "POST",
  "/containers/:container_id/files/:file_id/promote",
);

const CONTAINERS_A_PAGE = 20;
const CONTAINER_FILES_A_PAGE = 50;

export type ContainerRecord = OperationResult<"containers.list">["data"][number];
export type ContainerFileRecord = OperationResult<"containers.files.list">["data"][number];

interface Page<T> {
  readonly rows: readonly T[];
  readonly next: string | undefined;
}

const nextCursor = <T>({ next }: Page<T>): string | undefined => next;
const pageOf = <T extends { readonly id: string }>(
  { data, has_more }: { readonly data: readonly T[]; readonly has_more: boolean },
): Page<T> => ({ rows: data, next: has_more ? data.at(-1)?.id : undefined });

/** How many rows of a page are not the one of `removed`. */
const countWithout = (rows: readonly { readonly id: string }[] = [], removed: string): number =>
  rows.filter(({ id }) => id !== removed).length;

interface ContainersDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly router: Pick<Router, "query" | "setQuery">;
  /** Undefined until the workspaces were read. */
  readonly workspaceId: ReadonlySignal<string | undefined>;
}

export class ContainersModel {
  readonly #deps: ContainersDeps;
  readonly list = new CursorPages<Page<ContainerRecord>>({
    size: CONTAINERS_A_PAGE,
    nextCursor,
    read: async (after, signal) => {
      const workspace_id = this.#deps.workspaceId.value;
      if (workspace_id === undefined) return { rows: [], next: undefined };
      const query = { workspace_id, limit: CONTAINERS_A_PAGE, after };
      return pageOf(await this.#deps.api.call(listContainers, { query, signal }));
    },
    address: {
      query: computed(() => this.#deps.router.query.value),
      setQuery: (changes) => this.#deps.router.setQuery(changes),
    },
  });
  readonly containers = computed(() => this.list.data.value?.rows);

  constructor(deps: ContainersDeps) {
    this.#deps = deps;
  }

  /** Throws what the gateway refuses. */
  async remove(id: string): Promise<void> {
    await this.#deps.api.call(deleteContainer, { params: { container_id: id } });
    await this.list.loadAfterRemoval({ left: countWithout(this.containers.peek(), id) });
  }
}

/** The files of one container. */
export class ContainerFilesModel {
  readonly #api: ContainersDeps["api"];
  readonly #container: string;
  readonly list = new CursorPages<Page<ContainerFileRecord>>({
    size: CONTAINER_FILES_A_PAGE,
    nextCursor,
    read: async (after, signal) => {
      const params = { container_id: this.#container };
      const query = { limit: CONTAINER_FILES_A_PAGE, after };
      return pageOf(await this.#api.call(listContainerFiles, { params, query, signal }));
    },
  });
  readonly files = computed(() => this.list.data.value?.rows);

  constructor(api: ContainersDeps["api"], container: string) {
    this.#api = api;
    this.#container = container;
  }

  #params(file: string) {
    return { params: { container_id: this.#container, file_id: file } };
  }

  /** Throws what the gateway refuses. */
  async promote(file: string): Promise<void> {
    await this.#api.call(promoteContainerFile, this.#params(file));
  }

  /** Throws what the gateway refuses. */
  async remove(file: string): Promise<void> {
    await this.#api.call(deleteContainerFile, this.#params(file));
    await this.list.loadAfterRemoval({ left: countWithout(this.files.peek(), file) });
  }
}

/** Where the bytes of a container's file are: the browser downloads and resumes them by itself. */
export function containerContentAddress(
  { container_id, id }: Pick<ContainerFileRecord, "container_id" | "id">,
): string {
  return `/console/api/containers/${encodeURIComponent(container_id)}/files/${
    encodeURIComponent(id)
  }/content`;
}
