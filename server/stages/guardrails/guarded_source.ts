/** The batches of a response, each read before it goes on. */

import type { OutputEvent } from "../../canonical/event.ts";
import type { Source } from "../../stream/source.ts";

interface GuardedSourceOptions {
  readonly source: Source<OutputEvent>;
  readonly read: (batch: readonly OutputEvent[]) => OutputEvent[] | Promise<OutputEvent[]>;
}

/** A response's batches, read. Nothing comes behind its end. */
export class GuardedSource {
  readonly #options: GuardedSourceOptions;
  #isOver = false;

  constructor(options: GuardedSourceOptions) {
    this.#options = options;
  }

  /** Batches of which everything is held back are passed over. Rejects with an ApiError. */
  async pullScanned(): Promise<readonly OutputEvent[] | undefined> {
    const { source, read } = this.#options;
    while (!this.#isOver) {
      const batch = await source.pull();
      if (batch === undefined) break;
      let scanned: readonly OutputEvent[];
      try {
        scanned = await read(batch);
      } catch (error) {
        this.#isOver = true;
        throw error;
      }
      this.#isOver = batch.some(({ type }) => type === "finish" || type === "failure");
      if (scanned.length > 0) return scanned;
    }
    return undefined;
  }
}
