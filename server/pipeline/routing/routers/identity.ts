/** Numbers for objects, so that what was computed for some of them can be found again by a text. */

const numbers = new WeakMap<object, number>();
let count = 0;

/** The same number for the same object; 0 for none. */
export function identityOf(value: object | undefined): number {
  if (value === undefined) return 0;
  const known = numbers.get(value);
  if (known !== undefined) return known;
  count += 1;
  numbers.set(value, count);
  return count;
}

/** A map of the latest entries: the oldest one goes when there are too many. */
export class RecentMap<Value> {
  readonly #most: number;
  readonly #entries = new Map<string, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: Value): Value {
    this.#entries.set(key, value);
    if (this.#entries.size > this.#most) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    return value;
  }
}
