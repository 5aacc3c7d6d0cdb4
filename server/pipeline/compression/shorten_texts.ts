/** Shortens the longest texts so that all of them together fit. */

import type { Work } from "../../../shared/util/run_work.ts";
import type { Item } from "../../protocols/canonical/item.ts";
import type { TextSlot } from "./counted_unit.ts";
import { cutMiddle } from "./cut_text.ts";
import type { TokenMeasure } from "./token_measure.ts";

/** No text is cut to fewer tokens: less says nothing. */
export const LEAST_TEXT = 48;

/** Tokens that a joint between what stays and a mark may add. */
const JOINTS = 2;

/**
 * The most tokens that each text may keep, so that all of them are no more than `available`; undefined where that
 * would be too few. Texts are counted no further than that, so the work grows with what stays.
 */
export function* longestAllowed(slots: readonly TextSlot[], available: number): Work<number | undefined> {
  let open = slots;
  let left = available;
  while (open.length > 0) {
    const level = Math.floor(left / open.length);
    if (level < 0) return undefined;
    const longer: TextSlot[] = [];
    for (const slot of open) {
      if (yield* slot.counted.exceeds(level)) longer.push(slot);
      else left -= slot.counted.tokens;
      yield;
    }
    if (longer.length === open.length) return level < LEAST_TEXT ? undefined : level;
    open = longer;
  }
  return Infinity;
}

interface Shortening {
  /** Most tokens of a text. */
  readonly level: number;
  readonly measure: TokenMeasure;
}

/** The items whose texts are longer than `level` tokens, by the item that each stands for. */
export function* shortenTexts(
  slots: readonly TextSlot[],
  { level, measure }: Shortening,
): Work<ReadonlyMap<Item, Item>> {
  const changed = new Map<Item, Item>();
  for (const { item, part, counted } of slots) {
    if (!(yield* counted.exceeds(level))) continue;
    const text = yield* cutMiddle(counted.text, { tokens: level - JOINTS, measure });
    changed.set(item, withText(changed.get(item) ?? item, { part, text }));
    yield;
  }
  return changed;
}

interface NewText {
  readonly part: number | undefined;
  readonly text: string;
}

function withText(item: Item, { part, text }: NewText): Item {
  if (item.type === "result" && typeof item.output === "string") return { ...item, output: text };
  if (item.type === "result" && typeof item.output !== "string") {
    return { ...item, output: item.output.map((one, at) => at === part ? withPartText(one, text) : one) };
  }
  if (item.type !== "message") return item;
  return { ...item, parts: item.parts.map((one, at) => at === part ? withPartText(one, text) : one) };
}

type Part = Extract<Item, { readonly type: "message" }>["parts"][number];

/** Citations and probabilities are of places that are gone. */
function withPartText(part: Part, text: string): Part {
  if (part.type !== "text") return part;
  const { annotations: _annotations, logprobs: _logprobs, ...kept } = part;
  return { ...kept, text };
}
