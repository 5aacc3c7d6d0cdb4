/** Whole items as the events that a stream would have brought. */

import type { ItemKey, ModelEvent } from "../../canonical/event.ts";
import type { ContentPart, OutputItem } from "../../canonical/item.ts";
import { withOpenedIdentity, withUniqueIds } from "./item_identity.ts";
import { parseItem, withoutContent } from "./parse_item.ts";

/** Tells all items of an answer that came at once. */
export function emitItems(output: readonly unknown[], events: ModelEvent[]): void {
  const before: OutputItem[] = [];
  for (const value of output) {
    const item = parseItem(value);
    if (item === undefined) continue;
    const opened = withUniqueIds(withoutContent(item), before);
    emitItem({ at: before.length, opened, item }, events);
    before.push(opened);
  }
}

interface WholeItem {
  readonly at: ItemKey;
  /** As the canonical model is told that it opens. */
  readonly opened: OutputItem;
  readonly item: OutputItem;
}

/** Tells an item from its opening to its end, under the identity that it opens with. */
export function emitItem({ at, opened, item }: WholeItem, events: ModelEvent[]): void {
  const whole = withOpenedIdentity(item, opened);
  events.push({ type: "item", itemKey: at, item: opened });
  emitContents({ at, item: whole }, events);
  events.push({ type: "item_done", itemKey: at, item: whole });
}

interface Placed {
  readonly at: ItemKey;
  readonly item: OutputItem;
}

function emitContents({ at, item }: Placed, events: ModelEvent[]): void {
  switch (item.type) {
    case "message":
      return item.parts.forEach((part, index) => emitPart({ at, part, index }, events));
    case "reasoning":
      item.content.forEach((delta, part) => events.push({ type: "thought", itemKey: at, part, delta }));
      return item.summary.forEach((delta, part) =>
        void events.push({ type: "summary", itemKey: at, part, delta })
      );
    case "call":
      if (item.arguments !== "") events.push({ type: "arguments", itemKey: at, delta: item.arguments });
      return;
    case "foreign":
      return;
    default:
      return item satisfies never;
  }
}

interface PlacedPart {
  readonly at: ItemKey;
  readonly part: ContentPart;
  readonly index: number;
}

function emitPart({ at, part, index }: PlacedPart, events: ModelEvent[]): void {
  if ((part.type !== "text" && part.type !== "refusal") || part.text === "") return;
  if (part.type === "refusal") {
    events.push({ type: "refusal", itemKey: at, part: index, delta: part.text });
    return;
  }
  const { text, logprobs, annotations = [] } = part;
  events.push({
    type: "text",
    itemKey: at,
    part: index,
    delta: text,
    ...(logprobs === undefined ? {} : { logprobs }),
  });
  for (const annotation of annotations) {
    events.push({ type: "annotation", itemKey: at, part: index, annotation });
  }
}
