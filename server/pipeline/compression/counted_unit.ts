/** The tokens of an item and of a unit: of their texts, of what is no text, and of the frame around each item. */

import type { Work } from "../../../shared/util/run_work.ts";
import { estimateMedia } from "../../billing/pricing/media_estimate.ts";
import { mediaPartsOf } from "../../billing/pricing/request_media.ts";
import { tokensOfBytes } from "../../billing/pricing/text_sample.ts";
import { ITEM_TOKENS, itemParts, itemWords } from "../../billing/pricing/token_texts.ts";
import type { Item } from "../../protocols/canonical/item.ts";
import type { ConversationUnit } from "./conversation_units.ts";
import { CountedText, type TokenMeasure } from "./token_measure.ts";

/** A text that may lose its middle, and where it stands. */
export interface TextSlot {
  readonly item: Item;
  /** Place among the item's parts; undefined for a result that is one text. */
  readonly part: number | undefined;
  readonly counted: CountedText;
}

/** Around an item, with its role. */
const FRAME_TOKENS = ITEM_TOKENS + 1;

interface CountedItem {
  /** Tokens that are no text. */
  readonly fixed: number;
  /** Texts that stay as they are, such as the arguments of calls and thoughts. */
  readonly words: readonly CountedText[];
  readonly slots: readonly TextSlot[];
}

/** Counts the items of one model, each once: a loop of tools brings them back every turn. */
export class ItemCounter {
  readonly measure: TokenMeasure;
  readonly model: string;
  readonly #known = new WeakMap<Item, CountedItem>();

  /** `model`: the provider's name of the model. */
  constructor(measure: TokenMeasure, model: string) {
    this.measure = measure;
    this.model = model;
  }

  count(item: Item): CountedItem {
    const known = this.#known.get(item);
    if (known !== undefined) return known;
    const counted = countItem(item, this);
    this.#known.set(item, counted);
    return counted;
  }
}

function countItem(item: Item, { measure, model }: ItemCounter): CountedItem {
  const opaque = item.type === "reasoning" ? tokensOfBytes(item.encrypted?.length ?? 0) : 0;
  const words = wordsOf(item).map((text) => new CountedText(text, measure));
  return { fixed: FRAME_TOKENS + opaque + mediaTokens(item, model), words, slots: slotsOf(item, measure) };
}

function mediaTokens(item: Item, model: string): number {
  const { imageTokens, audioTokens, otherTokens } = estimateMedia(mediaPartsOf({ input: [item] }), { model });
  return imageTokens + audioTokens + otherTokens;
}

function wordsOf(item: Item): readonly string[] {
  const isPlain = item.type === "result" || item.type === "message";
  const words = isPlain ? [] : itemWords(item);
  const others = itemParts(item).flatMap((part) => {
    if (part.type === "refusal") return [part.text];
    return part.type === "foreign" ? [part.textFallback ?? JSON.stringify(part.value)] : [];
  });
  return [...words, ...others];
}

function slotsOf(item: Item, measure: TokenMeasure): readonly TextSlot[] {
  if (item.type === "result" && typeof item.output === "string") {
    return [{ item, part: undefined, counted: new CountedText(item.output, measure) }];
  }
  return itemParts(item).flatMap((part, at) =>
    part.type === "text" ? [{ item, part: at, counted: new CountedText(part.text, measure) }] : []
  );
}

/** A unit with its counts; nothing is counted ahead. */
export class CountedUnit {
  readonly unit: ConversationUnit;
  readonly #items: readonly CountedItem[];

  constructor(unit: ConversationUnit, counter: ItemCounter) {
    this.unit = unit;
    this.#items = unit.items.map((item) => counter.count(item));
  }

  /** Texts that may be shortened; instructions are none of them. */
  get slots(): readonly TextSlot[] {
    return this.unit.isWhole ? [] : this.#items.flatMap(({ slots }) => slots);
  }

  get #fixed(): number {
    return this.#items.reduce((sum, { fixed }) => sum + fixed, 0);
  }

  /** Tokens that it cannot be more than, by the length of its texts. */
  bound(exact: number | undefined): number {
    return this.#texts(true).reduce((sum, text) => sum + text.bound(exact), this.#fixed);
  }

  /** Tokens of the unit; some number above `most` where there are more. `withSlots`: with texts that may be shortened. */
  *tokens(most: number, { withSlots = true }: { readonly withSlots?: boolean } = {}): Work<number> {
    let sum = this.#fixed;
    for (const text of this.#texts(withSlots)) {
      if (sum > most) return sum;
      yield* text.exceeds(most - sum);
      sum += text.tokens;
    }
    return sum;
  }

  #texts(withSlots: boolean): readonly CountedText[] {
    const keepsTexts = withSlots || this.unit.isWhole;
    return this.#items.flatMap(({ words, slots }) =>
      keepsTexts ? [...words, ...slots.map(({ counted }) => counted)] : words
    );
  }
}
