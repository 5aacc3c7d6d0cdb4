/** Unused connections by credential: those whose delay is not over, and those that may be used. */

import type { Cancel } from "../../../runtime.ts";
import type { BufferedSocket } from "../../../http/http1/buffered_socket.ts";

/**
 * `new`: two turns of the event loop have not passed yet; `delayed`: may be used where there are many; `ready`: may be
 * used; `gone`: in use again, or closed.
 */
type IdleState = "new" | "delayed" | "ready" | "gone";

/** An unused connection. */
export interface Idle {
  readonly connection: BufferedSocket;
  readonly credentialHash: string;
  /** Monotonic ms. */
  readonly since: number;
  /** Monotonic ms: not used again from then on. */
  readonly until: number;
  /** Ends its deadline. */
  readonly cancel: Cancel;
  state: IdleState;
}

interface List {
  /** The longest unused one first. Some have another state by now. */
  readonly delayed: Idle[];
  /** The last used one last. */
  readonly ready: Idle[];
}

/** A credential without connections takes no room. */
export class ConnectionLists {
  readonly #lists = new Map<string, List>();

  addDelayed(idle: Idle): void {
    idle.state = "delayed";
    this.#listOf(idle.credentialHash).delayed.push(idle);
  }

  /** It is a delayed one, and no other one of its credential has been delayed for longer. */
  makeReady(idle: Idle): void {
    const list = this.#listOf(idle.credentialHash);
    idle.state = "ready";
    list.ready.push(idle);
    trim(list.delayed);
  }

  /** The last used one of those that may be used. */
  lastReady(credentialHash: string): Idle | undefined {
    return this.#lists.get(credentialHash)?.ready.at(-1);
  }

  longestDelayed(credentialHash: string): Idle | undefined {
    const list = this.#lists.get(credentialHash);
    if (list === undefined) return undefined;
    trim(list.delayed);
    return list.delayed[0];
  }

  /** Harmless for one that is gone already. */
  remove(idle: Idle): void {
    const { state, credentialHash } = idle;
    idle.state = "gone";
    const list = this.#lists.get(credentialHash);
    if (list === undefined) return;
    if (state === "ready") list.ready.splice(list.ready.lastIndexOf(idle), 1);
    else trim(list.delayed);
    if (list.ready.length === 0 && list.delayed.length === 0) this.#lists.delete(credentialHash);
  }

  #listOf(credentialHash: string): List {
    const known = this.#lists.get(credentialHash);
    if (known !== undefined) return known;
    const list: List = { delayed: [], ready: [] };
    this.#lists.set(credentialHash, list);
    return list;
  }
}

/** They leave mostly from the front: the others stay until those before them have left. */
function trim(delayed: Idle[]): void {
  while (delayed.length > 0 && delayed[0]?.state !== "delayed") delayed.shift();
}
