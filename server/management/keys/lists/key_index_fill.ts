/** Writes the index rows of keys that were stored before there were any: once for a store, in slices. */

import * as z from "zod";
import { timestampSchema } from "../../../../shared/keys.ts";
import { Collection } from "../../../storage/stores/collection.ts";
import type { Store, StoreKey, StorePut } from "../../../storage/stores/store.ts";
import type { Clock, Runtime } from "../../../runtime.ts";
import { keyPuts } from "./key_index.ts";
import { keyCollection } from "../key_rows.ts";

const filledSchema = z.object({ at: timestampSchema });
/** That every key is in the lists of its owners. */
const LISTED = "keys_indexed";
/** That every key is found by its words and sorted by its name. */
const WORDS = "key_words_indexed";
/** Keys read at a time. */
const FILL = 25;

const marksOf = (store: Store) => new Collection({ store, name: "meta", schema: filledSchema });

/** That every key of a store is indexed; part of the commit that makes a new store, whose keys all will be. */
export function keyIndexMarks(store: Store, at: string): readonly StorePut[] {
  return [LISTED, WORDS].map((name) => marksOf(store).put([name], { at }));
}

interface FillOptions {
  readonly store: Store;
  readonly clock: Pick<Clock, "now">;
  /** Ends the work early; a later start begins it anew. */
  readonly isStopped?: () => boolean;
}

/** The lists of owners, which every operation needs: the start waits for it. At later starts one read. */
export const fillKeyIndex = (options: FillOptions): Promise<void> => fill(options, LISTED);

/**
 * Fills in the words that searches need, while the gateway serves; until then searches say that they are not
 * complete.
 */
export const fillKeyWords = (options: FillOptions): Promise<void> => fill(options, WORDS);

export async function areKeyWordsComplete(store: Store): Promise<boolean> {
  return await marksOf(store).get(WORDS) !== undefined;
}

async function fill({ store, clock, isStopped = () => false }: FillOptions, mark: string): Promise<void> {
  const marks = marksOf(store);
  if (await marks.get(mark)) return;
  const rows = keyCollection(store);
  let after: StoreKey | undefined;
  do {
    const page = await rows.list({ after, limit: FILL });
    for (const { record, version } of page) {
      if (isStopped()) return;
      // Somebody who changes the key meanwhile writes its index rows too.
      const puts = keyPuts(store, record).slice(1);
      if (puts.length > 0) await store.commit({ checks: [rows.check([record.hash], version)], puts });
    }
    after = page.length < FILL ? undefined : page.at(-1)?.id;
  } while (after !== undefined);
  await marks.create([mark], { at: new Date(clock.now()).toISOString() });
}

/** Fills the index of words in the background. Resolves, when stopped, after the commit under way. */
export function startKeyWordFill(
  { store, runtime: { clock, log } }: {
    readonly store: Store;
    readonly runtime: Pick<Runtime, "clock" | "log">;
  },
): { readonly stop: () => Promise<void> } {
  let stopped = false;
  const done = fillKeyWords({ store, clock, isStopped: () => stopped }).catch((error) => {
    log.error("Cannot index the words of keys; the next start tries again", { error: String(error) });
  });
  return {
    stop: () => {
      stopped = true;
      return done;
    },
  };
}
