/** Requests that a run left open, and receipts that are only in its spool. */

import type { Store } from "../../../../storage/stores/store.ts";
import type { Logger } from "../../../../runtime.ts";
import type { CloseEntry, OpenEntry } from "../journal_batch.ts";
import { interruptedCloseEntry } from "./interrupted_request.ts";
import type { TaggerSource } from "./tagger_source.ts";
import { locateReceipt } from "../../index/receipt_ids.ts";

interface RecoveredState extends TaggerSource {
  readonly open: readonly OpenEntry[];
  readonly spooled: readonly CloseEntry[];
  /** Ms since the epoch. */
  readonly now: number;
  readonly log: Logger;
}

/** How each of the requests has ended: as its receipt in the spool says, or interrupted, with the tags of today's rules. */
export async function closeEntriesOf(
  { open, spooled, now, log, readTagger }: RecoveredState,
): Promise<readonly CloseEntry[]> {
  const rest = new Map(spooled.map((entry) => [entry.receipt.id, entry]));
  const interrupted = open.filter(({ id }) => !rest.has(id)).map((request) =>
    interruptedCloseEntry(request, now)
  );
  const tagged = new Map(
    (await withTags(interrupted, { log, readTagger })).map((entry) => [entry.receipt.id, entry]),
  );
  const endings = open.flatMap(({ id }) => rest.get(id) ?? tagged.get(id) ?? []);
  for (const { id } of open) rest.delete(id);
  return [...endings, ...rest.values()];
}

/** A receipt is written whatever becomes of its tags. */
async function withTags(
  entries: readonly CloseEntry[],
  { log, readTagger }: Pick<RecoveredState, "log" | "readTagger">,
): Promise<readonly CloseEntry[]> {
  if (entries.length === 0 || readTagger === undefined) return entries;
  try {
    const tagsOf = await readTagger();
    return entries.map((entry) => {
      const tags = tagsOf(entry.receipt);
      return tags.length === 0 ? entry : { ...entry, receipt: { ...entry.receipt, tags: [...tags] } };
    });
  } catch (error) {
    log.warn("Cannot read tag rules; receipts of interrupted requests have no tags", {
      error: String(error),
    });
    return entries;
  }
}

/** Filters out the entries whose receipt is in the store: a spooled receipt may have reached it. */
export async function withoutStoredReceipts(
  store: Store,
  entries: readonly CloseEntry[],
): Promise<readonly CloseEntry[]> {
  const unwritten: CloseEntry[] = [];
  for (const entry of entries) {
    if (await locateReceipt(store, entry.receipt.id) === undefined) unwritten.push(entry);
  }
  return unwritten;
}
