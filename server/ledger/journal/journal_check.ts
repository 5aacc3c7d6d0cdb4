/** Reads the journal again and again, page by page, so that a damaged batch is known before anybody misses a receipt. */

import type { Store, StoreKey } from "../../stores/store.ts";
import type { Runtime } from "../../runtime.ts";
import { verifyChecksum } from "./batch_checksum.ts";
import { JOURNAL_ROWS } from "./journal_batch.ts";
import { unlessDamaged } from "./receipt_reader.ts";
import { RetentionJob } from "../retention/retention_job.ts";

const EVERY_MS = 600_000;
/** Before the first time: a start has other things to do. */
const FIRST_MS = 1_000;
/** Batches in one step: up to 3 MB. */
const PAGE = 50;

export interface JournalCheckOptions {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "log">;
}

export class JournalCheck {
  readonly #options: JournalCheckOptions;
  readonly #sweep: RetentionJob;
  #after: StoreKey | undefined;
  /** Found in the time before this one, and in this one so far. */
  #before: ReadonlySet<string> = new Set();
  #found = new Set<string>();

  constructor(options: JournalCheckOptions) {
    this.#options = options;
    const { clock } = options.runtime;
    this.#sweep = new RetentionJob({ clock, firstMs: FIRST_MS, everyMs: EVERY_MS, step: () => this.#step() });
  }

  /** What is wrong, in a sentence; undefined while all is well, as far as it was read. */
  get trouble(): string | undefined {
    const count = new Set([...this.#before, ...this.#found]).size;
    if (count === 0) return undefined;
    const what = count === 1 ? "1 journal batch is" : `${count} journal batches are`;
    return `${what} damaged, and the receipts in it are lost: deno task doctor says more.`;
  }

  close(): Promise<void> {
    return this.#sweep.close();
  }

  async #step(): Promise<boolean> {
    try {
      return await this.#page();
    } catch (error) {
      this.#options.runtime.log.warn("Cannot check the journal", { error: String(error) });
      return false;
    }
  }

  async #page(): Promise<boolean> {
    const { store, runtime: { log } } = this.#options;
    const page = await store.list([JOURNAL_ROWS], { after: this.#after, limit: PAGE });
    for (const entry of page) {
      const sound = await unlessDamaged(() => verifyChecksum(entry) !== undefined);
      if (sound === true) continue;
      const name = entry.key.slice(1).join("/");
      this.#found.add(name);
      if (!this.#before.has(name)) {
        log.error("Journal batch is damaged; its receipts are lost", { error: name });
      }
    }
    const more = page.length === PAGE;
    this.#after = more ? page.at(-1)?.key : undefined;
    if (!more) [this.#before, this.#found] = [this.#found, new Set()];
    return more;
  }
}
