/**
 * The records of containers and the bytes of their files. A change of files is one commit against the version that it
 * began with; bytes are written before and removed behind it, so that a crash leaves nothing but bytes without a record.
 */

import { ApiError } from "../../../shared/errors.ts";
import { requireRoom } from "../../storage/files/file_limits.ts";
import { fileUsage } from "../../storage/files/file_rows.ts";
import type { FileStore } from "../../storage/files/file_store.ts";
import type { GatewayLimits } from "../../config/config.ts";
import type { Runtime } from "../../runtime.ts";
import type { Store, StoreCommit, StorePut, VersionCheck } from "../../storage/stores/store.ts";
import { baseContainerId } from "./container_ids.ts";
import {
  containerCollection,
  containerFiles,
  containerLeases,
  type ContainerRow,
  containersById,
  containerSessions,
} from "./container_rows.ts";
import { type ContainerState, HOME, isFile, parseFilesRow, renderFilesRow, sizeOf } from "./file_list.ts";

export interface ContainerStoreDeps {
  readonly store: Store;
  readonly files: Pick<FileStore, "blobs" | "prepare">;
  readonly runtime: Pick<Runtime, "clock" | "id" | "log">;
  readonly limits: Pick<GatewayLimits, "workspaceFileBytes" | "maxFileBytes">;
  /** Belongs into the commit that makes a container. Throws an ApiError where the workspace is being deleted. */
  readonly workspaceCheck: (workspaceId: string) => Promise<VersionCheck>;
  /** Belongs into the commit that deletes a container: other instances hear of it. Absent where there are none. */
  readonly deletionSignal?: () => StorePut;
}

/** Names a container. */
export interface ContainerKey {
  readonly workspaceId: string;
  readonly id: string;
}

export interface LoadedContainer extends ContainerState {
  /** Version of the record. */
  readonly recordVersion: string;
}

interface ContainerChange {
  readonly before: LoadedContainer;
  readonly after: ContainerState;
  /** The command that made it; undefined where none did. */
  readonly lastCommand?: ContainerRow["last_command"];
}

/** `conflict`: others have changed the files since. `full`: the workspace has no room for them. */
type CommitOutcome =
  | { readonly type: "kept"; readonly state: LoadedContainer }
  | { readonly type: "conflict" }
  | { readonly type: "full"; readonly message: string };

/** Times that a commit is tried while others write the usage of the same workspace. */
const TRIES = 50;
const PAGE = 1_000;
/** Most containers of a workspace. */
export const MAX_CONTAINERS = 1_000;

export class ContainerStore {
  readonly #deps: ContainerStoreDeps;

  constructor(deps: ContainerStoreDeps) {
    this.#deps = deps;
  }

  /** Milliseconds since the epoch. */
  get now(): number {
    return this.#deps.runtime.clock.now();
  }

