/** Shortens the longest texts so that all of them together fit. */

import type { Work } from "../../../shared/util/run_work.ts";
import type { ContentPart, Item } from "../../protocols/canonical/item.ts";
import type { TextSlot } from "./counted_unit.ts";
import { cutMiddle } from "./cut_text.ts";
import { CountedText, type TokenMeasure } from "./token_measure.ts";

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
  const texts = new Map<Item, Map<number | undefined, string>>();
  for (const { item, part, counted } of slots) {
    if (!(yield* counted.exceeds(level))) continue;
    const text = yield* cutWithin(counted.text, { level, measure });
    const known = texts.get(item);
    if (known === undefined) texts.set(item, new Map([[part, text]]));
    else known.set(part, text);
    yield;
  }
  return new Map([...texts].map(([item, all]) => [item, withTexts(item, all)]));
}

/** Share of its tokens that a text gets in the next try. */
const NEXT_TRY = 0.97;

/** Counted as a whole, with the mark between what stays, a text may have a few tokens more than its parts. */
function* cutWithin(text: string, { level, measure }: Shortening): Work<string> {
  for (let tokens = level - JOINTS;; tokens = Math.floor(tokens * NEXT_TRY) - 1) {
    const cut = yield* cutMiddle(text, { tokens, measure });
    const isTooLong = yield* new CountedText(cut, measure).exceeds(level);
    if (!isTooLong || tokens <= 0) return cut;
  }
}

/** By the places of its parts; undefined: a result that is one text. */
type NewTexts = ReadonlyMap<number | undefined, string>;

function withTexts(item: Item, texts: NewTexts): Item {
  if (item.type === "message") return { ...item, parts: partsWith(item.parts, texts) };
  if (item.type !== "result") return item;
  const { output } = item;
  return {
    ...item,
    output: typeof output === "string" ? texts.get(undefined) ?? output : partsWith(output, texts),
  };
}

/** Citations and probabilities are of places that are gone. */
function partsWith(parts: readonly ContentPart[], texts: NewTexts): readonly ContentPart[] {
  return parts.map((part, at) => {
    const text = texts.get(at);
    if (text === undefined || part.type !== "text") return part;
    const { annotations: _annotations, logprobs: _logprobs, ...kept } = part;
    return { ...kept, text };
  });
}
