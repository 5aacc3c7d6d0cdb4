/** The line of requests to be written: with the next batch, or only if they are not over when another one is. */

import { LinkedList } from "../../../../shared/util/linked_list.ts";
import type { Cancel, Clock } from "../../../runtime.ts";
import type { IdlePosition, JournaledRequest } from "./journaled_request.ts";

/** How long something idle is left out of batches; what is over by then is told by its receipt alone. */
const IDLE_MS = 25;
/** How long it waits for a batch to go with, before it has one of its own. */
const ALARM_MS = 50;

export class CommitQueue {
  /** In the order in which they came. */
  readonly next: JournaledRequest[] = [];
  readonly #idle = new LinkedList<JournaledRequest>();
  readonly #clock: Clock;
  readonly #wake: () => void;
  #alarm: Cancel | undefined;

  /** `wake`: something idle has waited long enough. */
  constructor(clock: Clock, wake: () => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** It goes with the next batch. */
  enqueue(transaction: JournaledRequest): void {
    if (transaction.idle !== undefined) this.#rouse(transaction, transaction.idle);
    if (transaction.queued) return;
    transaction.queued = true;
    this.next.push(transaction);
  }

  /** It goes with a later batch, unless something of it has to go before. */
  idle(transaction: JournaledRequest): void {
    if (transaction.queued || transaction.idle !== undefined) return;
    const since = this.#clock.now();
    transaction.idle = { since, place: this.#idle.add(transaction) };
    this.#alarm ??= this.#clock.after(ALARM_MS, () => this.#ring());
  }

  /** Queues the requests that have been idle long enough for the next batch; all of them where it `waits` for none. */
  enqueueIdle(waits = true): void {
    if (this.#idle.size === 0) return;
    const now = this.#clock.now();
    for (let first = this.#idle.first; first?.idle; first = this.#idle.first) {
      if (waits && isWithin(IDLE_MS, { since: first.idle.since, now })) return;
      this.enqueue(first);
    }
  }

  /** Nothing more will be written: leaves nobody behind. */
  end(): readonly JournaledRequest[] {
    this.enqueueIdle(false);
    return this.next.splice(0);
  }

  #rouse(transaction: JournaledRequest, { place }: IdlePosition): void {
    this.#idle.remove(place);
    transaction.idle = undefined;
    if (this.#idle.size > 0) return;
    this.#alarm?.();
    this.#alarm = undefined;
  }

  #ring(): void {
    this.#alarm = undefined;
    this.enqueueIdle();
    this.#wake();
    const first = this.#idle.first?.idle;
    if (first === undefined) return;
    const left = first.since + ALARM_MS - this.#clock.now();
    this.#alarm = this.#clock.after(Math.min(Math.max(1, left), ALARM_MS), () => this.#ring());
  }
}

/** Whether something began less than so many ms ago; a clock that was set back tells nothing of it. */
const isWithin = (ms: number, { since, now }: { readonly since: number; readonly now: number }): boolean =>
  since <= now && now - since < ms;
