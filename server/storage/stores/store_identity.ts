/**
 * Notices a store that is not the one it was. SQLite opens an emptied file as a new database, and writes to an
 * unlinked one vanish, both without a word. So the store's name and the number of its starts stand in the store
 * and, once more, in a small file beside it: whichever of the two is behind or alone tells what happened.
 */

import * as z from "zod";
import { systemReason } from "../../../shared/util/system_reason.ts";
import { type Store, StoreError, type StoreKey } from "./store.ts";

export const IDENTITY_KEY: StoreKey = ["meta", "store"];

export const storeIdentitySchema = z.object({
  /** Random; the same for the life of the store. */
  instance: z.string().min(1),
  /** Raised by migrations, so that an older Tollgate does not touch what it would not understand. */
  schema: z.int().positive(),
  /** Counts up at every start. A store behind its mirror is an older copy, or has lost its latest writes. */
  starts: z.int().nonnegative(),
});

/** Record of the file beside the store: its mark, and the newest version of a commit that it acknowledged. */
const mirrorSchema = storeIdentitySchema.extend({ latest: z.string().regex(/^\d{1,20}$/).optional() });

export type StoreIdentity = z.infer<typeof storeIdentitySchema>;
export type IdentityMirror = z.infer<typeof mirrorSchema>;

/**
 * How far a restore raises the versions of commits beyond all that are known: more than a store can have made since
 * its backup. A version that came twice would let a commit pass whose check was made against what is gone.
 */
export const RESTORE_STEP = 2n ** 32n;

/** The schemas that a Tollgate takes. */
export interface Schemas {
  /** The newest; a store that is newer must not be touched. */
  readonly known: number;
  /** The oldest that it can bring up to date. */
  readonly oldest: number;
}

/** Checks the schema of a backup. Throws a StoreError `corrupt`. */
export function assertSchema({ schema }: StoreIdentity, { known, oldest }: Schemas): void {
  if (schema > known) throw new StoreError("corrupt", "it was written by a newer Tollgate");
  if (schema < oldest) throw new StoreError("corrupt", `it ${TOO_OLD}`);
}

/** Findings of one start. */
interface IdentityFindings extends Schemas {
  /** The store's file or address, for the sentence. */
  readonly path: string;
  /** The file beside it. */
  readonly mirror?: string;
  /** In the store. */
  readonly stored?: StoreIdentity;
  /** In the file beside it. */
  readonly mirrored?: IdentityMirror;
  /** The version of the store's newest commit as a number; undefined where that cannot be told. */
  readonly latest?: bigint;
  /** True when the store holds records although it bears no mark. */
  readonly foreign: boolean;
}

/** Message for a store, or a backup, whose records nothing reads any more. */
export const TOO_OLD = "was written by an earlier build, whose records this Tollgate does not read: " +
  "start with an empty TOLLGATE_DATA (or database), or with that build";

/** The mark of this start, or a StoreError `lost` or `corrupt` that says what happened and what to do. */
export function nextIdentity(
  { path, mirror, stored, mirrored, latest, known, oldest, foreign }: IdentityFindings,
  newInstance: string,
): StoreIdentity {
  if (stored && stored.schema > known) {
    throw new StoreError(
      "corrupt",
      `${path} was written by a newer Tollgate: start that version, or restore a backup`,
    );
  }
  if (stored && stored.schema < oldest) throw new StoreError("corrupt", `${path} ${TOO_OLD}`);
  if (!stored && mirrored) {
    throw storeLost(`${path} is empty or new, but it held a store at the last start`, mirror);
  }
  if (!stored && foreign) {
    throw new StoreError("corrupt", `${path} is no store of Tollgate's: point TOLLGATE_DATA elsewhere`);
  }
  if (!stored) return { instance: newInstance, schema: known, starts: 1 };
  if (mirrored && mirrored.instance !== stored.instance) {
    throw storeLost(`${path} is another store than at the last start`, mirror);
  }
  if (mirrored && mirrored.starts > stored.starts) {
    throw storeLost(
      `${path} is older than at the last start (start ${stored.starts} of ${mirrored.starts})`,
      mirror,
    );
  }
  if (mirrored?.latest !== undefined && latest !== undefined && latest < BigInt(mirrored.latest)) {
    throw storeLost(
      `${path} lacks commits that it had acknowledged: it is an older copy, or lost its latest writes`,
      mirror,
    );
  }
  return { instance: stored.instance, schema: known, starts: stored.starts + 1 };
}

function storeLost(what: string, mirror = ""): StoreError {
  return new StoreError(
    "lost",
    `${what}: put the right one back, or, if this is the one that you mean, remove ${mirror} and start again`,
  );
}

export function identityMirrorPath(path: string): string {
  return path.replace(/[^/\\]*$/, "store.json");
}

/** The mark in that file; undefined when there is none. Throws a StoreError `corrupt` when it cannot be read. */
export function readIdentityMirror(mirror: string): IdentityMirror | undefined {
  const text = readText(mirror);
  if (text === undefined) return undefined;
  try {
    return mirrorSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new StoreError(
      "corrupt",
      `${mirror} is damaged: if the store is the one that you mean, remove that file and start again`,
      { cause },
    );
  }
}

/** Written beside and moved into place, so that a crash leaves the old one or the new one. */
export function writeIdentityMirror(mirror: string, mark: IdentityMirror): void {
  try {
    Deno.writeTextFileSync(`${mirror}.new`, `${JSON.stringify(mark)}\n`, { mode: 0o600 });
    Deno.renameSync(`${mirror}.new`, mirror);
  } catch (cause) {
    throw new StoreError("unavailable", `Cannot write ${mirror}: ${systemReason(cause)}`, { cause });
  }
}

/** The mark in the store; undefined when there is none. */
export async function readIdentity(store: Store): Promise<StoreIdentity | undefined> {
  const entry = await store.get(IDENTITY_KEY);
  if (!entry) return undefined;
  const mark = storeIdentitySchema.safeParse(entry.value);
  if (mark.success) return mark.data;
  throw new StoreError("corrupt", "The store's own mark is damaged: restore a backup", { cause: mark.error });
}

function readText(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return undefined;
    throw new StoreError("unavailable", `Cannot read ${path}: ${systemReason(cause)}`, { cause });
  }
}
