/** One container, as tools use it. */

import { ApiError } from "../../shared/errors.ts";
import type { KeyedMutex } from "../../shared/util/keyed_mutex.ts";
import type { FileRow } from "../files/file_rows.ts";
import { blobKeyOf } from "../files/file_rows.ts";
import { CommandRunner, type CommandRunnerDeps, type RunTarget } from "./command_runner.ts";
import { encodeFileId } from "./container_ids.ts";
import type { LoadedContainer } from "./container_store.ts";
import {
  type ChangedFile,
  type Container,
  EditError,
  type EditInput,
  type RunInput,
  type RunResult,
} from "./containers.ts";
import { isFile, type ListedEntry, MAX_CONTAINER_FILE_BYTES, planChanges } from "./file_list.ts";

export interface SessionContainerDeps extends CommandRunnerDeps {
  readonly mutex: KeyedMutex;
  readonly restart: () => Promise<Container>;
}

const HOME = "/home/user/";
/** Characters of a file's id with which its name in the container begins. */
const ID_CHARS = 8;
const FILE_MODE = 0o644;
const encoder = new TextEncoder();

export class SessionContainer implements Container {
  readonly #deps: SessionContainerDeps;
  readonly #target: RunTarget;

  constructor(deps: SessionContainerDeps, target: RunTarget) {
    this.#deps = deps;
    this.#target = target;
  }

  get id(): string {
    return this.#target.id;
  }

  run(input: RunInput): Promise<RunResult> {
    return this.#alone(() => new CommandRunner(this.#deps, this.#target).run(input));
  }

  restart(): Promise<Container> {
    return this.#deps.restart();
  }

  /** Puts files of the workspace into the home folder that are not there yet. Throws an ApiError. */
  async attach(files: readonly FileRow[]): Promise<void> {
    if (files.length === 0) return;
    const before = await this.#load();
    const missing = files.filter((row) => {
      const entry = before.files.get(attachedPath(row));
      return !isFile(entry) || entry.sha256 !== row.sha256;
    });
    if (missing.length === 0) return;
    const entries = await Promise.all(missing.map((row) => this.#copy(row)));
    await this.#change(before, entries).catch((error: unknown) => {
      if (!(error instanceof EditError)) throw error;
      throw new ApiError("too_large", `Cannot attach files: ${error.message}`, {
        metadata: { path: "file_ids" },
      });
    });
  }

  async #copy(row: FileRow): Promise<ListedEntry> {
    const { files: { blobs }, runtime } = this.#deps;
    const content = await blobs.open(blobKeyOf(row));
    if (content === undefined) {
      throw new ApiError("not_found", `The content of the file ${row.filename} is gone.`);
    }
    const key = { workspaceId: this.#target.workspaceId, id: runtime.id() };
    await blobs.put(key, content);
    const { size, sha256 } = row;
    return {
      type: "file",
      path: attachedPath(row),
      mode: FILE_MODE,
      modifiedAt: Date.parse(row.created_at),
      size,
      sha256,
      blob: key.id,
    };
  }

  edit({ path, edit, signal }: EditInput): Promise<readonly ChangedFile[]> {
    return this.#alone(async () => {
      signal.throwIfAborted();
      const before = await this.#load();
      const name = relativePath(path);
      const entry = before.files.get(name);
      if (entry !== undefined && !isFile(entry)) throw new EditError(`${path} is no file.`);
      const text = edit(isFile(entry) ? await this.#readText(name) : undefined);
      if (text === null) return await this.#delete(before, name);
      return await this.#write(before, { path: name, text, mode: isFile(entry) ? entry.mode : FILE_MODE });
    });
  }

  async #delete(before: LoadedContainer, path: string): Promise<readonly ChangedFile[]> {
    if (!before.files.has(path)) throw new EditError(`There is no file ${path}.`);
    const files = new Map(before.files);
    files.delete(path);
    await this.#commit(before, files);
    return [];
  }

  async #write(
    before: LoadedContainer,
    { path, text, mode }: { readonly path: string; readonly text: string; readonly mode: number },
  ): Promise<readonly ChangedFile[]> {
    const { files: { blobs }, runtime } = this.#deps;
    const bytes = encoder.encode(text);
    const entry = { type: "file", path, mode, modifiedAt: this.#now(), size: bytes.length } as const;
    const [refused] = planChanges(before.files, [{ type: "written", entry }]).refused;
    if (refused !== undefined) throw new EditError(`${path} cannot be written: ${refused.reason}.`);
    const key = { workspaceId: this.#target.workspaceId, id: runtime.id() };
    const { sha256 } = await blobs.put(key, oneChunk(bytes));
    await this.#change(before, [{ ...entry, sha256, blob: key.id }]);
    const fileId = encodeFileId(path);
    return fileId === undefined ? [] : [{ fileId, path, size: bytes.length }];
  }

  #now(): number {
    return this.#deps.containers.now;
  }

  /** Adds entries whose contents are written. Throws an EditError, and keeps no content then. */
  async #change(before: LoadedContainer, entries: readonly ListedEntry[]): Promise<void> {
    const files = new Map(before.files);
    for (const entry of entries) files.set(entry.path, entry);
    try {
      const [refused] =
        planChanges(before.files, entries.map((entry) => ({ type: "written", entry }))).refused;
      if (refused !== undefined) throw new EditError(`${refused.path} cannot be written: ${refused.reason}.`);
      await this.#commit(before, files);
    } catch (error) {
      const written = entries.flatMap((entry) => isFile(entry) ? entry.blob ?? [] : []);
      await this.#deps.containers.deleteBlobs(this.#target.workspaceId, written);
      throw error;
    }
  }

  async #commit(before: LoadedContainer, files: LoadedContainer["files"]): Promise<void> {
    const after = { ...before, version: this.#deps.runtime.id(), files };
    const outcome = await this.#deps.containers.commit(this.#target, { before, after });
    if (outcome.type === "full") throw new EditError(outcome.message);
    if (outcome.type === "conflict") {
      throw new EditError("Another request changed the files of this container at the same time. Try again.");
    }
  }

  async readFile(path: string, most: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const state = await this.#deps.containers.load(this.#target);
    const entry = state?.files.get(relativePath(path));
    if (!isFile(entry) || entry.size > most) return undefined;
    if (entry.blob === null) return new Uint8Array(0);
    const { workspaceId } = this.#target;
    const stream = await this.#deps.files.blobs.open({ workspaceId, id: entry.blob });
    return stream === undefined ? undefined : await new Response(stream).bytes();
  }

  async #readText(path: string): Promise<string> {
    const bytes = await this.readFile(path, MAX_CONTAINER_FILE_BYTES);
    if (bytes === undefined) throw new EditError(`The content of ${path} is gone.`);
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch (cause) {
      throw new EditError(`${path} is no text.`, { cause });
    }
  }

  async #load(): Promise<LoadedContainer> {
    const state = await this.#deps.containers.load(this.#target);
    if (state === undefined) throw new EditError("This container was deleted.");
    return state;
  }

  /** Two requests on one container wait for each other. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const { workspaceId, id } = this.#target;
    return this.#deps.mutex.run(`${workspaceId}/${id}`, work);
  }
}

const attachedPath = ({ id, filename }: Pick<FileRow, "id" | "filename">): string =>
  `${id.slice(-ID_CHARS)}-${filename.replaceAll(/[/\\]/g, "_").normalize("NFC")}`;

/** Below the home folder. */
const relativePath = (path: string): string =>
  (path.startsWith(HOME) ? path.slice(HOME.length) : path).replace(/^(?:\.\/|~\/)/, "");

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
  await Promise.resolve();
}
