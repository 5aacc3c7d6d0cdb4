/** The items of a stream: which are open, how events find theirs, and what the canonical model is told of them. */

import type { ItemKey, ModelEvent } from "../../canonical/event.ts";
import type { OutputItem } from "../../canonical/item.ts";
import type { EventPlace } from "./parse_frame.ts";
import { isSameKind, withOpenedIdentity, withUniqueIds } from "./item_identity.ts";
import { parseItem, withoutContent } from "./parse_item.ts";
import { emitItem } from "./whole_items.ts";

/**
 * An item that the canonical model knows of. `id` is the first that the provider gave it; some change it on the
 * way.
 */
export interface TrackedItem {
  readonly itemKey: ItemKey;
  readonly index?: number;
  readonly id?: string;
  /** As the canonical model was told that it opened. */
  readonly opened: OutputItem;
  readonly done: boolean;
}

/** Items in the order in which they opened. */
export type TrackedItems = readonly TrackedItem[];
export type ItemsStep = readonly [TrackedItems, readonly ModelEvent[]];

/**
 * The item that an event belongs to: index and id agree, or the index decides, or the id does. An event that
 * names neither means the item that opened last.
 */
export function findItem(
  items: TrackedItems,
  { output_index: index, item_id: id }: EventPlace,
): TrackedItem | undefined {
  if (index === undefined && id === undefined) return items.at(-1);
  const byIndex = index === undefined ? [] : items.filter((item) => item.index === index);
  const both = byIndex.find((item) => item.id === id);
  return both ?? byIndex.at(-1) ?? (id === undefined ? undefined : items.findLast((item) => item.id === id));
}

/** The item that an event of no meaning to us names; one of a tool's progress may leave the name out. */
export function findEventItem(
  items: TrackedItems,
  { place, kind }: { readonly place: EventPlace; readonly kind?: string },
): TrackedItem | undefined {
  const named = place.output_index !== undefined || place.item_id !== undefined;
  if (named) return findItem(items, place);
  return items.findLast(({ opened }) => opened.type === "foreign" && opened.kind === kind);
}

/** A name that no other item has: servers that count nothing send every item under index 0. */
function nameFor(items: TrackedItems, index: number | undefined): ItemKey {
  const wanted = index ?? items.length;
  return items.some(({ itemKey }) => itemKey === wanted) ? `${wanted}#${items.length}` : wanted;
}

interface Opening {
  readonly item: OutputItem;
  readonly index?: number;
  readonly done: boolean;
}

function known(items: TrackedItems, { item, index, done }: Opening): TrackedItem {
  const opened = withUniqueIds(withoutContent(item), items.map((one) => one.opened));
  return { itemKey: nameFor(items, index), index, id: item.id, opened, done };
}

/** An item opens. One that is still open under the same index is taken to be over. */
export function openItem(
  items: TrackedItems,
  { place, value }: { readonly place: EventPlace; readonly value: unknown },
): ItemsStep {
  const item = parseItem(value);
  if (item === undefined) return [items, []];
  const index = place.output_index;
  const before = index === undefined ? undefined : findItem(items, { output_index: index });
  if (before !== undefined && !before.done && before.id === item.id) return [items, []];
  const [rest, closing] = before === undefined ? [items, []] : closeUnreported(items, before);
  const opened = known(rest, { item, index, done: false });
  return [[...rest, opened], [...closing, { type: "item", itemKey: opened.itemKey, item: opened.opened }]];
}

/** An item of which only chunks came: servers that never say that an item opens. */
export function openImplicitItem(
  items: TrackedItems,
  { place, item }: { readonly place: EventPlace; readonly item: OutputItem },
): ItemsStep {
  const opened = known(items, { item, index: place.output_index, done: false });
  return [[...items, opened], [{ type: "item", itemKey: opened.itemKey, item: opened.opened }]];
}

/** An item closes. One that never opened comes as a whole. */
export function closeItem(
  items: TrackedItems,
  { place, value }: { readonly place: EventPlace; readonly value: unknown },
): ItemsStep {
  const item = parseItem(value);
  const found = findItem(items, { ...place, item_id: place.item_id ?? item?.id });
  if (item === undefined) return found === undefined ? [items, []] : closeUnreported(items, found);
  const index = place.output_index;
  const another = found?.done && index !== undefined && found.index !== index;
  return settle(items, { item, open: another ? undefined : found, index });
}

interface Settling {
  readonly item: OutputItem;
  readonly open: TrackedItem | undefined;
  readonly index?: number;
}

function settle(items: TrackedItems, { item, open, index }: Settling): ItemsStep {
  if (open === undefined) return addWhole(items, { item, index });
  if (open.done && (open.id === item.id || item.id === undefined)) return [items, []];
  if (open.done) return addWhole(items, { item, index });
  if (!isSameKind(open.opened, item)) {
    const [rest, closing] = closeUnreported(items, open);
    const [all, whole] = addWhole(rest, { item, index });
    return [all, [...closing, ...whole]];
  }
  return [markDone(items, open), [{
    type: "item_done",
    itemKey: open.itemKey,
    item: withOpenedIdentity(item, open.opened),
  }]];
}

function addWhole(
  items: TrackedItems,
  { item, index }: { readonly item: OutputItem; readonly index?: number },
): ItemsStep {
  const whole = known(items, { item, index, done: true });
  const events: ModelEvent[] = [];
  emitItem({ at: whole.itemKey, opened: whole.opened, item }, events);
  return [[...items, whole], events];
}

const markDone = (items: TrackedItems, one: TrackedItem): TrackedItems =>
  items.map((item) => item === one ? { ...item, done: true } : item);

function closeUnreported(items: TrackedItems, open: TrackedItem): ItemsStep {
  return open.done ? [items, []] : [markDone(items, open), [{ type: "item_done", itemKey: open.itemKey }]];
}

interface FinalOutput {
  /** The items as the terminal event tells them, where it does. */
  readonly output?: readonly unknown[];
  /** True for an answer that was cut short: its open items stay open, so that no client takes them for complete. */
  readonly cutShort: boolean;
}

/**
 * The last word on all items: those still open are closed with it, those that were never reported come as wholes.
 * Ids decide who is who; where they changed on the way, the next item of the same type is meant.
 */
export function finishItems(items: TrackedItems, { output = [], cutShort }: FinalOutput): ItemsStep {
  const finalItems = output.flatMap((value) => parseItem(value) ?? []);
  const events: ModelEvent[] = [];
  let all = items;
  for (const [item, open] of matched(items, finalItems)) {
    if (open?.done) continue;
    const [next, some] = settle(all, { item, open });
    all = next;
    events.push(...some);
  }
  if (cutShort) return [all, events];
  for (const open of all.filter(({ done }) => !done)) {
    events.push({ type: "item_done", itemKey: open.itemKey });
  }
  return [all.map((item) => item.done ? item : { ...item, done: true }), events];
}

function matched(
  items: TrackedItems,
  finalItems: readonly OutputItem[],
): ReadonlyMap<OutputItem, TrackedItem | undefined> {
  const taken = new Set<TrackedItem>();
  const take = (item: OutputItem, fits: (one: TrackedItem) => boolean) => {
    const found = items.find((one) => !taken.has(one) && isSameKind(one.opened, item) && fits(one));
    if (found !== undefined) taken.add(found);
    return found;
  };
  const byId = finalItems.map((item) => take(item, ({ id }) => id !== undefined && id === item.id));
  return new Map(finalItems.map((item, at) => [item, byId[at] ?? take(item, () => true)]));
}
