/** Runs commands in the process of a container, and keeps what each of them has changed before the next one runs. */

import { ApiError } from "../../../shared/errors.ts";
import { BlobError } from "../../storage/blobs/blob_store.ts";
import type { FileStore } from "../../storage/files/file_store.ts";
import type { Runtime } from "../../runtime.ts";
import {
  type CommandOutcome,
  type EndedCommand,
  type NetworkPolicy,
  type Sandbox,
  SandboxError,
  type SandboxProcess,
  type StoredEntry,
} from "../sandbox.ts";
import type { ContainerKey, ContainerStore, LoadedContainer } from "./container_store.ts";
import { encodeFileId } from "./container_ids.ts";
import { type LastCommand, lastCommandOf } from "./last_command.ts";
import type { ChangedFile, CommandResult, CommandStatus, RunInput, RunResult } from "./containers.ts";
import { type ListedEntry, MAX_CONTAINER_FILE_BYTES, pathFault, planChanges } from "./file_list.ts";
import { readStored } from "./stored_content.ts";
import {
  newInterpreterNote,
  overflowNote,
  refusalNotes,
  timeoutNote,
  unlistedNotes,
  unusableNotes,
} from "./run_notes.ts";

export interface CommandRunnerDeps {
  readonly sandbox: Sandbox;
  readonly containers: ContainerStore;
  readonly files: Pick<FileStore, "blobs" | "open">;
  readonly runtime: Pick<Runtime, "id" | "log">;
}

export interface RunTarget extends ContainerKey {
  readonly network: NetworkPolicy;
}

/** Changed files of which a result tells. */
const MAX_FILES = 30;

const CONFLICT =
  "Another request changed the files of this container at the same time: the changes of this " +
  "command were not kept.";
const GONE = "This container was deleted.";
const STORAGE = "The files could not be stored: the changes of this command were not kept.";

const killedWords: Readonly<Record<"memory_limit" | "stopped" | "failed", string>> = {
  memory_limit: "The command needed too much memory and was ended. Its changes of files are lost.",
  stopped: "The command was ended. Its changes of files are lost.",
  failed: "The command broke its shell and was ended. Its changes of files are lost.",
};

/** One list of commands. */
export class CommandRunner {
  readonly #deps: CommandRunnerDeps;
  readonly #target: RunTarget;
  readonly #results: CommandResult[] = [];
  readonly #files = new Map<string, ChangedFile>();
  readonly #notes: string[] = [];
  #elapsedMs = 0;

  constructor(deps: CommandRunnerDeps, target: RunTarget) {
    this.#deps = deps;
    this.#target = target;
  }

