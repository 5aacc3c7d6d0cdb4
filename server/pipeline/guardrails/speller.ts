/** Reads texts in plain characters. An escape may be written with other escapes, so what was read is read again. */

import { settledOf } from "./settled_text.ts";
import { composed, countWhile, type Spelled, toPlain, toRawEnd, toRawStart } from "./spelled.ts";

/** Spellings that are not plain, and how each becomes plain. */
export interface Spelling {
  readonly strange: RegExp;
  readonly plainOf: (spelled: string) => string;
  /** Whether a tab is a space. */
  readonly readsTabs: boolean;
}

/** Escapes that are written with others, as `\u002540` is: `%40`. */
export interface NestedEscapes {
  readonly escapes: RegExp;
  /** `signLength`: code units with which its first sign is written. */
  readonly plainOf: (escape: string, signLength: number) => string;
  /** Code units with which one character may be written. More are text. */
  readonly longest: number;
}

/** How often a text is read: an escape within three others is one. */
export const MOST_READINGS = 4;

const nothing: Spelled = {
  raw: "",
  plain: "",
  shifts: [],
  isPlain: true,
  mayNest: false,
  longest: 1,
  settled: 0,
  settledPlain: "",
};

/** Keeps the text that was read last: many filters read one after the other, and a stream's text grows. */
class TextReader {
  readonly #strange: RegExp;
  readonly #readsTabs: boolean;
  #last = nothing;
  /** The part of the last text that more text does not change. */
  #certain = "";

  constructor(strange: RegExp, readsTabs: boolean) {
    this.#strange = strange;
    this.#readsTabs = readsTabs;
  }

  /** Behind `certain` the text may become another one. */
  read(raw: string, { certain, plainOf }: Reading): Spelled {
    const isKnown = this.#certain !== "" && raw.slice(0, this.#certain.length) === this.#certain;
    this.#last = this.#goOn(raw, { known: isKnown ? this.#last : nothing, certain, plainOf });
    this.#certain = certain;
    return this.#last;
  }

  #goOn(raw: string, { known, certain, plainOf }: Reading & { readonly known: Spelled }): Spelled {
    const settled = settledOf(certain);
    if (known.isPlain && this.#isPlain(raw, known.settled)) {
      const settledPlain = raw.slice(0, settled);
      return { ...nothing, raw, plain: raw, settled, settledPlain };
    }
    const shifts = known.shifts.slice(0, countWhile(known.shifts, ({ rawEnd }) => rawEnd <= known.settled));
    let plain = known.settledPlain;
    let position = known.settled;
    let { mayNest, longest } = known;
    this.#strange.lastIndex = position;
    for (let found = this.#strange.exec(raw); found !== null; found = this.#strange.exec(raw)) {
      const [spelled] = found;
      const character = plainOf(spelled, found.index);
      plain += this.#written(raw.slice(position, found.index)) + character;
      position = found.index + spelled.length;
      mayNest ||= isOfEscape(character);
      if (character.length === spelled.length) continue;
      longest = Math.max(longest, spelled.length);
      shifts.push({ at: plain.length - character.length, next: plain.length, rawEnd: position });
    }
    plain += this.#written(raw.slice(position));
    const settledPlain = plain.slice(0, toPlain({ shifts }, settled));
    return { raw, plain, shifts, isPlain: false, mayNest, longest, settled, settledPlain };
  }

  #isPlain(raw: string, from: number): boolean {
    this.#strange.lastIndex = from;
    return !this.#strange.test(raw) && !(this.#readsTabs && raw.includes("\t", from));
  }

  #written(text: string): string {
    return this.#readsTabs && text.includes("\t") ? text.replaceAll("\t", " ") : text;
  }
}

interface Reading {
  readonly certain: string;
  /** `at`: where the spelling stands in the text that is read. */
  readonly plainOf: (spelled: string, at: number) => string;
}

/** With what an escape begins. */
const sign = /[%&\\]/;
/** Whether a character, or none, may stand in an escape. */
const isOfEscape = (character: string): boolean => character === "" || /[%&\\#;\w]/.test(character);

export class Speller {
  readonly #spelling: Spelling;
  readonly #nested: NestedEscapes;
  readonly #reader: TextReader;
  readonly #again: readonly TextReader[];
  #last = nothing;

  constructor(spelling: Spelling, nested: NestedEscapes) {
    this.#spelling = spelling;
    this.#nested = nested;
    this.#reader = new TextReader(spelling.strange, spelling.readsTabs);
    this.#again = Array.from({ length: MOST_READINGS - 1 }, () => new TextReader(nested.escapes, false));
  }

  spell(raw: string): Spelled {
    if (raw !== this.#last.raw) this.#last = this.#read(raw);
    return this.#last;
  }

  #read(raw: string): Spelled {
    let spelled = this.#reader.read(raw, { certain: raw, plainOf: this.#spelling.plainOf });
    if (!spelled.mayNest) return spelled;
    for (const reader of this.#again) {
      if (!sign.test(spelled.plain)) break;
      const again = reader.read(spelled.plain, readingOf(spelled, this.#nested));
      spelled = composed(spelled, again);
      if (!again.mayNest) break;
    }
    return spelled;
  }
}

function readingOf(below: Spelled, { plainOf, longest }: NestedEscapes): Reading {
  const lengthOf = (start: number, end: number) => toRawEnd(below, end) - toRawStart(below, start);
  return {
    certain: below.settledPlain,
    plainOf: (escape, at) =>
      lengthOf(at, at + escape.length) > longest ? escape : plainOf(escape, lengthOf(at, at + 1)),
  };
}
