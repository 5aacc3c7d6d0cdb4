/** Stretches of texts of items that have become something else behind the item's own filters. */

import type { ItemDoneEvent, ItemKey, TextEvent } from "../../../protocols/canonical/event.ts";
import type { ContentPart, OutputItem } from "../../../protocols/canonical/item.ts";

export interface Stretch {
  readonly kind: TextEvent["type"];
  /** The number of the text among those of its kind. */
  readonly place: number;
  /** Where it begins in the text. */
  readonly offset: number;
  before: string;
  after: string;
}

export class ChangedTexts {
  readonly #stretches = new Map<ItemKey, Stretch[]>();

  add(itemKey: ItemKey, stretch: Stretch): Stretch {
    const known = this.#stretches.get(itemKey);
    if (known === undefined) this.#stretches.set(itemKey, [stretch]);
    else known.push(stretch);
    return stretch;
  }

  /** The end of an item, with its texts as they went on. */
  complete(event: ItemDoneEvent): ItemDoneEvent {
    const stretches = this.#stretches.get(event.itemKey);
    this.#stretches.delete(event.itemKey);
    const changed = stretches?.filter(({ before, after }) => before !== after).reverse() ?? [];
    const { item } = event;
    return item === undefined || changed.length === 0 ? event : { ...event, item: withTexts(item, changed) };
  }
}

function withTexts(item: OutputItem, changed: readonly Stretch[]): OutputItem {
  if (item.type === "message") {
    let place = -1;
    const parts = item.parts.map((part): ContentPart => {
      if (part.type !== "text" && part.type !== "refusal") return part;
      place++;
      const text = applied(part.text, changed.filter((stretch) => stretch.place === place));
      if (text === part.text) return part;
      // Places in the text and likelihoods of its tokens are of the text as it was.
      return part.type === "text"
        ? { ...part, text, annotations: undefined, logprobs: undefined }
        : { ...part, text };
    });
    return { ...item, parts };
  }
  if (item.type !== "reasoning") return item;
  const written = (texts: readonly string[], kind: Stretch["kind"]) =>
    texts.map((text, place) =>
      applied(text, changed.filter((one) => one.kind === kind && one.place === place))
    );
  const content = written(item.content, "thought");
  const summary = written(item.summary, "summary");
  // A signature is of the texts as they were.
  return { ...item, content, summary, signature: undefined };
}

/** The last stretch comes first. A text that was told otherwise than it was said stays. */
const applied = (text: string, changed: readonly Stretch[]): string =>
  changed.reduce(
    (whole, { offset, before, after }) =>
      whole.startsWith(before, offset)
        ? whole.slice(0, offset) + after + whole.slice(offset + before.length)
        : whole,
    text,
  );
