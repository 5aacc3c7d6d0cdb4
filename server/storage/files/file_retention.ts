/**
 * Removes what interrupted uploads and deletions leave: unfinished blobs, and blobs without a record. It also finds
 * records without a blob, as a restored backup has them, and counts these for the operator.
 */

import { PeriodicJob } from "../../../shared/util/periodic_job.ts";
import type { BlobStore, ListedBlob } from "../blobs/blob_store.ts";
import type { Store, StoreKey } from "../stores/store.ts";
import type { Clock, Runtime } from "../../runtime.ts";
import { indexIdOf } from "./file_indexes.ts";
import { fileCollection, type FileUsage, fileUsage } from "./file_rows.ts";

const FIRST_MS = 60_000;
const EVERY_MS = 3_600_000;
/** A blob of this age belongs to no upload that is still under way. */
const ORPHAN_MS = 24 * 3_600_000;
/** Blobs or records that are looked at in a row, and the pause behind them. */
const SLICE = 100;
const PAUSE_MS = 100;

interface FileRetentionDeps {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly runtime: Pick<Runtime, "clock" | "log">;
  /** Blobs of a workspace that belong to records other than files. */
  readonly otherBlobs: (workspaceId: string) => Promise<ReadonlySet<string>>;
}

interface FileRetentionReport {
  /** Unfinished blobs and blobs without a record that were removed. */
  readonly removed: number;
  /** Records whose bytes are gone. */
  readonly missing: number;
}

/** One round over all files. `pause` is awaited behind every slice. */
export async function sweepFiles(
  deps: FileRetentionDeps,
  pause: () => Promise<void> = () => Promise.resolve(),
): Promise<FileRetentionReport> {
  const { store, blobs, runtime: { clock } } = deps;
  const now = clock.now();
  let removed = await blobs.removeUnfinished(now - blobs.unfinishedMs);
  let missing = 0;
  const owned = await readWorkspaces(store);
  const empty = new Map(owned);
  for await (const group of byWorkspace(blobs)) {
    // Another gateway keeps its files in the same place.
    if (!owned.has(group.workspaceId)) continue;
    empty.delete(group.workspaceId);
    removed += await removeOrphans(deps, { ...group, before: now - ORPHAN_MS, pause });
    missing += await countMissing(deps, { ...group, before: now, pause });
  }
  for (const [workspaceId, { deleted_at: deletedAt }] of empty) {
    if (deletedAt === undefined) {
      missing += await countMissing(deps, { workspaceId, blobs: [], before: now, pause });
    } else if (Date.parse(deletedAt) < now - ORPHAN_MS) {
      await store.commit({ deletes: [fileUsage(store).key([workspaceId])], small: true });
    }
  }
  return { removed, missing };
}

/** Workspaces that have or had files, by id. */
async function readWorkspaces(store: Store): Promise<ReadonlyMap<string, FileUsage>> {
  const found = new Map<string, FileUsage>();
  let after: StoreKey | undefined;
  do {
    const page = await fileUsage(store).list({ after, limit: SLICE });
    for (const { id, record } of page) found.set(String(id[0]), record);
    after = page.length < SLICE ? undefined : page.at(-1)?.id;
  } while (after !== undefined);
  return found;
}

interface WorkspaceBlobs {
  readonly workspaceId: string;
  readonly blobs: readonly ListedBlob[];
}

async function* byWorkspace(store: BlobStore): AsyncGenerator<WorkspaceBlobs> {
  let blobs: ListedBlob[] = [];
  for await (const blob of store.list()) {
    const [first] = blobs;
    if (first !== undefined && first.workspaceId !== blob.workspaceId) {
      yield { workspaceId: first.workspaceId, blobs };
      blobs = [];
    }
    blobs.push(blob);
  }
  const [first] = blobs;
  if (first !== undefined) yield { workspaceId: first.workspaceId, blobs };
}

interface SweepInput extends WorkspaceBlobs {
  /** Time in ms since the epoch: a younger blob may still be under way. */
  readonly before: number;
  readonly pause: () => Promise<void>;
}

async function removeOrphans(
  { store, blobs, otherBlobs }: FileRetentionDeps,
  { workspaceId, blobs: listed, before, pause }: SweepInput,
): Promise<number> {
  const rows = fileCollection(store);
  const others = await otherBlobs(workspaceId);
  const old = listed.filter(({ id, modifiedAt }) => modifiedAt < before && !others.has(id));
  let removed = 0;
  for (let at = 0; at < old.length; at += SLICE) {
    const slice = old.slice(at, at + SLICE);
    const keys = slice.flatMap(({ id }) => [id, indexIdOf(id)]).map((id) => rows.key([workspaceId, id]));
    const found = await store.getMany(keys);
    // A blob has the bytes of a file, or its index.
    const orphans = slice.filter((_, index) =>
      found[2 * index] === undefined && found[2 * index + 1] === undefined
    );
    for (const orphan of orphans) await blobs.delete(orphan);
    removed += orphans.length;
    await pause();
  }
  return removed;
}

async function countMissing(
  { store }: FileRetentionDeps,
  { workspaceId, blobs, before, pause }: SweepInput,
): Promise<number> {
  const present = new Set(blobs.map(({ id }) => id));
  const rows = fileCollection(store);
  let missing = 0;
  let after: StoreKey | undefined;
  do {
    const page = await rows.list({ within: [workspaceId], after, limit: SLICE });
    missing +=
      page.filter(({ record }) => !present.has(record.id) && Date.parse(record.created_at) < before).length;
    after = page.length < SLICE ? undefined : page.at(-1)?.id;
    await pause();
  } while (after !== undefined);
  return missing;
}

/** Sweeps once an hour; the first time a minute after the start. */
export class FileRetention {
  /** Report of the last round. */
  report: FileRetentionReport | undefined;

  /** For `/readyz`: what is wrong with files, where anything is. */
  get details(): { readonly files?: string } {
    const missing = this.report?.missing ?? 0;
    if (missing === 0) return {};
    const files = missing === 1 ? "1 file has" : `${missing} files have`;
    return { files: `${files} lost the content, which is not in ${this.#deps.blobs.location}` };
  }

  readonly #deps: FileRetentionDeps;
  readonly #job: PeriodicJob;

  constructor(deps: FileRetentionDeps) {
    this.#deps = deps;
    this.#job = new PeriodicJob({
      runtime: deps.runtime,
      firstMs: FIRST_MS,
      everyMs: EVERY_MS,
      step: (signal) => this.#sweep(signal),
      failure: "Cannot sweep files yet",
    });
  }

  /** Waits for a slice that is under way. */
  close(): Promise<void> {
    return this.#job.close();
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps.runtime;
    this.report = await sweepFiles(this.#deps, () => pauseOf({ clock, signal }));
    if (this.report.removed > 0) log.info("Files without a record removed", { files: this.report.removed });
    if (this.report.missing > 0) log.warn("Files have lost their content", { files: this.report.missing });
  }
}

/** Rejects with the signal's reason. */
async function pauseOf(
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  const cancel = clock.after(PAUSE_MS, end);
  signal.addEventListener("abort", end);
  await promise;
  cancel();
  signal.removeEventListener("abort", end);
  signal.throwIfAborted();
}
