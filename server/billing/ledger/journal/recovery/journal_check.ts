/** Reads the journal again and again, page by page, so that a damaged or missing batch is known before anybody misses a receipt. */

import { PeriodicJob } from "../../../../../shared/util/periodic_job.ts";
import type { Store, StoreEntry, StoreKey } from "../../../../storage/stores/store.ts";
import type { Runtime } from "../../../../runtime.ts";
import { verifyChecksum } from "../batch_checksum.ts";
import { JOURNAL_ROWS } from "../journal_batch.ts";
import { lastRetired, missingBefore } from "./missing_batches.ts";
import { unlessDamaged } from "../receipt_reader.ts";

const EVERY_MS = 600_000;
/** Before the first time: a start has other things to do. */
const FIRST_MS = 1_000;
/** Batches in one step: up to 3 MB. */
const PAGE = 50;

interface JournalCheckOptions {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "log">;
}

export class JournalCheck {
  readonly #options: JournalCheckOptions;
  readonly #job: PeriodicJob;
  #after: StoreKey | undefined;
  /** The row that was read last, over pages. */
  #last: StoreKey | undefined;
  /** Found in the time before this one, and in this one so far. */
  #before: ReadonlySet<string> = new Set();
  #found = new Set<string>();

  constructor(options: JournalCheckOptions) {
    this.#options = options;
    this.#job = new PeriodicJob({
      runtime: options.runtime,
      firstMs: FIRST_MS,
      everyMs: EVERY_MS,
      step: () => this.#page(),
      failure: "Cannot check the journal",
    });
  }

  /** Finding of the check so far, in a sentence; undefined while all is well. */
  get trouble(): string | undefined {
    const count = new Set([...this.#before, ...this.#found]).size;
    if (count === 0) return undefined;
    const [what, whose] = count === 1
      ? ["1 journal batch is", "it"]
      : [`${count} journal batches are`, "them"];
    return `${what} damaged or missing, and the receipts in ${whose} are lost: deno task doctor says more.`;
  }

  close(): Promise<void> {
    return this.#job.close();
  }

  /** Where a row follows the one before it, nothing is looked up. */
  async #missingBefore({ key: [, instance, seq] }: StoreEntry): Promise<readonly number[]> {
    const [, lastInstance, lastSeq] = this.#last ?? [];
    const before = lastInstance === instance ? Number(lastSeq) : undefined;
    if (before !== undefined && before + 1 === seq) return [];
    const retired = await lastRetired(this.#options.store, String(instance));
    return missingBefore({ seq: Number(seq), before, retired });
  }

  #report(what: "damaged" | "missing", name: string): void {
    this.#found.add(name);
    if (this.#before.has(name)) return;
    this.#options.runtime.log.error(`Journal batch is ${what}; its receipts are lost`, { error: name });
  }

  async #page(): Promise<boolean> {
    const { store } = this.#options;
    const page = await store.list([JOURNAL_ROWS], { after: this.#after, limit: PAGE });
    for (const entry of page) {
      for (const seq of await this.#missingBefore(entry)) this.#report("missing", `${entry.key[1]}/${seq}`);
      this.#last = entry.key;
      const sound = await unlessDamaged(() => verifyChecksum(entry) !== undefined);
      if (sound !== true) this.#report("damaged", entry.key.slice(1).join("/"));
    }
    const more = page.length === PAGE;
    if (!more) this.#last = undefined;
    this.#after = more ? page.at(-1)?.key : undefined;
    if (!more) [this.#before, this.#found] = [this.#found, new Set()];
    return more;
  }
}
