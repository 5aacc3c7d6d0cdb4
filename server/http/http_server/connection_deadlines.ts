/** The deadlines of all connections, looked at once a second: a timer for each of their waits would cost more. */

import { LinkedList, type ListNode } from "../../../shared/util/linked_list.ts";
import type { Cancel, Clock } from "../../runtime.ts";

const SWEEP_MS = 1_000;

/** Connection that waits for its client. */
export interface HasDeadline {
  /** The round after which it has waited for too long; Infinity while it waits for nobody. */
  readonly deadline: number;
  onDeadline(): void;
}

export class ConnectionDeadlines<One extends HasDeadline = HasDeadline> {
  readonly #clock: Clock;
  readonly #waiting = new LinkedList<One>();
  #sweep = 0;
  #cancel: Cancel | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Lists the connections that are here at this moment. */
  all(): readonly One[] {
    return this.#waiting.all();
  }

  /** The round that comes `ms` from now, or up to a second later. */
  in(ms: number): number {
    return this.#sweep + Math.ceil(ms / SWEEP_MS);
  }

  enter(one: One): ListNode<One> {
    this.#cancel ??= this.#clock.after(SWEEP_MS, this.#look);
    return this.#waiting.add(one);
  }

  leave(place: ListNode<One>): void {
    this.#waiting.remove(place);
    if (this.#waiting.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  readonly #look = (): void => {
    this.#cancel = this.#clock.after(SWEEP_MS, this.#look);
    this.#sweep++;
    for (const { value } of this.#waiting.where(({ deadline }) => deadline < this.#sweep)) {
      value?.onDeadline();
    }
  };
}
