/**
 * Fills a store with keys: `fill_keys.ts <folder> <count> <seconds>` makes the keys of bench_keys.ts in a new store,
 * in the commits of the product and for at most so long, and prints what it made as JSON. But for the first ones,
 * rows go in in the order of their keys: a million rows at random places take a disk's patience.
 */

import { runFirstStart } from "../../server/management/keys/first_start.ts";
import { INSTALLATION_ID, installationCollection } from "../../server/management/core/installation.ts";
import { keyPuts } from "../../server/management/keys/lists/key_index.ts";
import { hashKey, newKeyRow } from "../../server/management/keys/key_rows.ts";
import { createLogger } from "../../server/logger.ts";
import { openEmbedded } from "../../server/storage/stores/embedded/open_embedded.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { createClock, createRuntime } from "../../server/runtime.ts";
import { keyText } from "./bench_keys.ts";
import { API_KEY, MANAGEMENT_KEY } from "./gateway.ts";
import type { FillResult } from "./job.ts";

/** Keys a commit, each of two rows; a commit has room for 80,000 bytes of their names. */
const BATCH = 50;
/** The first one is so old, and the others came one after the other since then. */
const AGE_MS = 90 * 86_400_000;
/** Keys that are there however early the filling is ended. */
const FIRST = 10_000;

/** For one commit: a disk that is busy with so much may take long. */
const PATIENCE_MS = 60_000;

const clock = createClock();
const runtime = createRuntime(
  createLogger({ level: "error", format: "json", now: clock.now, write: console.error }),
);

/** The texts of keys number `from` to `to`, in the order of their hashes. */
function texts(from: number, to: number): readonly string[] {
  const keys = Array.from({ length: Math.max(0, to - from) }, (_, at) => {
    const text = keyText(from + at);
    return { text, hash: hashKey(text) };
  });
  return keys.sort((a, b) => a.hash < b.hash ? -1 : 1).map(({ text }) => text);
}

interface Filling {
  readonly store: Store;
  readonly workspaceId: string;
  readonly count: number;
  /** Monotonic ms. */
  readonly until: number;
}

/** How many keys were made. */
async function fill({ store, workspaceId, count, until }: Filling): Promise<number> {
  const oldest = clock.now() - AGE_MS;
  let committed: Promise<unknown> = Promise.resolve();
  const all = [...texts(0, Math.min(FIRST, count)), ...texts(FIRST, count)];
  let made = 0;
  for (; made < count && (made < FIRST || performance.now() < until); made += BATCH) {
    const puts = all.slice(made, made + BATCH).flatMap((token, nth) => {
      const at = oldest + Math.floor(AGE_MS * (made + nth) / count);
      return keyPuts(store, newKeyRow({ kind: "api", token, name: "One of many", workspaceId }, at));
    });
    // The next batch is made while this one is written.
    await committed;
    committed = store.commit({ puts, small: true });
  }
  await committed;
  return Math.min(made, count);
}

if (import.meta.main) {
  const [folder = "", count = "0", seconds = "60"] = Deno.args;
  const from = performance.now();
  const store = await openEmbedded(folder, { runtime, deadlineMs: PATIENCE_MS });
  try {
    await runFirstStart({
      store,
      runtime,
      configuredKeys: { api: API_KEY, management: MANAGEMENT_KEY },
      mayPrint: false,
    });
    const installed = await installationCollection(store).get(INSTALLATION_ID);
    const keys = await fill({
      store,
      workspaceId: installed?.record.workspace_id ?? "",
      count: Number(count),
      until: from + Number(seconds) * 1000,
    });
    const result: FillResult = { keys, seconds: (performance.now() - from) / 1000 };
    console.log(JSON.stringify(result));
  } finally {
    await store.close();
  }
}
