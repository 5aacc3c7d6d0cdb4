/** The items of a stream: which are open, how events find theirs, and what the hub is told of them. */

import type { At, ModelEvent } from "../../../canonical/event.ts";
import type { OutputItem } from "../../../canonical/item.ts";
import type { Place } from "./parse_frame.ts";
import { distinct, identified, sameKind } from "./item_identity.ts";
import { emptied, readItem } from "./parse_item.ts";
import { tellWhole } from "./whole_items.ts";

/** An item that the hub knows of. `id` is the first that the provider gave it; some change it on the way. */
export interface Known {
  readonly at: At;
  readonly index?: number;
  readonly id?: string;
  /** As the hub was told that it opened. */
  readonly opened: OutputItem;
  readonly done: boolean;
}

/** Items in the order in which they opened. */
export type Items = readonly Known[];
export type Change = readonly [Items, readonly ModelEvent[]];

/**
 * The item that an event belongs to: index and id agree, or the index decides, or the id does. An event that
 * names neither means the item that opened last.
 */
export function locate(items: Items, { output_index: index, item_id: id }: Place): Known | undefined {
  if (index === undefined && id === undefined) return items.at(-1);
  const byIndex = index === undefined ? [] : items.filter((item) => item.index === index);
  const both = byIndex.find((item) => item.id === id);
  return both ?? byIndex.at(-1) ?? (id === undefined ? undefined : items.findLast((item) => item.id === id));
}

/** The item that an event of no meaning to us names; one of a tool's progress may leave the name out. */
export function subject(
  items: Items,
  { place, kind }: { readonly place: Place; readonly kind?: string },
): Known | undefined {
  const named = place.output_index !== undefined || place.item_id !== undefined;
  if (named) return locate(items, place);
  return items.findLast(({ opened }) => opened.type === "foreign" && opened.kind === kind);
}

/** A name that no other item has: servers that count nothing send every item under index 0. */
function nameFor(items: Items, index: number | undefined): At {
  const wanted = index ?? items.length;
  return items.some(({ at }) => at === wanted) ? `${wanted}#${items.length}` : wanted;
}

interface Opening {
  readonly item: OutputItem;
  readonly index?: number;
  readonly done: boolean;
}

function known(items: Items, { item, index, done }: Opening): Known {
  const opened = distinct(emptied(item), items.map((one) => one.opened));
  return { at: nameFor(items, index), index, id: item.id, opened, done };
}

/** An item opens. One that is still open under the same index is taken to be over. */
export function openItem(
  items: Items,
  { place, value }: { readonly place: Place; readonly value: unknown },
): Change {
  const item = readItem(value);
  if (item === undefined) return [items, []];
  const index = place.output_index;
  const before = index === undefined ? undefined : locate(items, { output_index: index });
  if (before !== undefined && !before.done && before.id === item.id) return [items, []];
  const [rest, closing] = before === undefined ? [items, []] : closeUntold(items, before);
  const opened = known(rest, { item, index, done: false });
  return [[...rest, opened], [...closing, { type: "item", at: opened.at, item: opened.opened }]];
}

/** An item of which only pieces came: servers that never say that an item opens. */
export function openBare(
  items: Items,
  { place, item }: { readonly place: Place; readonly item: OutputItem },
): Change {
  const opened = known(items, { item, index: place.output_index, done: false });
  return [[...items, opened], [{ type: "item", at: opened.at, item: opened.opened }]];
}

/** An item closes. One that never opened comes as a whole. */
export function closeItem(
  items: Items,
  { place, value }: { readonly place: Place; readonly value: unknown },
): Change {
  const item = readItem(value);
  const found = locate(items, { ...place, item_id: place.item_id ?? item?.id });
  if (item === undefined) return found === undefined ? [items, []] : closeUntold(items, found);
  const index = place.output_index;
  const another = found?.done && index !== undefined && found.index !== index;
  return settle(items, { item, open: another ? undefined : found, index });
}

interface Settling {
  readonly item: OutputItem;
  readonly open: Known | undefined;
  readonly index?: number;
}

function settle(items: Items, { item, open, index }: Settling): Change {
  if (open === undefined) return addWhole(items, { item, index });
  if (open.done && (open.id === item.id || item.id === undefined)) return [items, []];
  if (open.done) return addWhole(items, { item, index });
  if (!sameKind(open.opened, item)) {
    const [rest, closing] = closeUntold(items, open);
    const [all, whole] = addWhole(rest, { item, index });
    return [all, [...closing, ...whole]];
  }
  return [markDone(items, open), [{ type: "item_done", at: open.at, item: identified(item, open.opened) }]];
}

function addWhole(
  items: Items,
  { item, index }: { readonly item: OutputItem; readonly index?: number },
): Change {
  const whole = known(items, { item, index, done: true });
  const events: ModelEvent[] = [];
  tellWhole({ at: whole.at, opened: whole.opened, item }, events);
  return [[...items, whole], events];
}

const markDone = (items: Items, one: Known): Items =>
  items.map((item) => item === one ? { ...item, done: true } : item);

function closeUntold(items: Items, open: Known): Change {
  return open.done ? [items, []] : [markDone(items, open), [{ type: "item_done", at: open.at }]];
}

interface LastWord {
  /** The items as the terminal event tells them, where it does. */
  readonly output?: readonly unknown[];
  /** What is left open by an answer that was cut short stays so: nobody is told that it is complete. */
  readonly cutShort: boolean;
}

/**
 * The last word on all items: those still open are closed with it, those that were never told come as wholes.
 * Ids decide who is who; where they changed on the way, the next item of the same type is meant.
 */
export function settleAll(items: Items, { output = [], cutShort }: LastWord): Change {
  const told = output.flatMap((value) => readItem(value) ?? []);
  const events: ModelEvent[] = [];
  let all = items;
  for (const [item, open] of matched(items, told)) {
    if (open?.done) continue;
    const [next, some] = settle(all, { item, open });
    all = next;
    events.push(...some);
  }
  if (cutShort) return [all, events];
  for (const open of all.filter(({ done }) => !done)) events.push({ type: "item_done", at: open.at });
  return [all.map((item) => item.done ? item : { ...item, done: true }), events];
}

function matched(items: Items, told: readonly OutputItem[]): ReadonlyMap<OutputItem, Known | undefined> {
  const taken = new Set<Known>();
  const take = (item: OutputItem, fits: (one: Known) => boolean) => {
    const found = items.find((one) => !taken.has(one) && sameKind(one.opened, item) && fits(one));
    if (found !== undefined) taken.add(found);
    return found;
  };
  const byId = told.map((item) => take(item, ({ id }) => id !== undefined && id === item.id));
  return new Map(told.map((item, at) => [item, byId[at] ?? take(item, () => true)]));
}
