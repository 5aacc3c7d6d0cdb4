/**
 * Shortens a conversation so that it fits into a model's context. Pure: equal input gives equal output, which keeps
 * prompt caches warm. Nothing is counted that cannot stay, so the work grows with the context and not with the input.
 */

import type { Work } from "../../../shared/util/run_work.ts";
import { tokenTexts } from "../../billing/pricing/token_texts.ts";
import type { Item } from "../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { CompressionMode } from "./compression_mode.ts";
import type { InputLimits } from "./context_limits.ts";
import { conversationUnits, countListed, countMessages } from "./conversation_units.ts";
import { CountedUnit, type ItemCounter, type TextSlot } from "./counted_unit.ts";
import { keepEnds, keepNewest } from "./kept_units.ts";
import { LEAST_TEXT, longestAllowed, shortenTexts } from "./shorten_texts.ts";
import { CountedText } from "./token_measure.ts";

interface CompressionInput {
  readonly request: ModelRequest;
  readonly mode: CompressionMode;
  readonly limits: InputLimits;
  readonly counter: ItemCounter;
}

export type Compression =
  | { readonly type: "fits" }
  | { readonly type: "too_long" }
  | {
    readonly type: "compressed";
    readonly request: ModelRequest;
    /** Numbers of messages as clients write them. */
    readonly original: number;
    readonly compressed: number;
    /** Texts that lost their middle. */
    readonly shortened: number;
  };

type Units = readonly CountedUnit[];

const fits: Compression = { type: "fits" };
const tooLong: Compression = { type: "too_long" };

export function* compressRequest(input: CompressionInput): Work<Compression> {
  const { request, mode, limits, counter } = input;
  const units = yield* countUnits(request.input, counter);
  const rest = restTexts(request, counter);
  const isFew = hasFewMessages(request, limits);
  if (isFew && (yield* isWithin({ units, rest }, limits.tokens))) return fits;
  const used = yield* tokensOf(rest, limits.tokens);
  if (used > limits.tokens) return tooLong;
  const room = { ...limits, tokens: limits.tokens - used };
  if (mode === "oldest-first") {
    const required = new Set([...anchors(units, { first: false }), ...units.slice(-1)]);
    return compressed(input, { kept: yield* keepNewest(units, { ...room, required }) });
  }
  const few = isFew ? units : yield* keepEnds(units, {
    required: anchors(units, { first: true }),
    tokens: Infinity,
    messages: limits.messages,
  });
  return few === undefined ? tooLong : yield* middleOut(input, { units: few, tokens: room.tokens });
}

/** Whether a request fits whatever its texts are: no text has more tokens than bytes. Nothing is counted. */
export function* fitsByLength({ request, limits, counter }: Omit<CompressionInput, "mode">): Work<boolean> {
  if (!hasFewMessages(request, limits)) return false;
  const units = yield* countUnits(request.input, counter);
  return yield* isShort({ units, rest: restTexts(request, counter) }, limits.tokens);
}

const hasFewMessages = ({ input }: ModelRequest, { messages }: InputLimits): boolean =>
  input.length <= messages || countMessages(input) <= messages;

/** Tokens of a whole request, no further than a little above `most`. */
export function* countRequest(
  { request, counter }: Pick<CompressionInput, "request" | "counter">,
  most: number,
): Work<number> {
  const units = yield* countUnits(request.input, counter);
  return yield* sumTokens({ units, rest: restTexts(request, counter) }, most);
}

function* countUnits(items: readonly Item[], counter: ItemCounter): Work<Units> {
  const units: CountedUnit[] = [];
  for (const unit of yield* conversationUnits(items)) {
    units.push(new CountedUnit(unit, counter));
    yield;
  }
  return units;
}

/** Tokens that are sent beside the conversation. */
interface Rest {
  readonly fixed: number;
  readonly texts: readonly CountedText[];
}

function restTexts(request: ModelRequest, { measure }: ItemCounter): Rest {
  const { texts, besides } = tokenTexts({ ...request, input: [] });
  return { fixed: besides, texts: texts.map((text) => new CountedText(text, measure)) };
}

function* tokensOf({ fixed, texts }: Rest, most: number): Work<number> {
  let sum = fixed;
  for (const text of texts) {
    if (sum > most) return sum;
    yield* text.exceeds(most - sum);
    sum += text.tokens;
  }
  return sum;
}

interface Whole {
  readonly units: Units;
  readonly rest: Rest;
}

