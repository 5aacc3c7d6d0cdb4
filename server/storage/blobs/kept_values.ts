/**
 * Values that a workspace's requests can use again for a day: JSON in blobs without a record, which the retention job
 * of files removes when they are a day old, and which go with the workspace.
 */

import * as z from "zod";
import { tryParseJson } from "../../../shared/util/json.ts";
import type { Runtime } from "../../runtime.ts";
import { fileUsage } from "../files/file_rows.ts";
import type { Store } from "../stores/store.ts";
import type { BlobKey, BlobStore } from "./blob_store.ts";

interface KeptValuesDeps {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly runtime: Pick<Runtime, "clock" | "log">;
}

interface ValueKey {
  /** UUID. */
  readonly workspaceId: string;
  /** Texts that name the value together. */
  readonly name: readonly string[];
}

const DAY_MS = 24 * 3_600_000;
/** Bytes of a value. */
const MAX_BYTES = 16 * 1024 * 1024;

const keptSchema = z.object({ keptAt: z.number(), value: z.unknown() });

export class KeptValues {
  readonly #deps: KeptValuesDeps;

  constructor(deps: KeptValuesDeps) {
    this.#deps = deps;
  }

  /** Undefined where there is none that is younger than a day. Does not reject: what is not found is made anew. */
  async find(key: ValueKey): Promise<unknown> {
    const { blobs, runtime: { clock, log } } = this.#deps;
    try {
      const content = await blobs.open(await blobKey(key));
      if (content === undefined) return undefined;
      const { data } = keptSchema.safeParse(tryParseJson(await new Response(content).text()));
      return data !== undefined && clock.now() - data.keptAt < DAY_MS ? data.value : undefined;
    } catch (error) {
      log.warn("Kept value not read", { workspace: key.workspaceId, error: String(error) });
      return undefined;
    }
  }

  /** Does not reject: what is not kept is made anew the next time. */
  async keep(key: ValueKey, value: unknown): Promise<void> {
    const { store, blobs, runtime: { clock, log } } = this.#deps;
    const bytes = new TextEncoder().encode(JSON.stringify({ keptAt: clock.now(), value }));
    if (bytes.length > MAX_BYTES) return;
    try {
      const blob = await blobKey(key);
      // A row stands before the first blob does, so that what is left of it is looked for.
      await fileUsage(store).create([key.workspaceId], { files: 0, bytes: 0 });
      await blobs.delete(blob);
      await blobs.put(blob, one(bytes));
    } catch (error) {
      log.warn("Value not kept", { workspace: key.workspaceId, error: String(error) });
    }
  }
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield bytes;
}

const ID_DIGITS = 32;

async function blobKey({ workspaceId, name }: ValueKey): Promise<BlobKey> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(name)));
  return { workspaceId, id: new Uint8Array(digest).toHex().slice(0, ID_DIGITS) };
}
