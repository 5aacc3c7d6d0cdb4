/** Model events → what they add up to, complaining about any order that the canonical model does not allow. */

import assert from "node:assert/strict";
import type {
  FailureEvent,
  FinishEvent,
  ItemKey,
  ModelEvent,
  TextEvent,
} from "../../server/protocols/canonical/event.ts";
import type { Annotation, Item, Logprob, OutputItem } from "../../server/protocols/canonical/item.ts";

interface Growing {
  readonly item: OutputItem;
  readonly texts: Map<string, string>;
  readonly logprobs: Map<number, Logprob[]>;
  readonly annotations: Map<number, Annotation[]>;
  arguments: string;
  whole?: OutputItem;
  done: boolean;
}

export interface Collected {
  readonly items: readonly OutputItem[];
  readonly last: FinishEvent | FailureEvent;
}

/** Collects the items of events, in the order in which they opened. A `stop` must find every item closed. */
export function collect(events: readonly ModelEvent[]): Collected {
  const growing = new Map<ItemKey, Growing>();
  const last = events.at(-1);
  assert.ok(last?.type === "finish" || last?.type === "failure", "the last event is terminal");
  events.forEach((event, index) => {
    assert.equal(
      event === last,
      event.type === "finish" || event.type === "failure",
      "nothing follows the end",
    );
    assert.equal(
      event.type === "begin",
      index === 0 && event.type !== "failure",
      "begin comes first, and once",
    );
    take(growing, event);
  });
  const all = [...growing.values()];
  if (last.type === "finish" && last.reason === "stop") {
    assert.ok(all.every(({ done }) => done), "every item is closed");
  }
  return { items: all.map(finalItem), last };
}

function take(growing: Map<ItemKey, Growing>, event: ModelEvent): void {
  switch (event.type) {
    case "item":
      assert.equal(growing.has(event.itemKey), false, `item ${event.itemKey} opens once`);
      growing.set(event.itemKey, opened(event.item));
      return;
    case "text":
    case "refusal":
    case "thought":
    case "summary":
      return grow(openAt(growing, event.itemKey), event);
    case "arguments":
      openAt(growing, event.itemKey).arguments += event.delta;
      return;
    case "annotation":
      push(openAt(growing, event.itemKey).annotations, [event.part, [event.annotation]]);
      return;
    case "item_done":
      Object.assign(openAt(growing, event.itemKey), { done: true, whole: event.item });
      return;
    default:
      return;
  }
}

function opened(item: OutputItem): Growing {
  return {
    item,
    texts: new Map(),
    logprobs: new Map(),
    annotations: new Map(),
    arguments: "",
    done: false,
  };
}

function openAt(growing: Map<ItemKey, Growing>, at: ItemKey): Growing {
  const open = growing.get(at);
  assert.ok(open !== undefined, `item ${at} is known`);
  assert.equal(open.done, false, `item ${at} is open`);
  return open;
}

function grow(open: Growing, event: TextEvent): void {
  const key = `${event.type} ${event.part}`;
  open.texts.set(key, (open.texts.get(key) ?? "") + event.delta);
  if (event.logprobs !== undefined) push(open.logprobs, [event.part, event.logprobs]);
}

function push<T>(lists: Map<number, T[]>, [key, more]: readonly [number, readonly T[]]): void {
  lists.set(key, [...(lists.get(key) ?? []), ...more]);
}

/** The item as its last word tells it; what was streamed must agree with it. */
function finalItem(open: Growing): OutputItem {
  if (open.whole !== undefined) agree(open, open.whole);
  return open.whole ?? streamed(open);
}

function agree(open: Growing, whole: OutputItem): void {
  const seen = streamed(open);
  assert.equal(seen.type, whole.type);
  assert.equal(seen.id, whole.id, "an item keeps its id");
  if (whole.type === "call" && seen.type === "call") {
    assert.equal(whole.arguments.startsWith(seen.arguments), true);
  }
  for (const [key, text] of open.texts) {
    assert.equal(textOf(whole, key).startsWith(text), true, `${key} agrees`);
  }
}

function textOf(item: Item, key: string): string {
  const [type, at] = key.split(" ");
  if (item.type === "reasoning") return (type === "summary" ? item.summary : item.content)[Number(at)] ?? "";
  const part = item.type === "message" ? item.parts[Number(at)] : undefined;
  return part?.type === "text" || part?.type === "refusal" ? part.text : "";
}

function streamed(open: Growing): OutputItem {
  const { item } = open;
  switch (item.type) {
    case "message":
      return { ...item, parts: [...open.texts].map(([key, text]) => partOf(open, { key, text })) };
    case "reasoning":
      return { ...item, content: ofKind(open, "thought"), summary: ofKind(open, "summary") };
    case "call":
      return { ...item, arguments: open.arguments };
    case "foreign":
      return item;
    default:
      return item satisfies never;
  }
}

const ofKind = (open: Growing, kind: string) =>
  [...open.texts].filter(([key]) => key.startsWith(kind)).map(([, text]) => text);

function partOf(open: Growing, { key, text }: { readonly key: string; readonly text: string }) {
  const [type, at] = key.split(" ");
  if (type === "refusal") return { type, text } as const;
  const logprobs = open.logprobs.get(Number(at));
  const annotations = open.annotations.get(Number(at));
  return {
    type: "text" as const,
    text,
    ...(annotations === undefined ? {} : { annotations }),
    ...(logprobs === undefined ? {} : { logprobs }),
  };
}