/** By the length of the texts where that is enough to know, else by counting them. */
function* isWithin(whole: Whole, most: number): Work<boolean> {
  return (yield* isShort(whole, most)) || (yield* sumTokens(whole, most)) <= most;
}

function* isShort({ units, rest }: Whole, most: number): Work<boolean> {
  for (const exact of [undefined, most]) {
    let bound = rest.texts.reduce((sum, text) => sum + text.bound(exact), rest.fixed);
    for (const unit of units) {
      bound += unit.bound(exact);
      if (bound > most) break;
      yield;
    }
    if (bound <= most) return true;
  }
  return false;
}

/** The newest first: they are those that stay, so what is counted of them is needed in any case. */
function* sumTokens({ units, rest }: Whole, most: number): Work<number> {
  let sum = yield* tokensOf(rest, most);
  for (const unit of units.toReversed()) {
    if (sum > most) return sum;
    sum += yield* unit.tokens(most - sum);
    yield;
  }
  return sum;
}

/** Parts that no request can do without: instructions, the user's first message and the last. */
function anchors(units: Units, { first }: { readonly first: boolean }): Set<CountedUnit> {
  const users = units.filter(({ unit }) => unit.isUser);
  const instructions = units.filter(({ unit }) => unit.isInstruction);
  return new Set([...instructions, ...(first ? users.slice(0, 1) : []), ...users.slice(-1)]);
}

interface MiddleOut {
  readonly units: Units;
  /** Tokens of the conversation, at most. */
  readonly tokens: number;
}

function* middleOut(input: CompressionInput, { units, tokens }: MiddleOut): Work<Compression> {
  const fixed = anchors(units, { first: true });
  const required = new Set([...fixed, ...newestQuarter(units)]);
  const kept = yield* keepEnds(units, { required, tokens, messages: Infinity });
  if (kept !== undefined) return compressed(input, { kept });
  for (const last of units.slice(-1)) fixed.add(last);
  const left = units.filter((unit) => required.has(unit));
  return yield* shorten(input, { units: yield* withoutOldest(left, { fixed, tokens }), tokens });
}

/** The newest quarter of the items, and what belongs to it. */
function newestQuarter(units: Units): Units {
  const count = units.reduce((sum, { unit }) => sum + unit.items.length, 0);
  let seen = 0;
  return units.filter(({ unit }) => {
    seen += unit.items.length;
    return seen > count - Math.ceil(count / 4);
  });
}

interface Reduction {
  readonly fixed: ReadonlySet<CountedUnit>;
  readonly tokens: number;
}

/** The parts that fit with every text as short as it may be, without the oldest where these are too many. */
function* withoutOldest(units: Units, { fixed, tokens }: Reduction): Work<Units> {
  const sizes = new Map<CountedUnit, number>();
  for (const unit of units) {
    let size = yield* unit.tokens(tokens, { withSlots: false });
    for (const { counted } of unit.slots) {
      size += (yield* counted.exceeds(LEAST_TEXT)) ? LEAST_TEXT : counted.tokens;
    }
    sizes.set(unit, size);
    yield;
  }
  let sum = [...sizes.values()].reduce((all, size) => all + size, 0);
  return units.filter((unit) => {
    if (sum <= tokens || fixed.has(unit)) return true;
    sum -= sizes.get(unit) ?? 0;
    return false;
  });
}

function* shorten(input: CompressionInput, { units, tokens }: MiddleOut): Work<Compression> {
  const slots: readonly TextSlot[] = units.flatMap((unit) => unit.slots);
  let left = tokens;
  for (const unit of units) {
    left -= yield* unit.tokens(Math.max(0, left), { withSlots: false });
    if (left < 0) return tooLong;
  }
  const level = yield* longestAllowed(slots, left);
  if (level === undefined) return tooLong;
  const changed = yield* shortenTexts(slots, { level, measure: input.counter.measure });
  return compressed(input, { kept: units, changed });
}

interface Kept {
  readonly kept: Units | undefined;
  readonly changed?: ReadonlyMap<Item, Item>;
}

function compressed({ request }: CompressionInput, { kept, changed }: Kept): Compression {
  if (kept === undefined) return tooLong;
  const items = kept.flatMap(({ unit }) => unit.items).map((item) => changed?.get(item) ?? item);
  return {
    type: "compressed",
    request: { ...request, input: items },
    original: countListed(request.input),
    compressed: countListed(items),
    shortened: changed?.size ?? 0,
  };
}
