/** Whole items as the events that a stream would have brought. */

import type { At, ModelEvent } from "../../../canonical/event.ts";
import type { OutputItem, Part } from "../../../canonical/item.ts";
import { distinct, identified } from "./item_identity.ts";
import { emptied, readItem } from "./parse_item.ts";

/** Tells all items of an answer that came at once. */
export function tellItems(output: readonly unknown[], events: ModelEvent[]): void {
  const before: OutputItem[] = [];
  for (const value of output) {
    const item = readItem(value);
    if (item === undefined) continue;
    const opened = distinct(emptied(item), before);
    tellWhole({ at: before.length, opened, item }, events);
    before.push(opened);
  }
}

export interface Whole {
  readonly at: At;
  /** As the hub is told that it opens. */
  readonly opened: OutputItem;
  readonly item: OutputItem;
}

/** Tells an item from its opening to its end, under the identity that it opens with. */
export function tellWhole({ at, opened, item }: Whole, events: ModelEvent[]): void {
  const whole = identified(item, opened);
  events.push({ type: "item", at, item: opened });
  tellContents({ at, item: whole }, events);
  events.push({ type: "item_done", at, item: whole });
}

interface Placed {
  readonly at: At;
  readonly item: OutputItem;
}

function tellContents({ at, item }: Placed, events: ModelEvent[]): void {
  switch (item.type) {
    case "message":
      return item.parts.forEach((part, index) => tellPart({ at, part, index }, events));
    case "reasoning":
      item.thoughts.forEach((delta, part) => events.push({ type: "thought", at, part, delta }));
      return item.summary.forEach((delta, part) => void events.push({ type: "summary", at, part, delta }));
    case "call":
      if (item.arguments !== "") events.push({ type: "arguments", at, delta: item.arguments });
      return;
    case "foreign":
      return;
    default:
      return item satisfies never;
  }
}

interface PlacedPart {
  readonly at: At;
  readonly part: Part;
  readonly index: number;
}

function tellPart({ at, part, index }: PlacedPart, events: ModelEvent[]): void {
  if ((part.type !== "text" && part.type !== "refusal") || part.text === "") return;
  if (part.type === "refusal") {
    events.push({ type: "refusal", at, part: index, delta: part.text });
    return;
  }
  const { text: delta, logprobs, annotations = [] } = part;
  events.push({ type: "text", at, part: index, delta, ...(logprobs === undefined ? {} : { logprobs }) });
  for (const annotation of annotations) events.push({ type: "annotation", at, part: index, annotation });
}
