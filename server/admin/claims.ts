/**
 * `Idempotency-Key`: for 24 hours the same key of the same caller gets the same answer, from one call. Who comes
 * first claims the key in the store; who comes meanwhile waits; who comes later is told what the first was told.
 * A claim whose process died is taken over after 20 s without a sign of life.
 */

import { hash } from "node:crypto";
import * as z from "zod";
import { Refusal } from "../../shared/errors.ts";
import { Collection, type Found } from "../stores/collection.ts";
import type { Check, Put, Store } from "../stores/store.ts";
import type { Cancel, World } from "../world.ts";
import { seal, unseal } from "./seal.ts";

const DAY_MS = 86_400_000;
const RENEW_MS = 5_000;
const STALE_MS = 20_000;
/** Between two looks at a claim that another process holds, in ms. */
const WAIT_MS = 250;
/** Bytes of an encrypted answer beyond which it is not kept, so that its record fits into every store. */
const KEPT_BYTES = 700_000;
const SWEEP_MS = 60_000;
const SWEPT = 50;

const claimSchema = z.object({
  /** SHA-256 of operation and body: another request under the same key is a mistake of the caller. */
  fingerprint: z.string(),
  /** Milliseconds since the epoch. */
  expires_at: z.int(),
  renewed_at: z.int(),
  /** Who works on it. */
  holder: z.string(),
  done: z.boolean(),
  /** Null while the work is not done, or where the answer was too large to keep. */
  sealed: z.string().nullable(),
});
type ClaimRow = z.infer<typeof claimSchema>;

/** An answer as it is kept. */
const keptSchema = z.object({
  status: z.int(),
  text: z.string(),
  /** Id of the exchange that gave it. */
  id: z.string(),
});
export type Kept = z.infer<typeof keptSchema>;

const expirySchema = z.object({});

export interface ClaimWish {
  readonly keyHash: string;
  /** The caller's token, from which answers are encrypted. */
  readonly token: string;
  /** The header's value. */
  readonly key: string;
  /** Operation and body. */
  readonly request: string;
}

export type Claimed =
  | { readonly type: "mine"; readonly claim: HeldClaim }
  | { readonly type: "kept"; readonly kept: Kept };

type ClaimsWorld = Pick<World, "clock" | "id" | "randomToken" | "log">;

const rowsOf = (store: Store) => new Collection({ store, name: "idempotency", schema: claimSchema });
const expiriesOf = (store: Store) =>
  new Collection({ store, name: "idempotency_by_expiry", schema: expirySchema });

export class Claims {
  readonly #store: Store;
  readonly #world: ClaimsWorld;
  /** Calls of this process that hold a claim, to wait for. */
  readonly #running = new Map<string, Promise<void>>();
  #sweptAt = -Infinity;

  constructor({ store, world }: { readonly store: Store; readonly world: ClaimsWorld }) {
    this.#store = store;
    this.#world = world;
  }

