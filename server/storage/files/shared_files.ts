/**
 * Tells gateways that share a store but not the place of the bytes: each of them leaves a small blob, and looks for
 * those of the others. A file that one of them has taken cannot be read by one that finds none.
 */

import * as z from "zod";
import { PeriodicJob } from "../../../shared/util/periodic_job.ts";
import type { BlobKey, BlobStore } from "../blobs/blob_store.ts";
import type { Runtime } from "../../runtime.ts";
import { Collection } from "../stores/collection.ts";
import type { Store } from "../stores/store.ts";

const rowSchema = z.object({
  /** Time of the last look, in ms since the epoch. */
  at: z.int(),
});

const places = (store: Store): Collection<typeof rowSchema> =>
  new Collection({ store, name: "file_places", schema: rowSchema });

/** No workspace has this id, so nothing else is kept below it. */
const MARKERS = "00000000-0000-4000-8000-000000000000";

const EVERY_MS = 60_000;
/** A gateway that has not looked for so long has ended. */
const ENDED_MS = 5 * EVERY_MS;
const FORGOTTEN_MS = 24 * 3_600_000;
const MOST = 1_000;
const FAILURE = "Cannot compare where gateways keep files";

interface SharedFilesOptions {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly runtime: Pick<Runtime, "clock" | "log" | "id">;
}

export class SharedFiles {
  readonly #options: SharedFilesOptions;
  readonly #id: string;
  #problem: string | undefined;
  #job: PeriodicJob | undefined;

  constructor(options: SharedFilesOptions) {
    this.#options = options;
    this.#id = options.runtime.id();
  }

  /** For `/readyz`. */
  get details(): { readonly shared_files?: string } {
    return this.#problem === undefined ? {} : { shared_files: this.#problem };
  }

  /** Leaves a mark, and looks for others from then on. */
  async start(): Promise<void> {
    await this.#compare().catch((error: unknown) => this.#report(error));
    this.#job = new PeriodicJob({
      runtime: this.#options.runtime,
      everyMs: EVERY_MS,
      step: () => this.#compare(),
      failure: FAILURE,
    });
  }

  async close(): Promise<void> {
    await this.#job?.close();
    await this.#forget(this.#id).catch((error: unknown) => this.#report(error));
  }

  #report(error: unknown): void {
    this.#options.runtime.log.warn(FAILURE, { error: String(error) });
  }

  async #compare(): Promise<void> {
    const { store, blobs, runtime: { clock, log } } = this.#options;
    if (!await hasBlob(blobs, markerOf(this.#id))) await blobs.put(markerOf(this.#id), mark());
    const now = clock.now();
    await store.commit({ puts: [places(store).put([this.#id], { at: now })], small: true });
    let apart = 0;
    for (const { id: [id], record } of await places(store).list({ limit: MOST })) {
      const age = now - record.at;
      if (age > FORGOTTEN_MS) await this.#forget(String(id));
      else if (age <= ENDED_MS && !await hasBlob(blobs, markerOf(String(id)))) apart++;
    }
    const before = this.#problem;
    this.#problem = apart === 0 ? undefined : sentence(apart, blobs.location);
    if (before === undefined && this.#problem !== undefined) log.warn(this.#problem);
  }

  async #forget(id: string): Promise<void> {
    await places(this.#options.store).delete(id);
    await this.#options.blobs.delete(markerOf(id));
  }
}

function sentence(apart: number, location: string): string {
  const others = apart === 1
    ? "1 other gateway on this store keeps"
    : `${apart} other gateways on this store keep`;
  return `${others} the bytes of files in another place than ${location}: files and containers of one cannot be ` +
    "read by the other. Set TOLLGATE_BLOBS to one bucket for all, or let them share that folder.";
}

const markerOf = (id: string): BlobKey => ({ workspaceId: MARKERS, id });

async function* mark(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(new TextEncoder().encode("a gateway\n"));
}

async function hasBlob(blobs: BlobStore, key: BlobKey): Promise<boolean> {
  const found = await blobs.open(key);
  await found?.cancel();
  return found !== undefined;
}
