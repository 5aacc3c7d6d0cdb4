/** Whether the voices can speak: their files are here, are being fetched, or cannot be had. */

import { SharedWork } from "../../../shared/util/memo.ts";
import type { VoiceFiles } from "./voice_package_lock.ts";
import {
  fetchedFiles,
  loadVoiceFiles,
  type PackageOptions,
  voicesOnDisk,
  VoicesUnavailable,
} from "./voice_package.ts";

/** The files are on their way; the message says so. */
export class VoicesComing extends Error {
  override readonly name = "VoicesComing";

  constructor() {
    super("The embedded voices are being fetched (12 MB). Try again in a moment.");
  }
}

/** So long a request waits for a fetch. */
const WAIT_MS = 20_000;
/** So long after a failed fetch none is begun anew: who asks meanwhile is answered at once. */
const FAILED_MS = 30_000;

interface Failed {
  readonly error: VoicesUnavailable;
  /** Monotonic ms. */
  readonly at: number;
}

export class VoiceSupply {
  readonly #options: PackageOptions;
  /** Read or fetched, and not used yet. */
  #held: VoiceFiles | undefined;
  #known = false;
  readonly #fetching = new SharedWork<"voices", void>();
  #failed: Failed | undefined;

  constructor(options: PackageOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the voices can speak. Rejects with VoicesMissing where they cannot be had, and with VoicesComing
   * where a fetch that may yet succeed takes its time.
   */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.#known || await this.#isOnDisk()) return;
    const { clock } = this.#options.runtime;
    const failed = this.#failed;
    if (failed !== undefined && clock.monotonic() - failed.at < FAILED_MS) throw failed.error;
    await this.#within(this.#fetching.run("voices", () => this.#fetch()), signal);
  }

  /** The files, for the caller alone to use up. Rejects with VoicesMissing. */
  async files(): Promise<VoiceFiles> {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) return held;
    try {
      return await loadVoiceFiles(this.#options);
    } catch (error) {
      // They were removed meanwhile: the next request looks again.
      this.#known = false;
      throw error;
    }
  }

  async #isOnDisk(): Promise<boolean> {
    this.#held ??= await voicesOnDisk(this.#options);
    if (this.#held !== undefined) this.#known = true;
    return this.#known;
  }

  async #fetch(): Promise<void> {
    try {
      this.#held = await fetchedFiles(this.#options);
      this.#known = true;
      this.#failed = undefined;
    } catch (error) {
      if (!(error instanceof VoicesUnavailable)) throw error;
      this.#failed = { error, at: this.#options.runtime.clock.monotonic() };
      throw error;
    }
  }

  /** A fetch goes on for others when one who waited for it has gone. */
  async #within(fetching: Promise<void>, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const left = () => reject(signal.reason);
    if (signal.aborted) left();
    signal.addEventListener("abort", left, { once: true });
    // What is known of an earlier try says more than that another one is under way.
    const late = () => reject(this.#failed?.error ?? new VoicesComing());
    const cancel = this.#options.runtime.clock.after(WAIT_MS, late);
    fetching.then(resolve, reject);
    try {
      await promise;
    } finally {
      cancel();
      signal.removeEventListener("abort", left);
    }
  }
}
