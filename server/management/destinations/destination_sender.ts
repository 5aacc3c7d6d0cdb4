/**
 * Sends receipts to the destinations of their workspaces. The journal is the queue: of each destination the store holds
 * how far it is in every journal, so that nothing waits in memory and a restart, here or elsewhere, goes on. Before an
 * attempt its state is moved to the time of the next one, in a commit that only one instance can make.
 */

import { ownValue } from "../../../shared/util/own_value.ts";
import type { DeliveryOutcome, DestinationType } from "../../../shared/observability/records.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import {
  type JournalHead,
  type JournalPart,
  JournalTail,
} from "../../billing/ledger/journal/journal_tail.ts";
import type { LogFields, Runtime } from "../../runtime.ts";
import type { StoredRecord } from "../../storage/stores/collection.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { Vault } from "../byok/vault.ts";
import { iterateRecords } from "../core/pages.ts";
import { postMessage, type SendMessage } from "../delivery/post_message.ts";
import { keyCollection } from "../keys/key_rows.ts";
import { readLineage } from "../keys/key_lineage.ts";
import { openConfig } from "./sealed_config.ts";
import { destinationMessage } from "./destination_message.ts";
import {
  destinationCollection,
  type DestinationRow,
  type DestinationState,
  destinationStates,
} from "./destination_rows.ts";
import { asksForNames, compileReceiptFilter, type KeyNames } from "./receipt_filter.ts";

/** Between two looks while no destination is on; while one is, a look is made every second. */
export const SEND_MS = 5_000;
/** Until the second attempt; then twice as long each time, up to the most. */
export const FIRST_RETRY_MS = 1_000;
export const MOST_RETRY_MS = 600_000;
/** Longer than an attempt takes: so long after its beginning another instance takes over. */
export const CLAIM_MS = 30_000;
/** A receipt is lost that is so old while its destination has failed for as long. */
export const GIVE_UP_MS = 86_400_000;
/** Destinations that are served at the same time. */
const MOST_SERVED = 20;
/** Parts of journals that are sent to one in a row. */
const MOST_PARTS = 20;
/** A journal is forgotten, and one that was never seen not begun, when its last batch is so old. */
const OVER_MS = 7 * 86_400_000;

interface DestinationSenderDeps {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "log">;
  readonly vault: Pick<Vault, "decrypt">;
  readonly send: SendMessage;
  /** Lets other work run. */
  readonly pause: () => Promise<void>;
  /** Counts receipts of a message, by how the attempt ended. */
  readonly count: (ended: EndedDelivery) => void;
}

export interface EndedDelivery {
  readonly type: DestinationType;
  readonly outcome: DeliveryOutcome;
  readonly receipts: number;
}

type Row = StoredRecord<DestinationRow>;
type State = StoredRecord<DestinationState>;

interface Serving {
  readonly heads: readonly JournalHead[];
  readonly signal: AbortSignal;
}

interface Part extends JournalPart {
  readonly instance: string;
}

const retryMs = (attempts: number): number => Math.min(MOST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempts);

export class DestinationSender {
  readonly #deps: DestinationSenderDeps;
  readonly #tail: JournalTail;
  /** Destinations that are served at the moment, by id: a slow one holds up no other. */
  // deno-lint-ignore tollgate/kept-promises -- each goes when it settles, and none rejects
  readonly #served = new Map<string, Promise<void>>();

  constructor(deps: DestinationSenderDeps) {
    this.#deps = deps;
    this.#tail = new JournalTail({ store: deps.store, clock: deps.runtime.clock });
  }

