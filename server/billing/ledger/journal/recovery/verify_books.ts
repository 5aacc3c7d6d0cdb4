/**
 * Reads all that the ledger has written, and compares the counters with the receipts (promises M4): what a scope has
 * spent is the sum of its receipts, of those that are kept and of those that were removed.
 */

import * as z from "zod";
import type {
  CheckResult,
  StoreCheck,
  StoredEntries,
} from "../../../../storage/stores/commands/check_store.ts";
import type { StoreEntry } from "../../../../storage/stores/store.ts";
import { SPEND_ROWS, toSpendRow } from "../../core/counters/spend_counter.ts";
import { decodeBatch, JOURNAL_ROWS } from "../journal_batch.ts";
import {
  EMBEDDED_INSTANCE,
  POSTING_SHARDS,
  SHARD_COUNT,
  shardOf,
} from "../../projection/shard_checkpoints.ts";
import { missingBefore, RETIRED_ROWS, toSeq } from "./missing_batches.ts";
import { unlessDamaged } from "../receipt_reader.ts";
import {
  decodeRetiredTotal,
  RETIRED_DAMAGED,
  RETIRED_SPEND_ROWS,
} from "../../retention/receipt_retention.ts";

/** The first parts of the keys that are read, in the order in which a store has them: the journal stands last. */
export const VERIFIED = [
  POSTING_SHARDS,
  RETIRED_ROWS,
  RETIRED_DAMAGED,
  SPEND_ROWS,
  RETIRED_SPEND_ROWS,
  JOURNAL_ROWS,
] as const;

/** For `backup` and `doctor`. */
export const bookCheck: StoreCheck = { names: VERIFIED, run: verifyBooks };

const MOST_NAMED = 3;
const marksSchema = z.array(z.int()).length(SHARD_COUNT);

/** The entries come in the order of `VERIFIED`, of one moment each; others are passed over. Throws a StoreError. */
export async function verifyBooks(entries: StoredEntries): Promise<CheckResult> {
  const books = new Books();
  for await (const entry of entries) await books.add(entry);
  return books.verification();
}

class Books {
  /** Nano-USD by scope: what the counters say, less what the receipts say. */
  readonly #differences = new Map<string, number>();
  readonly #damaged: string[] = [];
  readonly #missing: string[] = [];
  readonly #retired = new Map<string, number>();
  /** The last batch that was read, by instance. */
  readonly #last = new Map<string, number>();
  readonly #unreadable: string[] = [];
  #marks: readonly number[] | undefined;
  #removedDamaged = 0;
  #batches = 0;
  #receipts = 0;

  async add({ key, value }: Pick<StoreEntry, "key" | "value">): Promise<void> {
    const [kind, name = ""] = key;
    switch (kind) {
      case POSTING_SHARDS:
        this.#marks = marksSchema.safeParse(value).data;
        return;
      case RETIRED_ROWS:
        return void this.#retired.set(String(name), toSeq(value));
      case RETIRED_DAMAGED:
        this.#removedDamaged += z.int().safeParse(value).data ?? 0;
        return;
      case SPEND_ROWS:
        return await this.#counted(String(name), () => spentIn(toSpendRow(String(name), value)));
      case RETIRED_SPEND_ROWS:
        return await this.#counted(String(name), () => {
          const [cost, byok] = decodeRetiredTotal(key, value);
          return -cost - byok;
        });
      case JOURNAL_ROWS:
        return await this.#batch({ key, value });
      default:
        return;
    }
  }

  verification(): CheckResult {
    const { batches, receipts } = { batches: this.#batches, receipts: this.#receipts };
    const differing = [...this.#differences].filter(([, difference]) => difference !== 0);
    // What a lost batch has counted is in the counters; they say more than the receipts that are left.
    const lost = this.#damaged.length + this.#missing.length + this.#removedDamaged > 0;
    const wrong = lost ? differing.filter(([, difference]) => difference < 0) : differing;
    const troubles = [
      ...(this.#damaged.length === 0 ? [] : [
        `${this.#damaged.length} of ${batches} journal batches are damaged, and their receipts are lost: ` +
        named(this.#damaged),
      ]),
      ...(this.#missing.length === 0 ? [] : [
        `${this.#missing.length} journal batches are missing, and their receipts are lost: ` +
        named(this.#missing),
      ]),
      ...(this.#removedDamaged === 0 ? [] : [
        `${this.#removedDamaged} damaged journal batches were removed when their time was over`,
      ]),
      ...(this.#unreadable.length === 0 ? [] : [
        `the counters of ${this.#unreadable.length} scopes cannot be read: ${named(this.#unreadable)}`,
      ]),
      ...(wrong.length === 0 ? [] : [
        `the counters of ${wrong.length} scopes are not the sum of their receipts: ` +
        named(wrong.map(([scope, difference]) => `${scope} by ${difference} nano-USD`)),
      ]),
    ];
    return { read: `${receipts} receipts in ${batches} journal batches`, troubles };
  }

  async #counted(scope: string, amountOf: () => number): Promise<void> {
    const amount = await unlessDamaged(amountOf);
    if (amount === undefined) this.#unreadable.push(scope);
    else this.#add(scope, amount);
  }

  async #batch({ key, value }: Pick<StoreEntry, "key" | "value">): Promise<void> {
    const [, instance, seq] = key;
    this.#batches++;
    this.#addMissing(String(instance), Number(seq));
    const batch = await unlessDamaged(() => decodeBatch({ key, value, version: "" }));
    if (batch === undefined) {
      this.#damaged.push(`${instance}/${seq}`);
      return;
    }
    for (const entry of batch.entries) {
      if (entry.type !== "close") continue;
      this.#receipts++;
      const amount = entry.cost + entry.byok;
      if (amount === 0) continue;
      for (const scope of entry.scopes) {
        // Where counters are written behind the journal, a shard says how far it has come.
        const written = instance !== EMBEDDED_INSTANCE ||
          Number(seq) <= (this.#marks?.[shardOf(scope)] ?? -1);
        if (written) this.#add(scope, -amount);
      }
    }
  }

  #addMissing(instance: string, seq: number): void {
    const [before, retired = -1] = [this.#last.get(instance), this.#retired.get(instance)];
    for (const missing of missingBefore({ seq, before, retired })) {
      this.#missing.push(`${instance}/${missing}`);
    }
    this.#last.set(instance, seq);
  }

  #add(scope: string, amount: number): void {
    this.#differences.set(scope, (this.#differences.get(scope) ?? 0) + amount);
  }
}

function spentIn(row: readonly (readonly [string, number, number])[]): number {
  const [, cost = 0, byok = 0] = row.find(([bucket]) => bucket === "lifetime") ?? [];
  return cost + byok;
}

function named(names: readonly string[]): string {
  const rest = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
