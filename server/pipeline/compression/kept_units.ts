/** Which parts of a conversation stay: whole ones from both ends, or the newest. */

import type { Work } from "../../../shared/util/run_work.ts";
import type { CountedUnit } from "./counted_unit.ts";

type Units = readonly CountedUnit[];

interface KeepOptions {
  /** Parts that stay in any case. */
  readonly required: ReadonlySet<CountedUnit>;
  /** Tokens of all that stays. */
  readonly tokens: number;
  /** Messages of all that stays. */
  readonly messages: number;
}

/** A side from which parts are kept, and what it has so far. */
interface Side {
  at: number;
  readonly step: 1 | -1;
  tokens: number;
  messages: number;
  isOpen: boolean;
}

/**
 * As many parts from the beginning as from the end, by their tokens, so that the middle is left out. Undefined where
 * not even those fit that have to stay. No more is counted than stays.
 */
export function* keepEnds(units: Units, options: KeepOptions): Work<Units | undefined> {
  const room = new Room(options);
  if (!(yield* room.takeAll(options.required))) return undefined;
  const kept = new Set(options.required);
  const first: Side = { at: 0, step: 1, tokens: 0, messages: 0, isOpen: true };
  const last: Side = { at: units.length - 1, step: -1, tokens: 0, messages: 0, isOpen: true };
  while (first.at <= last.at && (first.isOpen || last.isOpen)) {
    const side = nextSide(first, last);
    const unit = units[side.at];
    if (unit === undefined) break;
    const isRequired = options.required.has(unit);
    const isHalf = side.messages + unit.unit.messages > Math.floor(options.messages / 2);
    const stays = isRequired || (!isHalf && (yield* room.take(unit)));
    if (!stays) {
      side.isOpen = false;
      continue;
    }
    kept.add(unit);
    side.tokens += yield* unit.tokens(Infinity);
    side.messages += unit.unit.messages;
    side.at += side.step;
    yield;
  }
  return units.filter((unit) => kept.has(unit));
}

function nextSide(first: Side, last: Side): Side {
  if (!first.isOpen) return last;
  return !last.isOpen || first.tokens <= last.tokens ? first : last;
}

/** As many of the newest parts as fit. Undefined where not even those fit that have to stay. */
export function* keepNewest(units: Units, options: KeepOptions): Work<Units | undefined> {
  const room = new Room(options);
  if (!(yield* room.takeAll(options.required))) return undefined;
  const kept = new Set(options.required);
  for (const unit of units.toReversed()) {
    if (kept.has(unit)) continue;
    if (!(yield* room.take(unit))) break;
    kept.add(unit);
    yield;
  }
  return units.filter((unit) => kept.has(unit));
}

/** Keeps count of the limits that are left. */
class Room {
  #tokens: number;
  #messages: number;

  constructor({ tokens, messages }: KeepOptions) {
    this.#tokens = tokens;
    this.#messages = messages;
  }

  /** Whether all of them fit. */
  *takeAll(units: Iterable<CountedUnit>): Work<boolean> {
    for (const unit of units) {
      if (!(yield* this.take(unit))) return false;
      yield;
    }
    return true;
  }

  *take(unit: CountedUnit): Work<boolean> {
    const { messages } = unit.unit;
    if (messages > this.#messages) return false;
    const tokens = yield* unit.tokens(this.#tokens);
    if (tokens > this.#tokens) return false;
    this.#tokens -= tokens;
    this.#messages -= messages;
    return true;
  }
}
