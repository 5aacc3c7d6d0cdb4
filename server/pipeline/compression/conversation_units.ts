/**
 * Parts of a conversation that stay or go together: a message of the user, or a turn of the model, which is its
 * thoughts, words and calls with the results of these. No call is without its result in one part, and no result
 * without its call.
 */

import type { Work } from "../../../shared/util/run_work.ts";
import type { Item, PassthroughItem } from "../../protocols/canonical/item.ts";
import { isClientAnswer } from "../../protocols/common/outbound/turns.ts";

export interface ConversationUnit {
  readonly items: readonly Item[];
  /** Place of the first of them in the conversation. */
  readonly start: number;
  /** Instructions, or what stands for an earlier part of the conversation. */
  readonly isInstruction: boolean;
  /** It stays word by word. */
  readonly isWhole: boolean;
  /** A message of the user is in it. */
  readonly isUser: boolean;
  /** Messages, as wires with alternating roles would have them by themselves. */
  readonly messages: number;
}

export function* conversationUnits(items: readonly Item[]): Work<readonly ConversationUnit[]> {
  const ends = lastPartners(items);
  yield;
  const units: ConversationUnit[] = [];
  let start = 0;
  let end = 0;
  for (let at = 0; at < items.length; at++) {
    end = Math.max(end, ends[at] ?? at);
    const next = items[at + 1];
    const isInside = end > at || (next !== undefined && goesOn(items[at], next));
    if (isInside) continue;
    units.push(unitOf(items.slice(start, at + 1), start));
    start = at + 1;
    yield;
  }
  return units;
}

/** Number of messages of a conversation, as wires with alternating roles have them. */
export function countMessages(items: Iterable<Item>): number {
  let count = 0;
  let last: boolean | undefined;
  for (const item of items) {
    const assistant = isAssistant(item);
    if (assistant !== last) count++;
    last = assistant;
  }
  return count;
}

/** Number of messages as clients write them down: thoughts and calls stand in the message of their turn. */
export function countListed(items: readonly Item[]): number {
  return items.filter((item, at) => {
    const before = items[at - 1];
    if (!isAssistant(item) || before === undefined || !isAssistant(before)) return true;
    return item.type === "message" && before.type !== "reasoning";
  }).length;
}

function unitOf(items: readonly Item[], start: number): ConversationUnit {
  const instructions = items.filter(isInstruction);
  return {
    items,
    start,
    isInstruction: instructions.length > 0,
    isWhole: instructions.some((item) => item.type !== "message" || item.quotes !== true),
    isUser: items.some((item) => item.type === "message" && item.role === "user"),
    messages: countMessages(items),
  };
}

const isInstruction = (item: Item): boolean =>
  item.type === "message"
    ? item.role === "system" || item.role === "developer"
    : item.type === "foreign" && /compaction$/.test(item.kind);

const isAssistant = (item: Item): boolean => {
  switch (item.type) {
    case "message":
      return item.role === "assistant";
    case "reasoning":
    case "call":
      return true;
    case "result":
      return false;
    case "foreign":
      return !isClientAnswer(item.kind);
    default:
      return item satisfies never;
  }
};

/** Whether the turn of the model goes on with the next item; what answers its calls is found by their ids. */
const goesOn = (item: Item | undefined, next: Item): boolean =>
  item !== undefined && isAssistant(item) && isAssistant(next) && !isInstruction(item) &&
  !isInstruction(next);

/** By item the place of the last one that has an id in common with it; undefined for none behind it. */
function lastPartners(items: readonly Item[]): readonly (number | undefined)[] {
  const last = new Map<string, number>();
  const partners: (number | undefined)[] = new Array(items.length).fill(undefined);
  for (let at = items.length - 1; at >= 0; at--) {
    const item = items[at];
    if (item === undefined) continue;
    for (const id of idsOf(item)) {
      const found = last.get(id);
      if (found === undefined) last.set(id, at);
      else partners[at] = Math.max(partners[at] ?? at, found);
    }
  }
  return partners;
}

const none: readonly string[] = [];

/** Ids by which calls and what answers them know each other. */
function idsOf(item: Item): readonly string[] {
  if (item.type === "call" || item.type === "result") return [`call ${item.callId}`];
  return item.type === "foreign" ? idsOfForeign(item) : none;
}

function idsOfForeign({ value, id, call }: PassthroughItem): readonly string[] {
  const calls = [value.call_id, value.tool_use_id, call?.callId];
  const approvals = [value.approval_request_id, value.id ?? id];
  return [
    ...calls.flatMap((one) => typeof one === "string" ? [`call ${one}`] : []),
    ...approvals.flatMap((one) => typeof one === "string" ? [`item ${one}`, `call ${one}`] : []),
  ];
}