  /** Begins to send what is due. True where a destination is on. Throws a StoreError. */
  async round(signal: AbortSignal): Promise<boolean> {
    const due: Row[] = [];
    for await (const row of iterateRecords(destinationCollection(this.#deps.store))) {
      if (row.record.enabled) due.push(row);
    }
    if (due.length === 0) return false;
    const heads = await this.#tail.look();
    for (const { record: { id } } of due) {
      if (signal.aborted || this.#served.size >= MOST_SERVED) break;
      if (this.#served.has(id)) continue;
      this.#served.set(id, this.#serve(id, { heads, signal }).finally(() => this.#served.delete(id)));
    }
    return true;
  }

  /** Resolves when nothing is being sent any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#served.values());
  }

  /** Never rejects. */
  async #serve(id: string, serving: Serving): Promise<void> {
    try {
      for (let parts = 0; parts < MOST_PARTS && await this.#step(id, serving); parts++) {
        await this.#deps.pause();
      }
    } catch (error) {
      if (serving.signal.aborted) return;
      const fields: LogFields = { destination: id, error: String(error) };
      this.#deps.runtime.log.warn("Cannot send to destination; trying again", fields);
    }
  }

  /** Sends the next part of a journal. True where there may be another. */
  async #step(id: string, serving: Serving): Promise<boolean> {
    const { store, runtime: { clock } } = this.#deps;
    const row = await destinationCollection(store).get(id);
    const state = await destinationStates(store).get(id);
    if (row?.record.enabled !== true || state === undefined) return false;
    if (state.record.next_at > clock.now() || serving.signal.aborted) return false;
    const placed = await this.#withCursors(state, serving.heads);
    const part = await this.#nextPart(placed.record, serving.heads);
    if (part === undefined) return false;
    const receipts = await this.#chosen(row.record, part.receipts);
    const found = { row, state: placed, part, receipts };
    if (receipts.length === 0) return await this.#move(found, { sent: 0, lost: 0 });
    if (isOver(placed.record, { receipts, now: clock.now() })) {
      this.#tellLost(id, receipts.length);
      return await this.#move(found, { sent: 0, lost: receipts.length });
    }
    return await this.#attempt(found, serving.signal);
  }

  /**
   * Where nothing of a journal is done yet, it is sent from the moment on at which the destination was switched on. One
   * that has been over for long, with all of it done, is forgotten.
   */
  async #withCursors(state: State, heads: readonly JournalHead[]): Promise<State> {
    const { cursors, since } = state.record;
    const next = new Map<string, number>();
    const old = Math.max(since, this.#deps.runtime.clock.now() - OVER_MS);
    for (const { instance, newest, endedAt = Infinity } of heads) {
      const done = ownValue(cursors, instance);
      const isOver = endedAt < old && (done ?? newest) >= newest;
      if (!isOver) next.set(instance, done ?? await this.#tail.lastBefore(instance, since));
    }
    return { ...state, record: { ...state.record, cursors: Object.fromEntries(next) } };
  }

  async #nextPart(
    { cursors, part }: DestinationState,
    heads: readonly JournalHead[],
  ): Promise<Part | undefined> {
    const afterOf = (instance: string) => ownValue(cursors, instance) ?? Number.MAX_SAFE_INTEGER;
    if (part !== null) {
      const { instance, to } = part;
      const read = await this.#tail.read({ instance, after: afterOf(instance), to });
      return { instance, receipts: read?.receipts ?? [], to };
    }
    for (const { instance, newest } of heads) {
      const after = afterOf(instance);
      const read = newest > after ? await this.#tail.read({ instance, after }) : undefined;
      if (read !== undefined) return { ...read, instance };
    }
    return undefined;
  }

  async #chosen(row: DestinationRow, receipts: readonly Receipt[]): Promise<readonly Receipt[]> {
    const own = receipts.filter(({ workspace_id }) => workspace_id === row.workspace_id);
    if (own.length === 0) return [];
    const names = asksForNames(row) ? await this.#namesOf(own) : new Map<string, string>();
    return compileReceiptFilter(row)(own, { keys: await this.#keysOf(row), names });
  }

  async #namesOf(receipts: readonly Receipt[]): Promise<KeyNames> {
    const rows = keyCollection(this.#deps.store);
    const hashes = [...new Set(receipts.map(({ key_hash }) => key_hash))];
    const found = await Promise.all(hashes.map(async (hash) => [hash, await rows.get(hash)] as const));
    return new Map(found.flatMap(([hash, key]) => key === undefined ? [] : [[hash, key.record.name]]));
  }

  /** The listed keys and those that are one key with them by rotation. */
  async #keysOf({ api_key_hashes: listed }: DestinationRow): Promise<ReadonlySet<string> | undefined> {
    if (listed === null) return undefined;
    const { store } = this.#deps;
    const lines = await Promise.all(listed.map(async (hash) => {
      const found = await keyCollection(store).get(hash);
      return await readLineage(store, found?.record ?? { hash, ledger_id: null });
    }));
    return new Set(lines.flatMap((line) => [...line]));
  }

  async #attempt({ row, state, part, receipts }: Found, signal: AbortSignal): Promise<boolean> {
    const { store, runtime: { clock }, send } = this.#deps;
    const { id } = row.record;
    const { instance, to } = part;
    const { attempts } = state.record;
    const next_at = clock.now() + Math.max(CLAIM_MS, retryMs(attempts));
    const claim = { ...state.record, part: { instance, to }, attempts: attempts + 1, next_at };
    const claimed = await commitState(store, { id, version: state.version, next: claim });
    if (claimed === undefined) return false;
    const message = await this.#messageOf(row.record, receipts);
    const { error } = await postMessage(send, { ...message, signal });
    const found = { row, state: { ...state, record: claim, version: claimed }, part, receipts };
    if (error === undefined) return await this.#move(found, { sent: receipts.length, lost: 0 });
    const now = clock.now();
    const failing_since = claim.failing_since ?? now;
    const failed = { ...claim, next_at: now + retryMs(attempts), failing_since, error };
    await commitState(store, { id, version: claimed, next: failed });
    this.#deps.count({ type: row.record.type, outcome: "failed", receipts: receipts.length });
    const fields: LogFields = { destination: id, attempts: claim.attempts, error };
    this.#deps.runtime.log.warn("Cannot send receipts; trying again", fields);
    return false;
  }

  async #messageOf(row: DestinationRow, receipts: readonly Receipt[]) {
    const { vault, runtime: { clock } } = this.#deps;
    const config = await openConfig(vault, { row, verb: "send receipts" });
    return await destinationMessage({ row, config, receipts, now: clock.now() });
  }

