/**
 * `Idempotency-Key`: for 24 hours the same key of the same caller gets the same answer, from one call. Who comes
 * first claims the key in the store; who comes meanwhile waits; who comes later is told what the first was told.
 * A claim whose process died is taken over after 20 s without a sign of life.
 */

import { hash } from "node:crypto";
import { ApiError } from "../../../shared/errors.ts";
import type { StoredRecord } from "../../storage/stores/collection.ts";
import type { Store, StoreCommit } from "../../storage/stores/store.ts";
import {
  idempotencyCollection,
  idempotencyExpiries,
  type IdempotencyRecord,
  type StoredReply,
  storedReplySchema,
} from "./idempotency_records.ts";
import { IdempotencyClaim, type IdempotencyRuntime } from "./idempotency_claim.ts";
import { unsealReply } from "./sealed_reply.ts";

export const DAY_MS = 86_400_000;
const STALE_MS = 20_000;
/** Between two looks at a claim that another process holds, in ms. */
const WAIT_MS = 250;
const SWEEP_MS = 60_000;
const SWEPT = 50;

interface IdempotencyRequest {
  readonly keyHash: string;
  /** The caller's token, from which answers are encrypted. */
  readonly token: string;
  /** The header's value. */
  readonly key: string;
  /** Operation and body. */
  readonly request: string;
}

type IdempotencyResult =
  | { readonly type: "mine"; readonly claim: IdempotencyClaim }
  | { readonly type: "kept"; readonly kept: StoredReply };

export class IdempotencyKeys {
  readonly #store: Store;
  readonly #runtime: IdempotencyRuntime;
  /** Calls of this process that hold a claim, to wait for. */
  // deno-lint-ignore tollgate/kept-promises -- it holds ends, none of which rejects
  readonly #running = new Map<string, Promise<void>>();
  #sweptAt = -Infinity;

  constructor({ store, runtime }: { readonly store: Store; readonly runtime: IdempotencyRuntime }) {
    this.#store = store;
    this.#runtime = runtime;
  }

  /** Throws an ApiError (400) when the key was used for something else, or its answer was too large to keep. */
  async claim(idempotencyRequest: IdempotencyRequest): Promise<IdempotencyResult> {
    await this.#sweep();
    const id = hash("sha256", `${idempotencyRequest.keyHash}\n${idempotencyRequest.key}`);
    const fingerprint = hash("sha256", idempotencyRequest.request);
    for (;;) {
      const found = await idempotencyCollection(this.#store).get(id);
      const now = this.#runtime.clock.now();
      const live = found !== undefined && now < found.record.expires_at ? found.record : undefined;
      if (live !== undefined && live.fingerprint !== fingerprint) throw reused();
      if (live?.done) {
        return { type: "kept", kept: opened(live, { token: idempotencyRequest.token, place: id }) };
      }
      if (live !== undefined && now - live.renewed_at < STALE_MS) {
        await this.#wait(id);
        continue;
      }
      const claim = await this.#begin({ id, fingerprint, found, token: idempotencyRequest.token });
      if (claim !== undefined) return { type: "mine", claim };
    }
  }

  async #begin(start: ClaimStart): Promise<IdempotencyClaim | undefined> {
    const rows = idempotencyCollection(this.#store);
    const now = this.#runtime.clock.now();
    const record: IdempotencyRecord = {
      fingerprint: start.fingerprint,
      expires_at: now + DAY_MS,
      renewed_at: now,
      holder: this.#runtime.id(),
      done: false,
      sealed: null,
    };
    const { id, token } = start;
    const version = await this.#written(id, {
      checks: [rows.check([id], start.found?.version ?? null)],
      puts: [rows.put([id], record), idempotencyExpiries(this.#store).put([record.expires_at, id], {})],
      holder: record.holder,
    });
    if (version === undefined) return undefined;
    const claim = new IdempotencyClaim({
      store: this.#store,
      runtime: this.#runtime,
      id,
      token,
      record,
      version,
    });
    this.#running.set(id, claim.ended.finally(() => this.#running.delete(id)));
    return claim;
  }

  /** The claim's version; undefined when another was faster. A commit whose reply was lost is found again. */
  async #written(id: string, { holder, ...commit }: StoreCommit & { readonly holder: string }) {
    let failure: { readonly error: unknown } | undefined;
    try {
      const result = await this.#store.commit(commit);
      if (result.type === "ok") return result.version;
    } catch (error) {
      failure = { error };
    }
    const found = await idempotencyCollection(this.#store).get(id);
    if (found?.record.holder === holder) return found.version;
    if (failure !== undefined) throw failure.error;
    return undefined;
  }

  /** Until the call of this process has ended, or for a moment where it is another's. */
  async #wait(id: string): Promise<void> {
    const running = this.#running.get(id);
    if (running !== undefined) return await running;
    await new Promise<void>((resolve) => this.#runtime.clock.after(WAIT_MS, resolve));
  }

  /** Removes some of what has expired, once a minute at most. */
  async #sweep(): Promise<void> {
    const { clock } = this.#runtime;
    if (clock.monotonic() - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = clock.monotonic();
    const rows = idempotencyCollection(this.#store);
    const expiries = idempotencyExpiries(this.#store);
    for (const { id } of await expiries.list({ limit: SWEPT })) {
      const [at, name] = id;
      if (typeof at !== "number" || clock.now() < at) return;
      const found = await rows.get(String(name));
      // The key may have been claimed anew since; that claim has an expiry of its own.
      const over = found !== undefined && found.record.expires_at <= at;
      await this.#store.commit({
        checks: over ? [rows.check([String(name)], found.version)] : [],
        deletes: [expiries.key(id), ...(over ? [rows.key([String(name)])] : [])],
      });
    }
  }
}

interface ClaimStart {
  readonly id: string;
  readonly fingerprint: string;
  readonly found: StoredRecord<IdempotencyRecord> | undefined;
  readonly token: string;
}

function reused(): ApiError {
  return new ApiError(
    "invalid_request",
    "The Idempotency-Key was used for another request within the last 24 hours; a new request needs a new key.",
    { metadata: { path: "Idempotency-Key" } },
  );
}

function opened(
  { sealed }: IdempotencyRecord,
  options: { readonly token: string; readonly place: string },
): StoredReply {
  if (sealed !== null) return storedReplySchema.parse(JSON.parse(unsealReply(sealed, options)));
  throw new ApiError(
    "invalid_request",
    "The request of this Idempotency-Key was answered already, with an answer too large to be kept.",
    { metadata: { path: "Idempotency-Key" } },
  );
}
