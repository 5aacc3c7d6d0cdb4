/** Compares lines: the shortest way from one list to another (Myers, 1986). */

export interface Change {
  /** Lines that go: from (included) and to (not), counted from 0. */
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

type Lines = readonly string[];

interface Sides {
  readonly a: Lines;
  readonly b: Lines;
}

/** Furthest places by diagonal, for each number of edits. */
function trace({ a, b }: Sides): readonly ReadonlyMap<number, number>[] {
  const steps: ReadonlyMap<number, number>[] = [];
  let furthest = new Map([[1, 0]]);
  for (let edits = 0; edits <= a.length + b.length; edits++) {
    steps.push(furthest);
    const next = new Map(furthest);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const [up, left] = [next.get(diagonal + 1) ?? -1, next.get(diagonal - 1) ?? -1];
      const isDown = diagonal === -edits || (diagonal !== edits && left < up);
      let x = isDown ? up : left + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      next.set(diagonal, x);
      if (x >= a.length && x - diagonal >= b.length) return [...steps, next];
    }
    furthest = next;
  }
  return steps;
}

/** Changes in their order. */
export function changesOf(sides: Sides): readonly Change[] {
  const steps = trace(sides);
  let [x, y] = [sides.a.length, sides.b.length];
  const edits: { readonly isDown: boolean; readonly x: number; readonly y: number }[] = [];
  for (let count = steps.length - 2; count > 0; count--) {
    const before = steps[count] ?? new Map<number, number>();
    const diagonal = x - y;
    const [up, left] = [before.get(diagonal + 1) ?? -1, before.get(diagonal - 1) ?? -1];
    const isDown = diagonal === -count || (diagonal !== count && left < up);
    x = isDown ? up : left;
    y = x - (isDown ? diagonal + 1 : diagonal - 1);
    edits.unshift({ isDown, x, y });
  }
  const changes: Change[] = [];
  for (const { isDown, x: oldFrom, y: newFrom } of edits) {
    const last = changes.at(-1);
    const [oldTo, newTo] = [oldFrom + (isDown ? 0 : 1), newFrom + (isDown ? 1 : 0)];
    const isNext = last !== undefined && last.oldTo === oldFrom && last.newTo === newFrom;
    if (isNext) changes.splice(-1, 1, { ...last, oldTo, newTo });
    else changes.push({ oldFrom, oldTo, newFrom, newTo });
  }
  return changes;
}