  /** Throws a Refusal (400) when the key was used for something else, or its answer was too large to keep. */
  async take(wish: ClaimWish): Promise<Claimed> {
    await this.#sweep();
    const id = hash("sha256", `${wish.keyHash}\n${wish.key}`);
    const fingerprint = hash("sha256", wish.request);
    for (;;) {
      const found = await rowsOf(this.#store).get(id);
      const now = this.#world.clock.now();
      const live = found !== undefined && now < found.record.expires_at ? found.record : undefined;
      if (live !== undefined && live.fingerprint !== fingerprint) throw reused();
      if (live?.done) return { type: "kept", kept: opened(live, { token: wish.token, place: id }) };
      if (live !== undefined && now - live.renewed_at < STALE_MS) {
        await this.#wait(id);
        continue;
      }
      const claim = await this.#begin({ id, fingerprint, found, token: wish.token });
      if (claim !== undefined) return { type: "mine", claim };
    }
  }

  async #begin(start: Start): Promise<HeldClaim | undefined> {
    const rows = rowsOf(this.#store);
    const now = this.#world.clock.now();
    const record: ClaimRow = {
      fingerprint: start.fingerprint,
      expires_at: now + DAY_MS,
      renewed_at: now,
      holder: this.#world.id(),
      done: false,
      sealed: null,
    };
    const result = await this.#store.commit({
      checks: [rows.check([start.id], start.found?.version ?? null)],
      puts: [
        rows.put([start.id], record),
        expiriesOf(this.#store).put([record.expires_at, start.id], {}),
      ],
    });
    if (result.type === "conflict") return undefined;
    const { id, token } = start;
    const { version } = result;
    const claim = new HeldClaim({ store: this.#store, world: this.#world, id, token, record, version });
    this.#running.set(id, claim.ended.finally(() => this.#running.delete(id)));
    return claim;
  }

  /** Until the call of this process has ended, or for a moment where it is another's. */
  async #wait(id: string): Promise<void> {
    const running = this.#running.get(id);
    if (running !== undefined) return await running;
    await new Promise<void>((resolve) => this.#world.clock.after(WAIT_MS, resolve));
  }

  /** Removes some of what has expired, once a minute at most. */
  async #sweep(): Promise<void> {
    const { clock } = this.#world;
    if (clock.monotonic() - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = clock.monotonic();
    const rows = rowsOf(this.#store);
    const expiries = expiriesOf(this.#store);
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

interface Start {
  readonly id: string;
  readonly fingerprint: string;
  readonly found: Found<ClaimRow> | undefined;
  readonly token: string;
}

function reused(): Refusal {
  return new Refusal(
    "invalid_request",
    "The Idempotency-Key was used for another request within the last 24 hours; a new request needs a new key.",
    { metadata: { path: "Idempotency-Key" } },
  );
}

function opened({ sealed }: ClaimRow, options: { readonly token: string; readonly place: string }): Kept {
  if (sealed !== null) return keptSchema.parse(JSON.parse(unseal(sealed, options)));
  throw new Refusal(
    "invalid_request",
    "The request of this Idempotency-Key was answered already, with an answer too large to be kept.",
    { metadata: { path: "Idempotency-Key" } },
  );
}

interface HeldOptions {
  readonly store: Store;
  readonly world: ClaimsWorld;
  readonly id: string;
  readonly token: string;
  readonly record: ClaimRow;
  readonly version: string;
}

/** A claim that this call holds. Ends with `keep` or `release`; until then it shows that it is alive. */
export class HeldClaim {
  readonly #options: HeldOptions;
  #record: ClaimRow;
  #version: string;
  #renewal: Cancel = () => {};
  #renewing: Promise<void> = Promise.resolve();
  #over = false;
  /** True once the answer has gone into the commit of the work itself. */
  #handed = false;
  readonly #end = Promise.withResolvers<void>();
  /** Resolves when somebody else may look again. */
  readonly ended: Promise<void> = this.#end.promise;

  constructor(options: HeldOptions) {
    this.#options = options;
    this.#record = options.record;
    this.#version = options.version;
    this.#renewLater();
  }

  /** The parts of the commit that does the work: it happens only while the claim is held, and keeps the answer. */
  parts(kept: Kept): { readonly checks: readonly Check[]; readonly puts: readonly Put[] } {
    const rows = rowsOf(this.#options.store);
    const { id } = this.#options;
    this.#handed = true;
    return { checks: [rows.check([id], this.#version)], puts: [rows.put([id], this.#sealed(kept))] };
  }

  /** Keeps the answer for whoever asks again, unless the work's own commit did. Never throws. */
  async keep(kept: Kept): Promise<void> {
    if (!this.#handed) await this.#finish(() => this.parts(kept));
    this.#close();
  }

  /** The work failed: the next call with the key begins anew. Never throws. */
  async release(): Promise<void> {
    const { id, store } = this.#options;
    const rows = rowsOf(store);
    await this.#finish(() => ({ checks: [rows.check([id], this.#version)], deletes: [rows.key([id])] }));
    this.#close();
  }

  #sealed(kept: Kept): ClaimRow {
    const { id: place, token, world: { randomToken } } = this.#options;
    const sealed = seal(JSON.stringify(kept), { token, place, randomToken });
    return { ...this.#record, done: true, sealed: sealed.length > KEPT_BYTES ? null : sealed };
  }

  /** A claim that was taken over, or a store that fails: the answer is given all the same. */
  async #finish(commit: () => Parameters<Store["commit"]>[0]): Promise<void> {
    this.#stopRenewing();
    await this.#renewing;
    try {
      await this.#options.store.commit(commit());
    } catch (error) {
      this.#options.world.log.warn("An answer could not be kept for its Idempotency-Key", {
        error: String(error),
      });
    }
  }

  #close(): void {
    this.#stopRenewing();
    this.#end.resolve();
  }

  #stopRenewing(): void {
    this.#over = true;
    this.#renewal();
  }

  #renewLater(): void {
    const { clock, log } = this.#options.world;
    this.#renewal = clock.after(RENEW_MS, () => {
      this.#renewing = this.#renew()
        .catch((error: unknown) =>
          log.warn("An Idempotency-Key could not be held on to", { error: String(error) })
        )
        .finally(() => {
          if (!this.#over) this.#renewLater();
        });
    });
  }

  async #renew(): Promise<void> {
    const { id, store, world } = this.#options;
    const rows = rowsOf(store);
    const record = { ...this.#record, renewed_at: world.clock.now() };
    const result = await store.commit({
      checks: [rows.check([id], this.#version)],
      puts: [rows.put([id], record)],
    });
    if (result.type === "conflict") return;
    this.#record = record;
    this.#version = result.version;
  }
}
