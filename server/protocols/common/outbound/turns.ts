/**
 * Turns of a conversation that is being written down. The canonical model lists what the assistant says and calls and
 * the results one after the other; wires want one message of the assistant's, then all results, then the rest.
 */

import type { Item } from "../../canonical/item.ts";

/** A turn of the assistant and what answers it: written in place, since a loop renders its conversation each time. */
export interface Turn<Held> {
  /** Ids of calls whose results are still to come in the conversation. */
  readonly awaited: Set<string>;
  readonly results: { readonly size: number };
  /** Messages or parts that came while results were awaited; they may only stand behind them. */
  readonly held: Held[];
}

/** How a wire writes its turns. */
interface TurnForm<Held, T extends Turn<Held>> {
  readonly create: () => T;
  /** Writes a turn that has ended into the conversation. */
  readonly write: (turn: T) => void;
}

/** At most one turn is open at a time. */
export class Turns<Held, T extends Turn<Held>> {
  readonly #form: TurnForm<Held, T>;
  #current: T | undefined;

  constructor(form: TurnForm<Held, T>) {
    this.#form = form;
  }

  /** The turn that is open, if any. */
  get current(): T | undefined {
    return this.#current;
  }

  /** The turn to which what the assistant does next belongs: the last one until all its results are there. */
  open(): T {
    const current = this.#current;
    if (current !== undefined && current.awaited.size === 0 && current.results.size > 0) this.end();
    return this.#current ??= this.#form.create();
  }

  /** False while results are awaited: then it is held. Else the turn has ended, and it may be written behind it. */
  passes(content: readonly Held[]): boolean {
    const current = this.#current;
    if (current !== undefined && current.awaited.size > 0) {
      current.held.push(...content);
      return false;
    }
    this.end();
    return true;
  }

  end(): void {
    const current = this.#current;
    this.#current = undefined;
    if (current !== undefined) this.#form.write(current);
  }
}

/** Ids of the calls, as the wire spells them, that have a result somewhere in the conversation. */
export function answeredCalls(
  items: readonly Item[],
  idOf: (callId: string) => string,
): ReadonlySet<string> {
  const answered = new Set<string>();
  for (const item of items) if (item.type === "result") answered.add(idOf(item.callId));
  return answered;
}

/** Whether an item that only one wire has words for answers a call: it is the client's then, else the assistant's. */
export const isClientAnswer = (kind: string): boolean => /_(output|response)$/.test(kind);

interface Message<Role, Block> {
  readonly role: Role;
  readonly content: readonly Block[];
}

/** Messages of one role in a row become one; one without content is none. */
export function joinByRole<Role, Block>(
  messages: Message<Role, Block>[],
  { role, content }: Message<Role, Block>,
): void {
  if (content.length === 0) return;
  const last = messages.at(-1);
  if (last?.role !== role) messages.push({ role, content });
  else messages[messages.length - 1] = { role, content: [...last.content, ...content] };
}

/**
 * Instructions in the middle of a conversation as a part of the user's message, the documented form for models without
 * system messages there: so they stay where they are, and everything before them stays the cached and sealed prefix that it was. Blank for blank ones.
 */
export const systemReminder = (text: string): string =>
  text.trim() === "" ? "" : `<system-reminder>\n${text}\n</system-reminder>`;
