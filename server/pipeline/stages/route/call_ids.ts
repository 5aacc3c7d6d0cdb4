/**
 * Ids of calls, unique over the whole conversation, so that each result has one call: some providers number their
 * calls anew in every turn or name two alike, and clients bring such conversations back. The same conversation always
 * gets the same ids, which keeps prompt caches warm.
 */

import type { ItemKey, ModelEvent } from "../../../protocols/canonical/event.ts";
import type { Item } from "../../../protocols/canonical/item.ts";

/** An id that is not there yet, made of one that is; `from` keeps a search over many from beginning anew. */
function freeId(
  id: string,
  { used, from }: { readonly used: ReadonlySet<string>; readonly from: number },
): string {
  let count = from;
  while (used.has(`${id}_${count}`)) count++;
  return `${id}_${count}`;
}

/** The same list where no two calls have one id. A result is that of the first call with its id that has none yet. */
export function withUniqueCallIds(input: readonly Item[]): readonly Item[] {
  return repeatsCallId(input) ? renamedCalls(input) : input;
}

function repeatsCallId(input: readonly Item[]): boolean {
  let seen: Set<string> | undefined;
  for (const item of input) {
    if (item.type !== "call") continue;
    seen ??= new Set();
    if (seen.has(item.callId)) return true;
    seen.add(item.callId);
  }
  return false;
}

function renamedCalls(input: readonly Item[]): readonly Item[] {
  const used = new Set(input.flatMap((item) => item.type === "call" ? [item.callId] : []));
  const names = new Map<string, CallNames>();
  return input.map((item): Item => {
    if (item.type !== "call" && item.type !== "result") return item;
    const known = names.get(item.callId);
    if (item.type === "result") return known === undefined ? item : { ...item, callId: answeredName(known) };
    if (known === undefined) {
      names.set(item.callId, { latest: item.callId, unanswered: [item.callId], count: 1 });
      return item;
    }
    const callId = freeId(item.callId, { used, from: ++known.count });
    used.add(callId);
    known.latest = callId;
    known.unanswered.push(callId);
    return { ...item, callId };
  });
}

/** The calls that a conversation has under one id. */
interface CallNames {
  latest: string;
  count: number;
  readonly unanswered: string[];
}

const answeredName = ({ latest, unanswered }: CallNames): string => unanswered.shift() ?? latest;

/** The calls of one response. */
export class ResponseCallIds {
  readonly #input: readonly Item[];
  /** Both are made with the first call: most responses have none. */
  #used: Set<string> | undefined;
  #byKey: Map<ItemKey, string> | undefined;

  constructor(input: readonly Item[]) {
    this.#input = input;
  }

  /** The event; a call in it has its own id. Calls without one get it when they are rendered. */
  unique(event: ModelEvent): ModelEvent {
    if ((event.type !== "item" && event.type !== "item_done") || event.item?.type !== "call") return event;
    const { item, itemKey } = event;
    if (item.callId === "") return event;
    const known = this.#byKey ??= new Map();
    const callId = known.get(itemKey) ?? this.#take(item.callId);
    known.set(itemKey, callId);
    return callId === item.callId ? event : { ...event, item: { ...item, callId } };
  }

  #take(id: string): string {
    const used = this.#used ??= new Set(withUniqueCallIds(this.#input).flatMap(callIdsOf));
    const callId = used.has(id) ? freeId(id, { used, from: used.size + 1 }) : id;
    used.add(callId);
    return callId;
  }
}

/** Items of tools name their calls in their own words. */
function callIdsOf(item: Item): readonly string[] {
  if (item.type === "call" || item.type === "result") return [item.callId];
  if (item.type !== "foreign") return none;
  const { call_id: callId } = item.value;
  return typeof callId === "string" ? [callId] : none;
}

const none: readonly string[] = [];
