/**
 * Sends receipts to the destinations of their workspaces. The journal is the queue: of each destination the store holds
 * how far it is in every journal, so that nothing waits in memory and a restart, here or elsewhere, goes on. Before an
 * attempt its state is moved to the time of the next one, in a commit that only one instance can make.
 */

import { ApiError } from "../../../shared/errors.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import { type JournalHead, JournalTail } from "../../billing/ledger/journal/journal_tail.ts";
import type { LogFields, Runtime } from "../../runtime.ts";
import type { StoredRecord } from "../../storage/stores/collection.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { Vault } from "../byok/vault.ts";
import { iterateRecords } from "../core/pages.ts";
import { postMessage, type SendMessage } from "../delivery/post_message.ts";
import { chooseReceipts } from "./chosen_receipts.ts";
import { nextPart, type Part, placesIn } from "./destination_cursors.ts";
import { openConfig } from "./sealed_config.ts";
import { destinationMessage } from "./destination_message.ts";
import {
  commitState,
  destinationCollection,
  type DestinationRow,
  type DestinationState,
  destinationStates,
  type EndedDelivery,
} from "./destination_rows.ts";

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
export const MOST_SERVED = 20;
/** Parts of journals that are sent to one in a row. */
const MOST_PARTS = 20;

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

type Row = StoredRecord<DestinationRow>;
type State = StoredRecord<DestinationState>;

interface Serving {
  readonly heads: readonly JournalHead[];
  readonly signal: AbortSignal;
}

const retryMs = (attempts: number): number => Math.min(MOST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempts);

export class DestinationSender {
  readonly #deps: DestinationSenderDeps;
  readonly #tail: JournalTail;
  /** Destinations that are served at the moment, by id: a slow one holds up no other. */
  // deno-lint-ignore tollgate/kept-promises -- each goes when it settles, and none rejects
  readonly #served = new Map<string, Promise<void>>();
  /** Id of the one that was begun last: the next round goes on behind it, so that each has its turn. */
  #last = "";

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
    for (const { record: { id } } of this.#inTurn(due)) {
      if (signal.aborted || this.#served.size >= MOST_SERVED) break;
      if (this.#served.has(id)) continue;
      this.#last = id;
      this.#served.set(id, this.#serve(id, { heads, signal }).finally(() => this.#served.delete(id)));
    }
    return true;
  }

  /** Destinations in the order of their ids, from the one behind the last on. */
  #inTurn(due: readonly Row[]): readonly Row[] {
    const next = due.findIndex(({ record: { id } }) => id > this.#last);
    return next === -1 ? due : [...due.slice(next), ...due.slice(0, next)];
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
    const { heads, signal } = serving;
    const places = await placesIn(this.#tail, { ...state.record, heads, now: clock.now() });
    const placed = { ...state, record: { ...state.record, ...places } };
    const part = await nextPart(this.#tail, { ...placed.record, heads });
    if (part === undefined) return false;
    const receipts = await chooseReceipts(store, { row: row.record, receipts: part.receipts });
    const unread = part.unread.filter((of) => of === row.record.workspace_id).length;
    const found = { row, state: placed, part, receipts, unread };
    if (receipts.length === 0) return await this.#move(found, { sent: 0, late: 0 });
    const isLate = isOver(placed.record, { receipts, now: clock.now() });
    return isLate
      ? await this.#move(found, { sent: 0, late: receipts.length })
      : await this.#attempt(found, signal);
  }

  async #attempt(found: Found, signal: AbortSignal): Promise<boolean> {
    const { row, state, part, receipts } = found;
    const { store, runtime: { clock } } = this.#deps;
    const { id } = row.record;
    const { instance, to } = part;
    const { attempts } = state.record;
    const next_at = clock.now() + Math.max(CLAIM_MS, retryMs(attempts));
    const claim = { ...state.record, part: { instance, to }, attempts: attempts + 1, next_at };
    const claimed = await commitState(store, { id, version: state.version, next: claim });
    if (claimed === undefined) return false;
    const error = await this.#deliver(found, signal);
    const attempted = { ...found, state: { ...state, record: claim, version: claimed } };
    if (error === undefined) return await this.#move(attempted, { sent: receipts.length, late: 0 });
    const now = clock.now();
    const failing_since = claim.failing_since ?? now;
    const failed = { ...claim, next_at: now + retryMs(attempts), failing_since, error };
    await commitState(store, { id, version: claimed, next: failed });
    this.#deps.count({ type: row.record.type, outcome: "failed", receipts: receipts.length });
    const fields: LogFields = { destination: id, attempts: claim.attempts, error };
    this.#deps.runtime.log.warn("Cannot send receipts; trying again", fields);
    return false;
  }

  /** Why they have not arrived, which a configuration that cannot be read is too; undefined when they have. */
  async #deliver({ row: { record }, receipts }: Found, signal: AbortSignal): Promise<string | undefined> {
    const { vault, send, runtime: { clock } } = this.#deps;
    try {
      const config = await openConfig(vault, { row: record, verb: "send receipts" });
      const message = await destinationMessage({ row: record, config, receipts, now: clock.now() });
      return (await postMessage(send, { ...message, signal })).error;
    } catch (error) {
      if (error instanceof ApiError) return error.message;
      throw error;
    }
  }

  /** The part is done. False when another instance was first. */
  async #move({ row, state: { record, version }, part: { instance, to }, unread }: Found, counted: Counted) {
    const { store, runtime: { clock } } = this.#deps;
    const { sent, late } = counted;
    const hasArrived = sent > 0;
    const lost = late + unread;
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
    this.#tellLost(id, { late, unread });
    return true;
  }

  #tellLost(id: string, { late, unread }: Pick<Counted, "late"> & Pick<Found, "unread">): void {
    const { runtime: { log } } = this.#deps;
    const told = (count: number): LogFields => ({ destination: id, count });
    if (late > 0) log.warn("Receipts are lost: they could not be sent for a day", told(late));
    if (unread > 0) log.warn("Receipts are lost: they cannot be read", told(unread));
  }
}

interface Found {
  readonly row: Row;
  readonly state: State;
  readonly part: Part;
  /** Receipts of the part that the destination is sent. */
  readonly receipts: readonly Receipt[];
  /** Number of those of its workspace that cannot be read. */
  readonly unread: number;
}

interface Counted {
  readonly sent: number;
  /** Given up. */
  readonly late: number;
}

/** Whether they are given up: all of them are a day old, and so is the first of the failures in a row. */
function isOver(
  { failing_since }: DestinationState,
  { receipts, now }: { readonly receipts: readonly Receipt[]; readonly now: number },
): boolean {
  if (failing_since === null || now - failing_since < GIVE_UP_MS) return false;
  return receipts.every(({ ended_at }) => now - Date.parse(ended_at) >= GIVE_UP_MS);
}
