/** A whole item as the events that a stream would have brought. */

import type { At, ModelEvent } from "../../hub/event.ts";
import type { OutputItem, Part } from "../../hub/item.ts";
import { emptied } from "./outbound_item.ts";

export function wholeItem(at: At, item: OutputItem): readonly ModelEvent[] {
  return [{ type: "item", at, item: emptied(item) }, ...contents(at, item), { type: "item_done", at, item }];
}

function contents(at: At, item: OutputItem): readonly ModelEvent[] {
  switch (item.type) {
    case "message":
      return item.parts.flatMap((part, index) => partEvents(at, { part, index }));
    case "reasoning":
      return [...item.thoughts.map(piece("thought", at)), ...item.summary.map(piece("summary", at))];
    case "call":
      return item.arguments === "" ? [] : [{ type: "arguments", at, delta: item.arguments }];
    case "foreign":
      return [];
    default:
      return item satisfies never;
  }
}

interface PlacedPart {
  readonly part: Part;
  readonly index: number;
}

function partEvents(at: At, { part, index }: PlacedPart): readonly ModelEvent[] {
  if ((part.type !== "text" && part.type !== "refusal") || part.text === "") return [];
  if (part.type === "refusal") return [{ type: "refusal", at, part: index, delta: part.text }];
  const { text: delta, logprobs, annotations = [] } = part;
  return [
    { type: "text", at, part: index, delta, ...(logprobs === undefined ? {} : { logprobs }) },
    ...annotations.map((annotation): ModelEvent => ({ type: "annotation", at, part: index, annotation })),
  ];
}

function piece(type: "thought" | "summary", at: At): (delta: string, part: number) => ModelEvent {
  return (delta, part) => ({ type, at, part, delta });
}
