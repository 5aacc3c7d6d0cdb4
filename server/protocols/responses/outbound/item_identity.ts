/** Keeps the identity of items: what the opening of one told the client stays, and no two items are taken for one. */

import type { JsonObject, OutputItem } from "../../canonical/item.ts";

/** Whether one item can be the later form of the other. */
export function isSameKind(one: OutputItem, other: OutputItem): boolean {
  if (one.type === "foreign" && other.type === "foreign") return one.kind === other.kind;
  if (one.type === "call" && other.type === "call") return one.kind === other.kind;
  return one.type === other.type;
}

/**
 * Clients keep items apart by their ids and calls by their call ids, and some refuse an answer in which two are
 * the same: one that an earlier item has already is left out, or made another.
 */
export function withUniqueIds(item: OutputItem, others: readonly OutputItem[]): OutputItem {
  const taken = item.id !== undefined && others.some(({ id }) => id === item.id);
  const named = taken ? withId(item, undefined) : item;
  if (named.type !== "call") return named;
  const used = others.some((other) => other.type === "call" && other.callId === named.callId);
  if (named.callId !== "" && !used) return named;
  return { ...named, callId: `${named.callId || "call"}_${others.length}` };
}

/** An item's last word under the identity that it opened with. */
export function withOpenedIdentity(item: OutputItem, opened: OutputItem): OutputItem {
  const same = withId(item, opened.id);
  if (same.type !== "call" || opened.type !== "call") return same;
  return { ...same, callId: opened.callId, name: opened.name || same.name };
}

function withId(item: OutputItem, id: string | undefined): OutputItem {
  if (item.id === id) return item;
  if (item.type !== "foreign") return { ...item, id };
  const { id: _id, ...rest } = item.value;
  const value: JsonObject = id === undefined ? rest : { ...rest, id };
  return { ...item, id, value };
}
