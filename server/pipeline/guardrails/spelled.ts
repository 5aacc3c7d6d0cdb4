/** A text in plain characters beside the text as it was written, and how places in the one are found in the other. */

/** A character that is written with more or fewer code units. */
export interface Shift {
  /** Where it stands in the plain form, as one character or none. */
  readonly at: number;
  readonly next: number;
  /** Behind it in the text. */
  readonly rawEnd: number;
}

export interface Spelled {
  readonly raw: string;
  /** The same with plain characters. */
  readonly plain: string;
  /** Where the lengths differ, in order. */
  readonly shifts: readonly Shift[];
  /** The plain form is the text itself. */
  readonly isPlain: boolean;
  /** Something in it was read that may be a part of another escape. */
  readonly mayNest: boolean;
  /** Code units of the longest spelling of a character. */
  readonly longest: number;
  /** Position behind which the text may become something else with the next characters. */
  readonly settled: number;
  /** The plain form of what is before that position. */
  readonly settledPlain: string;
}

/** How many of the shifts, which are in order, hold. */
export function countWhile(shifts: readonly Shift[], holds: (shift: Shift) => boolean): number {
  const last = shifts.at(-1);
  // Mostly the end of a text is asked for.
  if (last === undefined || holds(last)) return shifts.length;
  let [low, high] = [0, shifts.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    const shift = shifts[middle];
    if (shift !== undefined && holds(shift)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The place in the plain form of the first character that begins at a place in the text, or behind it. */
export function toPlain({ shifts }: Pick<Spelled, "shifts">, position: number): number {
  if (shifts.length === 0) return position;
  const before = countWhile(shifts, ({ rawEnd }) => rawEnd <= position);
  const [shift, following] = [shifts[before - 1], shifts[before]];
  const plain = shift === undefined ? position : shift.next + position - shift.rawEnd;
  return following === undefined ? plain : Math.min(plain, following.next);
}

/** Where a character of the plain form begins in the text. */
export function toRawStart({ shifts }: Pick<Spelled, "shifts">, position: number): number {
  if (shifts.length === 0) return position;
  const shift = shifts[countWhile(shifts, ({ next }) => next <= position) - 1];
  return shift === undefined ? position : shift.rawEnd + position - shift.next;
}

/** Where the character before a place in the plain form ends in the text. */
export function toRawEnd({ shifts }: Spelled, position: number): number {
  const shift = shifts[countWhile(shifts, ({ at }) => at < position) - 1];
  return shift === undefined ? position : shift.rawEnd + position - shift.next;
}

/** Whether between two places of the plain form, or at one of them, something is written in another way. */
export function isShifted({ shifts }: Spelled, from: number, { to }: { readonly to: number }): boolean {
  const first = shifts[countWhile(shifts, ({ next }) => next < from)];
  return first !== undefined && first.at <= to;
}

/** A text in plain characters, of which the plain form was read again. */
export function composed(below: Spelled, above: Spelled): Spelled {
  const settled = Math.min(below.settledPlain.length, above.settled);
  return {
    raw: below.raw,
    plain: above.plain,
    ...composedShifts(below, above),
    isPlain: false,
    mayNest: true,
    settled: Math.min(below.settled, toRawStart(below, settled)),
    settledPlain: above.plain.slice(0, toPlain(above, settled)),
  };
}

function composedShifts(below: Spelled, { shifts }: Spelled): Pick<Spelled, "shifts" | "longest"> {
  if (shifts.length === 0) return { shifts: below.shifts, longest: below.longest };
  const all: Shift[] = [];
  let { longest } = below;
  let before = 0;
  let [next, rawEnd] = [0, 0];
  const takeBefore = (end: number) => {
    for (; before < below.shifts.length; before++) {
      const shift = below.shifts[before];
      if (shift === undefined || shift.next > end) return;
      const moved = next - rawEnd;
      all.push({ at: shift.at + moved, next: shift.next + moved, rawEnd: shift.rawEnd });
    }
  };
  for (const shift of shifts) {
    const start = rawEnd + shift.at - next;
    takeBefore(start);
    while ((below.shifts[before]?.at ?? Infinity) < shift.rawEnd) before++;
    ({ next, rawEnd } = shift);
    const end = toRawEnd(below, rawEnd);
    longest = Math.max(longest, end - toRawStart(below, start));
    all.push({ at: shift.at, next, rawEnd: end });
  }
  takeBefore(Infinity);
  return { shifts: all, longest };
}
