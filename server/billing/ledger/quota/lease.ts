/**
 * The right of an instance to spend on a shared store (promises M2): renewed every 5 s, over after 20 s without
 * a renewal, and gone for good when another instance has taken over.
 */

import type { Store } from "../../../storage/stores/store.ts";
import type { Cancel, Runtime } from "../../../runtime.ts";
import { instanceKey, toInstance } from "./instances.ts";

interface InstanceLeaseOptions {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "log">;
  readonly instance: string;
  /** Calls under limits must end; it may come back. */
  readonly onLost: () => void;
  /** Another instance has taken over. */
  readonly onFenced: () => void;
}

const RENEW_MS = 5_000;
export const INSTANCE_LEASE_MS = 20_000;

export class InstanceLease {
  readonly #options: InstanceLeaseOptions;
  /** When the latest renewal that succeeded was begun, by the monotonic clock. */
  #renewedAt = -Infinity;
  #version: string | null = null;
  #beat = 0;
  #reported = false;
  #renew: Cancel | undefined;
  #watch: Cancel | undefined;
  #stopped = false;

  constructor(options: InstanceLeaseOptions) {
    this.#options = options;
  }

  /** Takes the lease. Throws a StoreError. */
  async start(): Promise<void> {
    await this.#beatOnce();
    this.#schedule();
  }

  get held(): boolean {
    return this.#options.runtime.clock.monotonic() - this.#renewedAt < INSTANCE_LEASE_MS;
  }

  stop(): void {
    this.#stopped = true;
    this.#renew?.();
    this.#watch?.();
  }

  /** Says that nothing is left to be closed for this instance. */
  async leave(): Promise<void> {
    const { store, instance } = this.#options;
    const key = instanceKey(instance);
    await store.commit({ checks: [{ key, version: this.#version }], deletes: [key], small: true });
  }

  #schedule(): void {
    if (this.#stopped) return;
    const { runtime: { clock } } = this.#options;
    this.#renew = clock.after(RENEW_MS, () => void this.#again());
    this.#watch?.();
    this.#watch = clock.after(
      Math.max(0, this.#renewedAt + INSTANCE_LEASE_MS - clock.monotonic()),
      () => this.#look(),
    );
  }

  async #again(): Promise<void> {
    try {
      await this.#beatOnce();
    } catch (error) {
      this.#options.runtime.log.warn("Cannot renew instance lease", { error: String(error) });
    }
    this.#look();
    this.#schedule();
  }

  #look(): void {
    if (this.#stopped || this.held) {
      if (this.held) this.#reported = false;
      return;
    }
    if (this.#reported) return;
    this.#reported = true;
    this.#options.runtime.log.error("Instance lease lost; rejecting new requests until renewed");
    this.#options.onLost();
  }

  async #beatOnce(): Promise<void> {
    const { store, runtime: { clock }, instance } = this.#options;
    const begun = clock.monotonic();
    const key = instanceKey(instance);
    const beat = ++this.#beat;
    const result = await store.commit({
      checks: [{ key, version: this.#version }],
      puts: [{ key, value: { beat } }],
      small: true,
    });
    if (this.#stopped) return;
    if (result.type === "ok") {
      this.#version = result.version;
      this.#renewedAt = begun;
      return;
    }
    await this.#compare();
  }

  /** Our own renewal whose reply was lost, or another's hand. */
  async #compare(): Promise<void> {
    const { store, instance, onFenced } = this.#options;
    const entry = await store.get(instanceKey(instance));
    const row = entry && toInstance(entry);
    if (!row || row.reaper !== undefined) {
      this.stop();
      onFenced();
      return;
    }
    this.#version = row.version;
  }
}
