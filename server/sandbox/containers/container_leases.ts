/**
 * Which instance uses a container, where several share the store: a row that its holder renews while something runs in
 * it. Another instance that wants it meanwhile is told so; one that comes later goes on with the files of the store.
 */

import type { Store } from "../../storage/stores/store.ts";
import type { Cancel, Runtime } from "../../runtime.ts";
import { containerLeases } from "./container_rows.ts";
import type { ContainerKey } from "./container_store.ts";
import { ContainerInUse } from "./containers.ts";

export const RENEW_MS = 5_000;
/** A holder that has not renewed for so long has ended. Clocks of instances may be apart by seconds. */
export const LEASE_MS = 20_000;

interface ContainerLeasesOptions {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "id" | "log">;
}

export class ContainerLeases {
  readonly #options: ContainerLeasesOptions;
  readonly #rows: LeaseRow["rows"];
  readonly #holder: string;

  constructor(options: ContainerLeasesOptions) {
    this.#options = options;
    this.#rows = containerLeases(options.store);
    this.#holder = options.runtime.id();
  }

  /**
   * Does `work` while no other instance uses the container; this one has to see itself that it does one thing at a time.
   * Rejects with ContainerInUse, a StoreError, or as `work` does.
   */
  async run<T>({ workspaceId, id }: ContainerKey, work: () => Promise<T>): Promise<T> {
    const lease = new Lease(this.#options, { rows: this.#rows, id: [workspaceId, id], holder: this.#holder });
    await lease.take();
    try {
      return await work();
    } finally {
      await lease.release();
    }
  }
}

interface LeaseRow {
  readonly rows: ReturnType<typeof containerLeases>;
  readonly id: readonly [string, string];
  readonly holder: string;
}

class Lease {
  readonly #options: ContainerLeasesOptions;
  readonly #row: LeaseRow;
  /** Version of the row as this instance has written it. */
  #version: string | undefined;
  #timer: Cancel | undefined;
  #renewing: Promise<void> = Promise.resolve();

  constructor(options: ContainerLeasesOptions, row: LeaseRow) {
    this.#options = options;
    this.#row = row;
  }

  async take(): Promise<void> {
    const { rows, id, holder } = this.#row;
    const found = await rows.get(...id);
    const isHeld = found !== undefined && found.record.holder !== holder &&
      this.#options.runtime.clock.now() - found.record.renewed_at < LEASE_MS;
    if (isHeld || !await this.#write(found?.version ?? null)) throw new ContainerInUse();
    this.#renewLater();
  }

  /** Where the store does not answer, it is over by itself. */
  async release(): Promise<void> {
    this.#timer?.();
    this.#timer = undefined;
    await this.#renewing;
    const { rows, id } = this.#row;
    if (this.#version === undefined) return;
    await this.#options.store.commit({ checks: [rows.check(id, this.#version)], deletes: [rows.key(id)] })
      .catch((error: unknown) => this.#warn("Cannot give a container back to other instances yet", error));
  }

  /** False where somebody else has written the row. */
  async #write(version: string | null): Promise<boolean> {
    const { rows, id, holder } = this.#row;
    const put = rows.put(id, { holder, renewed_at: this.#options.runtime.clock.now() });
    const result = await this.#options.store.commit({
      checks: [rows.check(id, version)],
      puts: [put],
      small: true,
    });
    this.#version = result.type === "ok" ? result.version : undefined;
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
      if (this.#version === undefined || !await this.#write(this.#version)) return;
    } catch (error) {
      this.#warn("Cannot renew the use of a container", error);
    }
    if (this.#timer !== undefined) this.#renewLater();
  }

  #warn(message: string, error: unknown): void {
    this.#options.runtime.log.warn(message, { container: this.#row.id[1], error: String(error) });
  }
}
