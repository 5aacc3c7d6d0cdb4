/** Connections without a request in progress: those that can be closed when there are too many. */

import { LinkedList, type ListNode } from "../../../shared/util/linked_list.ts";
import type { Clock } from "../../runtime.ts";

export interface IdleConnection {
  /** Closes it at once. */
  evict(): void;
}

interface Entry {
  readonly connection: IdleConnection;
  /** Milliseconds of the monotonic clock; of an unfinished one only, because asking for the time costs something. */
  readonly since: number;
}

/** How to leave again; good for once. */
export interface IdlePlace {
  readonly list: LinkedList<Entry>;
  readonly node: ListNode<Entry>;
}

/** A request's head comes in one packet, and a reply is read at once: who needs longer for either counts as idle. */
const UNFINISHED_MS = 1_000;

export class IdleConnections {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #idle = new LinkedList<Entry>();
  readonly #unfinished = new LinkedList<Entry>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** It waits for its next request. */
  enter(connection: IdleConnection): IdlePlace {
    return enter(this.#idle, { connection, since: 0 });
  }

  /** Its next request has begun and is not complete, or it waits for the client to read the last reply. */
  enterUnfinished(connection: IdleConnection): IdlePlace {
    return enter(this.#unfinished, { connection, since: this.#clock.monotonic() });
  }

  leave({ list, node }: IdlePlace): void {
    list.remove(node);
  }

  /** Closes the connection that has been idle for the longest time; false when none is idle. */
  evictLongest(): boolean {
    const longest = this.#idle.first ?? this.#overdue();
    longest?.connection.evict();
    return longest !== undefined;
  }

  #overdue(): Entry | undefined {
    const { first } = this.#unfinished;
    if (first === undefined || this.#clock.monotonic() - first.since < UNFINISHED_MS) return undefined;
    return first;
  }
}

const enter = (list: LinkedList<Entry>, entry: Entry): IdlePlace => ({ list, node: list.add(entry) });
