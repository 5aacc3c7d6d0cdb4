/**
 * Which instance uses a container, where several share the store: a row that its holder renews while something runs in
 * it. Another instance that wants it meanwhile has its holder do it, or is told so; one that comes later goes on with
 * the files of the store. Where instances can call each other, the row stays as long as its holder keeps the process.
 */

import { httpOrigin } from "../../../shared/fields/http_origin.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { StoredRecord } from "../../storage/stores/collection.ts";
import type { Cancel, Runtime } from "../../runtime.ts";
import { WARM_MS } from "../process_pool.ts";
import { containerLeases, type LeaseRow } from "./container_rows.ts";
import type { ContainerKey } from "./container_store.ts";
import { ContainerInUse } from "./containers.ts";

export const RENEW_MS = 5_000;
/** A holder that has not renewed for so long has ended. Clocks of instances may be apart by seconds. */
export const LEASE_MS = 20_000;
/** Times that it is looked who has a container, where that changes in between. */
const LOOKS = 5;

interface ContainerLeasesOptions {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "id" | "log">;
  /** Address of this instance, where others may call it. */
  readonly url?: string;
}

/** Instance that has a container, and can be called. */
export interface LeaseHolder {
  readonly id: string;
  /** Origin of its address. */
  readonly url: string;
}

/** Something that is to be done in a container. */
export interface LeasedWork<T> {
  /** Does it on this instance; that has to see itself that it does one thing at a time. */
  readonly here: () => Promise<T>;
  /** Ends what runs here: the container was deleted, or another instance has taken it. */
  readonly end?: () => Promise<void>;
  /** Has its holder do it. Undefined where that cannot be reached or has it no more. */
  readonly there?: (holder: LeaseHolder) => Promise<{ readonly value: T } | undefined>;
  /**
   * For what the process of the container does, which is done where that is kept: whether this instance keeps it behind
   * the work.
   */
  readonly keepsProcess?: () => boolean;
}

interface OtherHolder {
  readonly id: string;
  readonly url: string | undefined;
  /** Something runs in it. */
  readonly isBusy: boolean;
}

export class ContainerLeases {
  readonly #options: ContainerLeasesOptions;
  readonly #rows: ReturnType<typeof containerLeases>;
  /** Containers in which this instance works. */
  readonly #busy = new Set<string>();
  /** Id of this instance. */
  readonly instance: string;

  constructor(options: ContainerLeasesOptions) {
    this.#options = options;
    this.#rows = containerLeases(options.store);
    this.instance = options.runtime.id();
  }

  /** Whether this instance works in the container. */
  has({ workspaceId, id }: ContainerKey): boolean {
    return this.#busy.has(`${workspaceId}/${id}`);
  }

  /** Whether another instance works in the container. Rejects with a StoreError. */
  async isBusyElsewhere({ workspaceId, id }: ContainerKey): Promise<boolean> {
    return this.#otherIn((await this.#rows.get(workspaceId, id))?.record)?.isBusy ?? false;
  }

  /** Has work done while no other instance uses the container. Rejects with ContainerInUse, a StoreError, or as it does. */
  async run<T>(key: ContainerKey, work: LeasedWork<T>): Promise<T> {
    let left: string | undefined;
    for (let looks = 0; looks < LOOKS; looks++) {
      const found = await this.#rows.get(key.workspaceId, key.id);
      const other = this.#otherIn(found?.record);
      const holder = other?.id === left ? undefined : holderOf(other, work);
      if (holder !== undefined) {
        const done = await work.there?.(holder);
        if (done !== undefined) return done.value;
        // It may have given it back meanwhile.
        left = holder.id;
        continue;
      }
      if (other?.isBusy) throw new ContainerInUse();
      const lease = this.#leaseOf(key, work.end);
      if (await lease.take(found?.version ?? null)) return await this.#work(key, { lease, found, work });
    }
    throw new ContainerInUse();
  }

  #leaseOf({ workspaceId, id }: ContainerKey, onLost: LeasePlace["onLost"]): Lease {
    const [rows, holder] = [this.#rows, this.instance];
    return new Lease(this.#options, { rows, id: [workspaceId, id], holder, onLost });
  }

  async #work<T>({ workspaceId, id }: ContainerKey, { lease, found, work }: TakenLease<T>): Promise<T> {
    const name = `${workspaceId}/${id}`;
    this.#busy.add(name);
    try {
      return await work.here();
    } finally {
      this.#busy.delete(name);
      await lease.release(this.#rowBehind(work, found?.record));
    }
  }

  /** Undefined: none stays. What no process does leaves the one that another instance keeps where it is. */
  #rowBehind<T>({ keepsProcess }: LeasedWork<T>, before: LeaseRow | undefined): LeaseRow | undefined {
    if (keepsProcess === undefined) return before?.kept_at === undefined ? undefined : before;
    const { url, runtime: { clock } } = this.#options;
    if (url === undefined || !keepsProcess()) return undefined;
    return { holder: this.instance, renewed_at: 0, kept_at: clock.now(), url };
  }

