/** One container, as tools use it. */

import { ApiError } from "../../../shared/errors.ts";
import type { KeyedMutex } from "../../../shared/util/keyed_mutex.ts";
import type { FileRow } from "../../storage/files/file_rows.ts";
import { attachedPath } from "./attached_files.ts";
import { CommandRunner, type CommandRunnerDeps, type RunTarget } from "./command_runner.ts";
import { encodeFileId } from "./container_ids.ts";
import type { ContainerLeases, LeasedWork, LeaseHolder } from "./container_leases.ts";
import type { LoadedContainer } from "./container_store.ts";
import {
  type ChangedFile,
  type Container,
  ContainerInUse,
  type CreateInput,
  EditError,
  type FileTarget,
  type RunInput,
  type RunResult,
  type UpdateInput,
} from "./containers.ts";
import { isFile, type ListedEntry, planChanges, relativePath } from "./file_list.ts";
import type { ForwardingClient } from "./forwarding/forwarding_client.ts";
import { oneChunk, readStored } from "./stored_content.ts";

export interface SessionContainerDeps extends CommandRunnerDeps {
  readonly mutex: KeyedMutex;
  readonly restart: () => Promise<Container>;
  /** Where other instances share the store. */
  readonly leases?: ContainerLeases;
  /** Where those can be called. */
  readonly instances?: ForwardingClient;
}

const PATH = { field: "path" } as const;
const FILE_MODE = 0o644;
/** Attached files that a container remembers. */
const MAX_ATTACHED = 2_000;
const encoder = new TextEncoder();

type ListedFile = Extract<ListedEntry, { type: "file" }>;

interface FoundFile {
  readonly before: LoadedContainer;
  /** Below the home folder. */
  readonly path: string;
  readonly file: ListedFile | undefined;
}

