/** An open file that is given up to accept one more connection when the process has no file descriptor left. */

import type { Cancel } from "../../runtime.ts";

/** Opens a file and returns how to close it; undefined where that is not possible. */
export type OpenSpare = () => Cancel | undefined;

export class SpareFile {
  readonly #open: OpenSpare;
  #close: Cancel | undefined;

  constructor(open: OpenSpare) {
    this.#open = open;
    this.#close = open();
  }

  /** Opens it again after it was given up. */
  refill(): void {
    this.#close ??= this.#open();
  }

  /** Frees its descriptor; false when there was none. */
  release(): boolean {
    const close = this.#close;
    this.#close = undefined;
    close?.();
    return close !== undefined;
  }
}