  async find({ workspaceId, id }: ContainerKey): Promise<ContainerRow | undefined> {
    return (await containerCollection(this.#deps.store).get(workspaceId, id))?.record;
  }

  /** Undefined where there is no such container. */
  async workspaceOf(id: string): Promise<string | undefined> {
    return (await containersById(this.#deps.store).get(id))?.record.workspace_id;
  }

  /** All of a workspace, by id. */
  async list(workspaceId: string): Promise<readonly ContainerRow[]> {
    const rows = await containerCollection(this.#deps.store).list({ within: [workspaceId], limit: PAGE });
    return rows.map(({ record }) => record);
  }

  /** Lists the containers of every workspace. */
  async *all(): AsyncGenerator<ContainerRow> {
    const rows = containerCollection(this.#deps.store);
    for (let page = await rows.list({ limit: PAGE }); page.length > 0;) {
      for (const { record } of page) yield record;
      page = await rows.list({ limit: PAGE, after: page.at(-1)?.id });
    }
  }

  /** An empty one. Harmless where it is there already. Throws an ApiError where the workspace takes none. */
  async create(row: Pick<ContainerRow, "id" | "workspace_id" | "network" | "sleep_after">): Promise<void> {
    const { store, files, runtime, workspaceCheck } = this.#deps;
    const key = [row.workspace_id, row.id];
    await files.prepare(row.workspace_id, () => workspaceCheck(row.workspace_id));
    const at = new Date(runtime.clock.now()).toISOString();
    const rows = containerCollection(store);
    const empty: ContainerState = {
      version: runtime.id(),
      files: new Map(),
      attached: [],
      workingFolder: HOME,
      environment: {},
      hasInterpreter: false,
    };
    await store.commit({
      checks: [await workspaceCheck(row.workspace_id), rows.check(key, null)],
      puts: [
        rows.put(key, { ...row, files: 0, bytes: 0, created_at: at, last_used_at: at }),
        containerFiles(store).put(key, renderFilesRow(empty)),
        containersById(store).put([row.id], { workspace_id: row.workspace_id }),
      ],
      small: true,
    });
  }

  /** Undefined where there is no such container any more. */
  async load({ workspaceId, id }: ContainerKey): Promise<LoadedContainer | undefined> {
    const found = await containerFiles(this.#deps.store).get(workspaceId, id);
    return found && { ...parseFilesRow(found.record), recordVersion: found.version };
  }

  /** Says that it was used just now, and on which terms. */
  async touch(
    { workspaceId, id }: ContainerKey,
    changes: Partial<Pick<ContainerRow, "network" | "sleep_after" | "last_command">> = {},
  ): Promise<void> {
    const { store, runtime: { clock } } = this.#deps;
    const last_used_at = new Date(clock.now()).toISOString();
    await containerCollection(store).update(
      [workspaceId, id],
      (row) => ({ ...row, ...changes, last_used_at }),
    );
  }

  /** Replaces the files, and removes the bytes that nothing names any more. */
  async commit(
    key: ContainerKey,
    { before, after, lastCommand }: ContainerChange,
  ): Promise<CommitOutcome> {
    const { store } = this.#deps;
    for (let tries = 0; tries < TRIES; tries++) {
      const version = await this.#tryCommit(key, { before, after, lastCommand });
      if (typeof version !== "string") return version;
      if (version !== "") {
        await this.deleteBlobs(key.workspaceId, blobsOnlyIn(before, after));
        return { type: "kept", state: { ...after, recordVersion: version } };
      }
      const found = await containerFiles(store).get(key.workspaceId, key.id);
      if (found?.version !== before.recordVersion) return { type: "conflict" };
    }
    return { type: "conflict" };
  }

  /** The record's new version; empty where something has changed meanwhile. */
  async #tryCommit(
    { workspaceId, id }: ContainerKey,
    { before, after, lastCommand }: ContainerChange,
  ): Promise<string | CommitOutcome> {
    const { store, limits, runtime: { clock } } = this.#deps;
    const [rows, files, usage] = [containerCollection(store), containerFiles(store), fileUsage(store)];
    const [row, used] = await Promise.all([rows.get(workspaceId, id), usage.get(workspaceId)]);
    if (row === undefined) return { type: "conflict" };
    const size = sizeOf(after.files);
    const growth = size.bytes - sizeOf(before.files).bytes;
    const { files: count, bytes } = used?.record ?? { files: 0, bytes: 0 };
    const full = growth > 0 ? fullMessage({ bytes, growth, limits }) : undefined;
    if (full !== undefined) return { type: "full", message: full };
    const lastUse = {
      last_used_at: new Date(clock.now()).toISOString(),
      last_command: lastCommand ?? row.record.last_command,
    };
    const result = await store.commit({
      checks: [
        files.check([workspaceId, id], before.recordVersion),
        usage.check([workspaceId], used?.version ?? null),
      ],
      puts: [
        files.put([workspaceId, id], renderFilesRow(after)),
        small(rows.put([workspaceId, id], { ...row.record, ...size, ...lastUse })),
        small(usage.put([workspaceId], { files: count, bytes: Math.max(0, bytes + growth) })),
      ],
    });
    return result.type === "ok" ? result.version : "";
  }

  /** With its files. Harmless where it is gone. False for one that may not go as it is by then. */
  async remove(key: ContainerKey, mayGo: (row: ContainerRow) => boolean = () => true): Promise<boolean> {
    const [{ store, deletionSignal }, { workspaceId, id }] = [this.#deps, key];
    const [rows, files, usage] = [containerCollection(store), containerFiles(store), fileUsage(store)];
    for (let tries = 0; tries < TRIES; tries++) {
      const [row, loaded, used, pointer] = await Promise.all([
        rows.get(workspaceId, id),
        this.load(key),
        usage.get(workspaceId),
        this.#pointerTo(key),
      ]);
      if (row !== undefined && !mayGo(row.record)) return false;
      const freed = loaded === undefined ? 0 : sizeOf(loaded.files).bytes;
      const left = used && { ...used.record, bytes: Math.max(0, used.record.bytes - freed) };
      const { type } = await store.commit({
        checks: [
          rows.check([workspaceId, id], row?.version ?? null),
          files.check([workspaceId, id], loaded?.recordVersion ?? null),
          usage.check([workspaceId], used?.version ?? null),
          ...pointer.checks,
        ],
        puts: [
          ...left === undefined ? [] : [small(usage.put([workspaceId], left))],
          ...deletionSignal === undefined ? [] : [deletionSignal()],
        ],
        deletes: [
          rows.key([workspaceId, id]),
          files.key([workspaceId, id]),
          containersById(store).key([id]),
          containerLeases(store).key([workspaceId, id]),
          ...pointer.deletes,
        ],
      });
      if (type !== "ok") continue;
      await this.deleteBlobs(workspaceId, loaded === undefined ? [] : blobsOf(loaded));
      return true;
    }
    throw new ApiError("unavailable", "Too many concurrent changes to this container. Try again.", {
      retryAfter: 1,
    });
  }

  /** The session that goes on in this container; one that goes on in another one, or elsewhere, is left alone. */
  async #pointerTo(
    { workspaceId, id }: ContainerKey,
  ): Promise<Pick<Required<StoreCommit>, "checks" | "deletes">> {
    const sessions = containerSessions(this.#deps.store);
    const key = [workspaceId, baseContainerId(id)] as const;
    const found = await sessions.get(...key);
    if (found?.record.container_id !== id) return { checks: [], deletes: [] };
    return { checks: [sessions.check(key, found.version)], deletes: [sessions.key(key)] };
  }

  /** Deletes blobs; one that cannot be removed now goes with the retention job. */
  async deleteBlobs(workspaceId: string, ids: readonly string[]): Promise<void> {
    const { files, runtime: { log } } = this.#deps;
    for (const id of ids) {
      await files.blobs.delete({ workspaceId, id }).catch((error: unknown) =>
        log.warn("Cannot delete file content yet", { workspace: workspaceId, file: id, error: String(error) })
      );
    }
  }
}

const small = (put: StorePut): StorePut => ({ ...put, small: true });

const blobsOf = ({ files }: ContainerState): readonly string[] =>
  [...files.values()].filter(isFile).flatMap(({ blob }) => blob ?? []);

function blobsOnlyIn(before: ContainerState, after: ContainerState): readonly string[] {
  const kept = new Set(blobsOf(after));
  return blobsOf(before).filter((id) => !kept.has(id));
}

interface Growth {
  readonly bytes: number;
  readonly growth: number;
  readonly limits: ContainerStoreDeps["limits"];
}

/** Undefined where there is room. */
function fullMessage({ bytes, growth, limits }: Growth): string | undefined {
  try {
    requireRoom({ files: 0, bytes }, { bytes: growth, limits });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.message.replace("Cannot upload file: t", "T");
    throw error;
  }
}
