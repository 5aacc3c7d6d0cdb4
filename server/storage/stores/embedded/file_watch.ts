/** Looks every second whether the store's files are still those that were opened, so that nobody writes into lost ones. */

import type { Cancel, Clock, Logger } from "../../../runtime.ts";
import type { FileIdentity } from "./file_identity.ts";
import { systemReason } from "../../../../shared/util/system_reason.ts";

const LOOK_MS = 1_000;

interface FileWatchOptions {
  readonly identity: FileIdentity;
  readonly clock: Clock;
  /** Absent in the operator's commands, which say by themselves what fails. */
  readonly log?: Logger;
}

export class FileWatch {
  readonly #options: FileWatchOptions;
  #timer: Cancel | undefined;
  // deno-lint-ignore tollgate/kept-promises -- the look under way, which the end of the watch waits for
  #looking: Promise<void> | undefined;
  #closed = false;
  /** Trouble with the files, as seen last; undefined while all is well. */
  trouble: string | undefined;

  constructor(options: FileWatchOptions) {
    this.#options = options;
    this.#later();
  }

  /**
   * Looks at the files, and says what is wrong with them. Once the watch is closed, what was seen last: closing the
   * store removes files.
   */
  async look(): Promise<string | undefined> {
    const { identity, log } = this.#options;
    const found = await this.#troubleOf(identity);
    if (this.#closed || found === this.trouble) return this.trouble;
    const before = this.trouble;
    this.trouble = found;
    if (found !== undefined) {
      log?.error("Store files are not the ones that were opened; nothing is admitted or written", {
        error: found,
      });
    } else if (before !== undefined) log?.info("Store files are back");
    return found;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.();
    await this.#looking;
  }

  #later(): void {
    if (this.#closed) return;
    this.#timer = this.#options.clock.after(LOOK_MS, () => {
      this.#looking = this.look().then(() => this.#later());
    });
  }

  async #troubleOf(identity: FileIdentity): Promise<string | undefined> {
    try {
      return await identity.trouble();
    } catch (error) {
      return systemReason(error);
    }
  }
}