  /** The part is done. False when another instance was first. */
  async #move({ row, state: { record, version }, part: { instance, to } }: Found, counted: Counted) {
    const { store, runtime: { clock } } = this.#deps;
    const { sent, lost } = counted;
    const hasArrived = sent > 0;
    const next: DestinationState = {
      ...record,
      cursors: { ...record.cursors, [instance]: to },
      part: null,
      ...(hasArrived ? { attempts: 0, next_at: 0, failing_since: null, error: null } : {}),
      ...(hasArrived ? { sent_at: clock.now() } : {}),
      sent: record.sent + sent,
      lost: record.lost + lost,
    };
    const { id, type } = row.record;
    if (await commitState(store, { id, version, next }) === undefined) return false;
    if (sent > 0) this.#deps.count({ type, outcome: "sent", receipts: sent });
    if (lost > 0) this.#deps.count({ type, outcome: "lost", receipts: lost });
    return true;
  }

  #tellLost(id: string, receipts: number): void {
    const fields: LogFields = { destination: id, count: receipts };
    this.#deps.runtime.log.warn("Receipts are lost: they could not be sent for a day", fields);
  }
}

interface Found {
  readonly row: Row;
  readonly state: State;
  readonly part: Part;
  /** Receipts of the part that the destination is sent. */
  readonly receipts: readonly Receipt[];
}

interface Counted {
  readonly sent: number;
  readonly lost: number;
}

/** Whether they are given up: all of them are a day old, and so is the first of the failures in a row. */
function isOver(
  { failing_since }: DestinationState,
  { receipts, now }: { readonly receipts: readonly Receipt[]; readonly now: number },
): boolean {
  if (failing_since === null || now - failing_since < GIVE_UP_MS) return false;
  return receipts.every(({ ended_at }) => now - Date.parse(ended_at) >= GIVE_UP_MS);
}

interface StateChange {
  readonly id: string;
  readonly version: string;
  readonly next: DestinationState;
}

/** The version of the new state; undefined when another was first. */
async function commitState(store: Store, { id, version, next }: StateChange): Promise<string | undefined> {
  const states = destinationStates(store);
  const result = await store.commit({
    checks: [states.check([id], version)],
    puts: [states.put([id], next)],
  });
  return result.type === "ok" ? result.version : undefined;
}
