/**
 * Sessions of the console: made for a key, and over after 8 hours, after 30 minutes without use, when they are ended,
 * or when their key is disabled, rotated, deleted or expired. Every check reads the store, so that all instances say
 * the same; the key's own state comes from the cache that requests use, which others' changes reach within a second.
 */

import { ApiError } from "../../../shared/errors.ts";
import type {
  ConsoleSession,
  SessionEndReason,
  SessionKind,
  SessionListEntry,
} from "../../../shared/console.ts";
import type { Caller } from "../../../shared/keys.ts";
import { KeyedMutex } from "../../../shared/util/keyed_mutex.ts";
import type { KeyRow } from "../../management/keys/key_rows.ts";
import type { StoredRecord } from "../../storage/stores/collection.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { Runtime } from "../../runtime.ts";
import { SECRET_BYTES } from "./session_cookie.ts";
import {
  csrfOf,
  hashSecret,
  publicSessionId,
  type SessionCollection,
  sessionCollection,
  type SessionRow,
} from "./session_rows.ts";

export const SESSION_MS = 8 * 3_600_000;
const IDLE_MS = 30 * 60_000;
/** A use is written at most so often. */
const SEEN_EVERY_MS = 60_000;
/** A session that is over is remembered, so that its holder learns why, for as long again. */
const REMEMBERED_MS = SESSION_MS;
/** Most sessions of one key at a time; the oldest makes room. */
const MOST_PER_KEY = 20;
/** Read at a time where all of them are looked at. */
const PAGE = 500;

/** Look-ups of keys that sessions need. */
interface SessionKeys {
  /** The caller behind a key, by its hash; undefined for a missing, disabled or expired one. */
  findByHash(hash: string): Caller | undefined | Promise<Caller | undefined>;
  rowOf(hash: string): KeyRow | undefined | Promise<KeyRow | undefined>;
}

interface ConsoleSessionsOptions {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "randomToken">;
  readonly keys: SessionKeys;
  /** Version of the gateway. */
  readonly version: string;
}

/** A session that holds, and who its holder is to the operations. */
export interface LiveSession {
  readonly id: string;
  readonly caller: Caller;
  readonly csrf: string;
  readonly session: ConsoleSession;
}

export class ConsoleSessions {
  readonly #rows: SessionCollection;
  readonly #options: ConsoleSessionsOptions;
  readonly #opening = new KeyedMutex();

  constructor(options: ConsoleSessionsOptions) {
    this.#options = options;
    this.#rows = sessionCollection(options.store);
  }