interface Added {
  readonly entries: readonly ListedEntry[];
  /** All files that were put there by now, where some of the entries are such. */
  readonly attached?: readonly string[];
}

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

  async run(input: RunInput): Promise<RunResult> {
    const { instances } = this.#deps;
    const key = this.#target;
    return await this.#run(input, instances && ((holder) => instances.run({ holder, key, input })));
  }

  /** Runs it for another instance, and on no third one. */
  async runHere(input: RunInput): Promise<RunResult> {
    return await this.#run(input);
  }

  async #run(input: RunInput, there?: LeasedWork<RunResult>["there"]): Promise<RunResult> {
    try {
      return await this.#alone({
        here: () => new CommandRunner(this.#deps, this.#target).run(input),
        there,
        end: () => this.#deps.sandbox.end(this.#name),
        keepsProcess: () => this.#deps.sandbox.containers.includes(this.#name),
      });
    } catch (error) {
      if (!(error instanceof ContainerInUse)) throw error;
      const [command = ""] = input.commands;
      const status = { type: "failed", reason: error.message } as const;
      return { results: [{ command, stdout: "", stderr: "", status }], files: [], notes: [], seconds: 0 };
    }
  }

  /**
   * Keeps everybody else out of it, for another instance, until the promise resolves that `begin` gives when its turn
   * comes. Rejects with ContainerInUse.
   */
  async lend(begin: () => Promise<void>): Promise<void> {
    await this.#alone({ here: begin });
  }

  restart(): Promise<Container> {
    return this.#deps.restart();
  }

  /**
   * Puts files of the workspace into the home folder, each of them once: what becomes of it there is the model's
   * affair. To be called while nothing else runs in it. Throws an ApiError.
   */
  async attach(files: readonly FileRow[]): Promise<void> {
    if (files.length === 0 || !await this.#lacks(files)) return;
    const work = this.#onlyFiles(() => this.#attach(files), new AbortController().signal);
    await this.#leased(work).catch((error: unknown) => {
      throw error instanceof ContainerInUse ? toApiError(error) : error;
    });
  }

  async #lacks(files: readonly FileRow[]): Promise<boolean> {
    const state = await this.#deps.containers.load(this.#target);
    const known = new Set(state?.attached);
    return files.some(({ id }) => !known.has(id));
  }

  async #attach(files: readonly FileRow[]): Promise<void> {
    const before = await this.#load();
    const known = new Set(before.attached);
    const added = files.filter(({ id }) => !known.has(id));
    if (added.length === 0) return;
    const missing = added.filter((row) => !before.files.has(attachedPath(row)));
    const entries = await Promise.all(missing.map((row) => this.#copy(row)));
    const attached = [...before.attached, ...added.map(({ id }) => id)].slice(-MAX_ATTACHED);
    await this.#change(before, { entries, attached }).catch((error: unknown) => {
      if (!(error instanceof EditError)) throw error;
      throw new ApiError("too_large", `Cannot attach files: ${error.message}`, {
        metadata: { path: "file_ids" },
      });
    });
  }

  async #copy(row: FileRow): Promise<ListedEntry> {
    const { files, runtime } = this.#deps;
    const content = await files.open(row);
    const key = { workspaceId: this.#target.workspaceId, id: runtime.id() };
    await files.blobs.put(key, content);
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

  create({ text, ...target }: CreateInput): Promise<readonly ChangedFile[]> {
    return this.#onFile(target, async ({ before, path, file }) => {
      if (file !== undefined) {
        throw new EditError(`There is a file ${target.path} already: update it, or delete it first.`, PATH);
      }
      return await this.#write(before, { path, text, mode: FILE_MODE });
    });
  }

  update({ edit, ...target }: UpdateInput): Promise<readonly ChangedFile[]> {
    return this.#onFile(target, async ({ before, path, file }) => {
      if (file === undefined) throw new EditError(`There is no file ${target.path}.`, PATH);
      return await this.#write(before, { path, text: edit(await this.#readText(file)), mode: file.mode });
    });
  }

  delete(target: FileTarget): Promise<void> {
    return this.#onFile(target, async ({ before, path, file }) => {
      if (file === undefined) throw new EditError(`There is no file ${target.path}.`, PATH);
      const files = new Map(before.files);
      files.delete(path);
      await this.#commit(before, { files });
    });
  }

  /** Lets nothing else run meanwhile. */
  #onFile<T>({ path, signal }: FileTarget, change: (found: FoundFile) => Promise<T>): Promise<T> {
    const work = async () => {
      signal.throwIfAborted();
      const before = await this.#load();
      const name = relativePath(path);
      const file = before.files.get(name);
      if (file !== undefined && !isFile(file)) throw new EditError(`${path} is no file.`, PATH);
      return await change({ before, path: name, file });
    };
    return this.#alone(this.#onlyFiles(work, signal));
  }

  /** Work on files, for which no process is needed: where another instance runs something, that lets it in between. */
  #onlyFiles<T>(work: () => Promise<T>, signal: AbortSignal): LeasedWork<T> {
    const { instances } = this.#deps;
    const key = this.#target;
    const there = instances && ((holder: LeaseHolder) => instances.turn({ holder, key, signal, work }));
    return { here: work, there };
  }

  async #write(
    before: LoadedContainer,
    { path, text, mode }: { readonly path: string; readonly text: string; readonly mode: number },
  ): Promise<readonly ChangedFile[]> {
    const { files: { blobs }, runtime } = this.#deps;
    const bytes = encoder.encode(text);
    const entry = {
      type: "file",
      path,
      mode,
      modifiedAt: this.#deps.containers.now,
      size: bytes.length,
    } as const;
    const [refused] = planChanges(before.files, [{ type: "written", entry }]).refused;
    if (refused !== undefined) throw new EditError(`${path} cannot be written: ${refused.reason}.`, PATH);
    const key = { workspaceId: this.#target.workspaceId, id: runtime.id() };
    const { sha256 } = await blobs.put(key, oneChunk(bytes));
    await this.#change(before, { entries: [{ ...entry, sha256, blob: key.id }] });
    const fileId = encodeFileId(path);
    return fileId === undefined ? [] : [{ fileId, path, size: bytes.length }];
  }

  /** Adds entries whose contents are written. Throws an EditError, and keeps no content then. */
  async #change(before: LoadedContainer, { entries, attached }: Added): Promise<void> {
    const files = new Map(before.files);
    for (const entry of entries) files.set(entry.path, entry);
    try {
      const [refused] =
        planChanges(before.files, entries.map((entry) => ({ type: "written", entry }))).refused;
      if (refused !== undefined) throw new EditError(`${refused.path} cannot be written: ${refused.reason}.`);
      await this.#commit(before, { files, ...(attached === undefined ? {} : { attached }) });
    } catch (error) {
      const written = entries.flatMap((entry) => isFile(entry) ? entry.blob ?? [] : []);
      await this.#deps.containers.deleteBlobs(this.#target.workspaceId, written);
      throw error;
    }
  }

  async #commit(
    before: LoadedContainer,
    changes: Partial<Pick<LoadedContainer, "files" | "attached">>,
  ): Promise<void> {
    const after = { ...before, ...changes, version: this.#deps.runtime.id() };
    const outcome = await this.#deps.containers.commit(this.#target, { before, after });
    if (outcome.type === "full") throw new EditError(outcome.message);
    if (outcome.type === "conflict") {
      throw new EditError("Another request changed the files of this container at the same time. Try again.");
    }
  }

  async readFile(path: string, most: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const state = await this.#deps.containers.load(this.#target);
    const file = state?.files.get(relativePath(path));
    if (!isFile(file) || file.size > most) return undefined;
    const content = await readStored(this.#deps.files, { workspaceId: this.#target.workspaceId, file });
    return typeof content === "string" ? undefined : content;
  }

  async #readText(file: ListedFile): Promise<string> {
    const { workspaceId } = this.#target;
    const content = await readStored(this.#deps.files, { workspaceId, file });
    if (typeof content === "string") throw new EditError(`The content of ${file.path} is ${content}.`);
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
    } catch (cause) {
      throw new EditError(`${file.path} is no text.`, { cause });
    }
  }

  async #load(): Promise<LoadedContainer> {
    const state = await this.#deps.containers.load(this.#target);
    if (state === undefined) throw new EditError("This container was deleted.");
    return state;
  }

  /** Two requests on one container wait for each other. */
  #alone<T>(work: LeasedWork<T>): Promise<T> {
    return this.#deps.mutex.run(this.#name, () => this.#leased(work));
  }

  #leased<T>(work: LeasedWork<T>): Promise<T> {
    return this.#deps.leases?.run(this.#target, work) ?? work.here();
  }

  get #name(): string {
    return `${this.#target.workspaceId}/${this.#target.id}`;
  }
}

/** The same for who asks for a file of a container: it is not there, or not to be had at this moment. */
export const toApiError = (error: EditError): ApiError =>
  new ApiError(error instanceof ContainerInUse ? "conflict" : "not_found", error.message);