  /** Undefined where no other instance has it. */
  #otherIn(row: LeaseRow | undefined): OtherHolder | undefined {
    if (row === undefined || row.holder === this.instance) return undefined;
    const now = this.#options.runtime.clock.now();
    const isBusy = now - row.renewed_at < LEASE_MS;
    const isKept = row.kept_at !== undefined && now - row.kept_at < WARM_MS;
    if (!isBusy && !isKept) return undefined;
    return { id: row.holder, url: row.url === undefined ? undefined : httpOrigin(row.url), isBusy };
  }
}

/** Undefined where it is not called for this work. */
function holderOf<T>(
  other: OtherHolder | undefined,
  { there, keepsProcess }: LeasedWork<T>,
): LeaseHolder | undefined {
  if (other?.url === undefined || there === undefined) return undefined;
  return other.isBusy || keepsProcess !== undefined ? { id: other.id, url: other.url } : undefined;
}

interface TakenLease<T> {
  readonly lease: Lease;
  /** The row as it was before. */
  readonly found: StoredRecord<LeaseRow> | undefined;
  readonly work: LeasedWork<T>;
}

interface LeasePlace {
  readonly rows: ReturnType<typeof containerLeases>;
  readonly id: readonly [string, string];
  readonly holder: string;
  /** Called every few seconds from when the container is another instance's, or nobody's, until it is given back. */
  readonly onLost: (() => Promise<void>) | undefined;
}

class Lease {
  readonly #options: ContainerLeasesOptions;
  readonly #place: LeasePlace;
  /** Version of the row as this instance has written it. */
  #version: string | undefined;
  #timer: Cancel | undefined;
  #renewing: Promise<void> = Promise.resolve();

  constructor(options: ContainerLeasesOptions, place: LeasePlace) {
    this.#options = options;
    this.#place = place;
  }

  /** False where somebody else has written the row since it had this version. */
  async take(version: string | null): Promise<boolean> {
    const isTaken = await this.#write(version);
    if (isTaken) this.#renewLater();
    return isTaken;
  }

  /** Leaves a row, or none. Where the store does not answer, it is over by itself. */
  async release(row: LeaseRow | undefined): Promise<void> {
    this.#timer?.();
    this.#timer = undefined;
    await this.#renewing;
    if (this.#version === undefined) return;
    try {
      if (await this.#leave(row)) return;
      this.#version = await this.#ownVersion();
      if (this.#version !== undefined) await this.#leave(row);
    } catch (error) {
      this.#warn("Cannot give a container back to other instances yet", error);
    }
  }

  /** False where the row has another version than this instance knows. */
  async #leave(row: LeaseRow | undefined): Promise<boolean> {
    const { rows, id } = this.#place;
    const { type } = await this.#options.store.commit({
      checks: [rows.check(id, this.#version ?? null)],
      ...(row === undefined ? { deletes: [rows.key(id)] } : { puts: [rows.put(id, row)], small: true }),
    });
    return type === "ok";
  }

  /** Version of the row where it is this instance's: the reply to its last write may have been lost. */
  async #ownVersion(): Promise<string | undefined> {
    const { rows, id, holder } = this.#place;
    const found = await rows.get(...id);
    return found?.record.holder === holder ? found.version : undefined;
  }

  /** False where somebody else has written the row. */
  async #write(version: string | null): Promise<boolean> {
    const { rows, id, holder } = this.#place;
    const { store, runtime: { clock }, url } = this.#options;
    const put = rows.put(id, { holder, renewed_at: clock.now(), url });
    const result = await store.commit({ checks: [rows.check(id, version)], puts: [put], small: true });
    this.#version = result.type === "ok" ? result.version : await this.#ownVersion();
    return this.#version !== undefined;
  }

  #renewLater(): void {
    this.#timer = this.#options.runtime.clock.after(RENEW_MS, () => {
      this.#renewing = this.#renew();
    });
  }

  /** Never rejects. Who has lost it keeps no change of files: each is a commit against the version of before. */
  async #renew(): Promise<void> {
    try {
      const isKept = this.#version !== undefined && await this.#write(this.#version);
      // Again each time: a command that has read the container's files before may begin behind an end.
      if (!isKept) await this.#place.onLost?.();
    } catch (error) {
      this.#warn("Cannot renew the use of a container", error);
    }
    if (this.#timer !== undefined) this.#renewLater();
  }

  #warn(message: string, error: unknown): void {
    this.#options.runtime.log.warn(message, { container: this.#place.id[1], error: String(error) });
  }
}