  /** Opens a session for a key. Undefined for a key that cannot sign in; else the secret for the cookie. */
  async open(keyHash: string, address: string | null): Promise<string | undefined> {
    const { keys, runtime: { clock, randomToken } } = this.#options;
    const [caller, key] = [await keys.findByHash(keyHash), await keys.rowOf(keyHash)];
    if (caller === undefined || key === undefined || caller.kind === "client") return undefined;
    const secret = randomToken(SECRET_BYTES);
    const now = new Date(clock.now()).toISOString();
    const row: SessionRow = {
      kind: caller.kind,
      key_hash: keyHash,
      key_expires_at: key.expires_at,
      created_at: now,
      last_seen_at: now,
      address,
    };
    // One after the other, or all of them would find the same room.
    await this.#opening.run(keyHash, async () => {
      await this.#makeRoom(keyHash);
      await this.#rows.create([hashSecret(secret)], row);
    });
    return secret;
  }

  /** The session of a secret, or why there is none. Notes that it is used, unless the page reads by itself. */
  async find(
    secret: string | undefined,
    { isUse = true }: { readonly isUse?: boolean } = {},
  ): Promise<LiveSession | SessionEndReason> {
    if (secret === undefined) return "none";
    const id = hashSecret(secret);
    const found = await this.#rows.get(id);
    if (found === undefined) return "ended";
    const ended = this.#endedBy(found.record);
    if (ended !== undefined) return ended;
    const holder = await this.#holderOf(found.record);
    if (holder === undefined) return "key";
    const row = isUse ? await this.#seen(found) : found.record;
    const publicId = publicSessionId(id);
    return {
      id: publicId,
      caller: { ...holder.caller, session: publicId },
      csrf: csrfOf(secret),
      session: {
        ...this.#describe({ id: publicId, row, key: holder.key }),
        csrf: csrfOf(secret),
        version: this.#options.version,
      },
    };
  }

  /** Ends the session of a secret. */
  async close(secret: string): Promise<void> {
    await this.#rows.delete(hashSecret(secret));
  }

  /** Open sessions, the youngest first: a manager sees all, a key holder those of the own key. */
  async list({ caller, id: own }: LiveSession): Promise<readonly SessionListEntry[]> {
    const entries: SessionListEntry[] = [];
    for (const { id: [secretHash], record } of await this.#all()) {
      if (!sees(caller, record) || this.#endedBy(record) !== undefined) continue;
      const holder = await this.#holderOf(record);
      if (holder === undefined) continue;
      const id = publicSessionId(String(secretHash));
      const described = this.#describe({ id, row: record, key: holder.key });
      entries.push({
        ...described,
        last_seen_at: record.last_seen_at,
        address: record.address,
        current: id === own,
      });
    }
    return entries.sort((a, b) => b.created_at.localeCompare(a.created_at));
  }

  /** Ends a session that the caller sees. Throws an ApiError where there is none. */
  async end(id: string, { caller }: LiveSession): Promise<void> {
    const found = (await this.#all()).find(({ id: [secretHash], record }) =>
      publicSessionId(String(secretHash)) === id && sees(caller, record)
    );
    if (found === undefined) throw new ApiError("not_found", "There is no such session.");
    if (!mayEnd(caller, found.record)) {
      throw new ApiError("forbidden", "A read-only management key can end sessions of its own only.");
    }
    await this.#rows.delete(...found.id);
  }

  /** Ends every session that the caller may end, but this one. Resolves with their number. */
  async endOthers({ caller, id: own }: LiveSession): Promise<number> {
    const others = (await this.#all()).filter(({ id: [secretHash], record }) =>
      publicSessionId(String(secretHash)) !== own && mayEnd(caller, record) &&
      this.#endedBy(record) === undefined
    );
    for (const { id } of others) await this.#rows.delete(...id);
    return others.length;
  }

  #describe({ id, row, key }: { readonly id: string; readonly row: SessionRow; readonly key: KeyRow }) {
    const [created, seen] = [Date.parse(row.created_at), Date.parse(row.last_seen_at)];
    const until = created + SESSION_MS;
    return {
      id,
      kind: row.kind,
      read_only: key.read_only,
      name: key.name,
      label: key.label,
      key_hash: row.key_hash,
      workspace_id: row.kind === "api" ? key.workspace_id : null,
      created_at: row.created_at,
      expires_at: new Date(until).toISOString(),
      idle_expires_at: new Date(Math.min(until, seen + IDLE_MS)).toISOString(),
    } satisfies Omit<SessionListEntry, "last_seen_at" | "address" | "current">;
  }

  #endedBy({ created_at, last_seen_at }: SessionRow): SessionEndReason | undefined {
    const now = this.#options.runtime.clock.now();
    if (now >= Date.parse(created_at) + SESSION_MS) return "expired";
    return now >= Date.parse(last_seen_at) + IDLE_MS ? "idle" : undefined;
  }

  /** Undefined when the key no longer lets its holder in, or is not the key that it was. */
  async #holderOf({ key_hash, key_expires_at, kind }: SessionRow) {
    const { keys } = this.#options;
    const [caller, key] = [await keys.findByHash(key_hash), await keys.rowOf(key_hash)];
    if (caller === undefined || key === undefined || caller.kind !== kind) return undefined;
    return key.expires_at === key_expires_at ? { caller, key } : undefined;
  }

  async #seen({ id, record }: StoredRecord<SessionRow>): Promise<SessionRow> {
    const now = this.#options.runtime.clock.now();
    if (now < Date.parse(record.last_seen_at) + SEEN_EVERY_MS) return record;
    const last_seen_at = new Date(now).toISOString();
    // Undefined: it was ended in between, and is not written again.
    await this.#rows.update(id, (row) => ({ ...row, last_seen_at }));
    return { ...record, last_seen_at };
  }

  /** Forgets what is long over, and the oldest sessions of a key that has too many. */
  async #makeRoom(keyHash: string): Promise<void> {
    const now = this.#options.runtime.clock.now();
    const all = await this.#all();
    const own = all.filter(({ record }) => record.key_hash === keyHash)
      .sort((a, b) => a.record.created_at.localeCompare(b.record.created_at));
    const surplus = own.slice(0, Math.max(0, own.length - MOST_PER_KEY + 1));
    const old = all.filter(({ record }) => now >= Date.parse(record.created_at) + SESSION_MS + REMEMBERED_MS);
    for (const { id } of new Set([...surplus, ...old])) await this.#rows.delete(...id);
  }

  async #all(): Promise<readonly StoredRecord<SessionRow>[]> {
    const found: StoredRecord<SessionRow>[] = [];
    let page: readonly StoredRecord<SessionRow>[];
    do {
      page = await this.#rows.list({ after: found.at(-1)?.id, limit: PAGE });
      found.push(...page);
    } while (page.length === PAGE);
    return found;
  }
}

interface SessionOwner {
  readonly key_hash: string;
  readonly kind: SessionKind;
}

/** A manager sees every session, a key holder those of the own key. */
function sees({ kind, keyHash }: Caller, row: SessionOwner): boolean {
  return kind === "management" || row.key_hash === keyHash;
}

/** A read-only manager ends those of the own key only. */
function mayEnd(caller: Caller, row: SessionOwner): boolean {
  const isReader = caller.kind === "management" && caller.readOnly === true;
  return sees(caller, row) && (!isReader || row.key_hash === caller.keyHash);
}