  /** Rejects with the signal's reason only. */
  async run(input: RunInput): Promise<RunResult> {
    for (const code of input.commands) {
      const goesOn = await this.#runOne(code, input);
      if (!goesOn) break;
    }
    return {
      results: this.#results,
      files: [...this.#files.values()].reverse().slice(0, MAX_FILES),
      notes: [...new Set(this.#notes)],
      seconds: this.#elapsedMs / 1_000,
    };
  }

  async #runOne(code: string, input: RunInput): Promise<boolean> {
    const state = await this.#deps.containers.load(this.#target);
    if (state === undefined) return this.#fail(code, GONE);
    this.#notes.push(...unusableNotes(state.files.keys()));
    const process = await this.#open(state, input.signal);
    if (typeof process === "string") return this.#fail(code, process);
    let version: string | undefined;
    const startedAt = this.#deps.containers.now;
    try {
      const outcome = await process.run({ ...input, code, ...state });
      this.#elapsedMs += outcome.elapsedMs;
      const result = resultOf(code, outcome);
      this.#results.push(result);
      const lastCommand = lastCommandOf(result, { language: input.language, startedAt, outcome });
      if (outcome.type === "ended" && outcome.isNewInterpreter && state.hasInterpreter) {
        this.#note(newInterpreterNote);
      }
      if (outcome.type === "ended") version = await this.#keep(outcome, { process, state, lastCommand });
      if (version === undefined || version === state.version) {
        await this.#deps.containers.touch(this.#target, { last_command: lastCommand });
      }
      const goesOn = outcome.type === "ended" && !outcome.isTimedOut;
      if (hasTimedOut(outcome)) {
        this.#note(timeoutNote(outcome.type === "killed" ? "lost" : version === undefined ? "told" : "kept"));
      }
      return goesOn;
    } finally {
      process.release(version);
    }
  }

  #fail(command: string, reason: string): false {
    this.#results.push({ command, stdout: "", stderr: "", status: { type: "failed", reason } });
    return false;
  }

  /** A string says why there is none. */
  async #open(state: LoadedContainer, signal: AbortSignal): Promise<SandboxProcess | string> {
    const { workspaceId, id, network } = this.#target;
    try {
      return await this.#deps.sandbox.open({
        container: `${workspaceId}/${id}`,
        version: state.version,
        network,
        entries: () => this.#entries(state),
        signal,
      });
    } catch (error) {
      if (error instanceof SandboxError) return error.message;
      throw error;
    }
  }

  /** Folders first, the upper ones before the lower ones. */
  async *#entries({ files }: LoadedContainer): AsyncGenerator<StoredEntry> {
    // What was written before names were bounded stays; no process could hold it.
    const entries = [...files.values()].filter(({ path }) => pathFault(path) === undefined);
    const folders = entries.filter(({ type }) => type === "folder").sort((a, b) => a.path < b.path ? -1 : 1);
    for (const entry of folders) yield { entry };
    for (const entry of entries) {
      if (entry.type === "link") yield { entry };
      if (entry.type === "file") yield this.#storedFile(entry);
    }
    await Promise.resolve();
  }

  #storedFile({ blob, sha256, ...entry }: Extract<ListedEntry, { type: "file" }>): StoredEntry {
    const { workspaceId } = this.#target;
    const file = { ...entry, blob, sha256 };
    return {
      entry,
      read: async () => {
        const content = await readStored(this.#deps.files, { workspaceId, file });
        if (typeof content !== "string") return content;
        const name = JSON.stringify(entry.path);
        throw new SandboxError(
          "unavailable",
          `The content of ${name} is ${content}: delete this file first.`,
        );
      },
    };
  }

  /** The version that the process holds now; undefined where it holds what was not kept. */
  async #keep(ended: EndedCommand, { process, state, lastCommand }: Held): Promise<string | undefined> {
    const { containers, runtime } = this.#deps;
    if (ended.isOverflow) return this.#note(overflowNote);
    const plan = planChanges(state.files, ended.changes);
    const hasInterpreter = state.hasInterpreter || ended.isNewInterpreter;
    const isSame = ended.changes.length === 0 && hasInterpreter === state.hasInterpreter &&
      isSameShell(ended, state);
    if (isSame) return state.version;
    const stored = await this.#store(plan.written, process);
    if (typeof stored === "string") return this.#note(stored);
    const files = new Map(state.files);
    for (const path of plan.deleted) files.delete(path);
    for (const entry of stored) files.set(entry.path, entry);
    const { workingFolder, environment } = ended;
    const { attached } = state;
    const after = { version: runtime.id(), files, attached, workingFolder, environment, hasInterpreter };
    const outcome = await containers.commit(this.#target, { before: state, after, lastCommand });
    if (outcome.type !== "kept") {
      await containers.deleteBlobs(this.#target.workspaceId, blobIdsOf(stored));
      return this.#note(outcome.type === "full" ? `${outcome.message} The changes were not kept.` : CONFLICT);
    }
    this.#tell(plan.deleted, stored);
    this.#notes.push(...refusalNotes(plan.refused), ...unlistedNotes(stored));
    return plan.refused.length === 0 ? after.version : undefined;
  }

  #note(text: string): undefined {
    this.#notes.push(text);
  }

  #tell(deleted: readonly string[], written: readonly ListedEntry[]): void {
    for (const path of deleted) this.#files.delete(path);
    for (const entry of written) {
      this.#files.delete(entry.path);
      const fileId = entry.type === "file" ? encodeFileId(entry.path) : undefined;
      if (entry.type !== "file" || fileId === undefined) continue;
      this.#files.set(entry.path, { fileId, path: entry.path, size: entry.size });
    }
  }

  /** Writes the contents. A string says why they are not kept. */
  async #store(
    written: readonly ListedOrNew[],
    process: SandboxProcess,
  ): Promise<readonly ListedEntry[] | string> {
    const stored: ListedEntry[] = [];
    try {
      for (const entry of written) {
        stored.push(entry.type === "file" ? await this.#storeFile(entry, process) : entry);
      }
      return stored;
    } catch (error) {
      await this.#deps.containers.deleteBlobs(this.#target.workspaceId, blobIdsOf(stored));
      if (error instanceof ApiError || error instanceof BlobError) {
        this.#deps.runtime.log.error("Cannot store files of container", { error: error.message });
        return STORAGE;
      }
      this.#deps.runtime.log.warn("Cannot read files of container", { error: String(error) });
      return killedWords.failed;
    }
  }

  async #storeFile(
    entry: Extract<ListedOrNew, { type: "file" }>,
    process: SandboxProcess,
  ): Promise<ListedEntry> {
    if (entry.size === 0) return { ...entry, blob: null, sha256: EMPTY_SHA256 };
    const key = { workspaceId: this.#target.workspaceId, id: this.#deps.runtime.id() };
    const content = ofSize(entry.size, process.readFile(entry.path));
    const { sha256 } = await this.#deps.files.blobs.put(key, content);
    return { ...entry, blob: key.id, sha256 };
  }
}

type ListedOrNew = ReturnType<typeof planChanges>["written"][number];

interface Held {
  readonly process: SandboxProcess;
  readonly state: LoadedContainer;
  readonly lastCommand: LastCommand;
}

const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

const blobIdsOf = (entries: readonly ListedEntry[]): readonly string[] =>
  entries.flatMap((entry) => entry.type === "file" ? entry.blob ?? [] : []);

/** Throws where a process hands out another size than it has announced. */
async function* ofSize(size: number, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let sum = 0;
  for await (const bytes of content) {
    sum += bytes.length;
    if (sum > Math.min(size, MAX_CONTAINER_FILE_BYTES)) break;
    yield bytes;
  }
  if (sum !== size) throw new Error("A process announces another size than it hands out");
}

function hasTimedOut(outcome: CommandOutcome): boolean {
  return outcome.type === "ended" ? outcome.isTimedOut : outcome.reason === "time_limit";
}

function resultOf(command: string, outcome: CommandOutcome): CommandResult {
  const { stdout, stderr } = outcome;
  return { command, stdout, stderr, status: statusOf(outcome) };
}

function statusOf(outcome: CommandOutcome): CommandStatus {
  if (outcome.type === "killed") return killedStatus(outcome.reason);
  return outcome.isTimedOut ? { type: "timeout" } : { type: "exit", exitCode: outcome.exitCode };
}

function killedStatus(reason: Extract<CommandOutcome, { type: "killed" }>["reason"]): CommandStatus {
  return reason === "time_limit" ? { type: "timeout" } : { type: "failed", reason: killedWords[reason] };
}

function isSameShell(ended: EndedCommand, state: LoadedContainer): boolean {
  const before = new Map(Object.entries(state.environment));
  const after = Object.entries(ended.environment);
  return ended.workingFolder === state.workingFolder && after.length === before.size &&
    after.every(([name, value]) => before.get(name) === value);
}
