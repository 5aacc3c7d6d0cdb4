/** List of what is under way at the moment, where very much comes and goes. */

/** Between those before and after it; linked to itself once it has left. */
class InternalNode<T> {
  value: T | undefined;
  before: InternalNode<T> = this;
  after: InternalNode<T> = this;

  constructor(value: T | undefined) {
    this.value = value;
  }
}

/** The place of something that has entered; good for leaving once. */
export type ListNode<T> = InternalNode<T>;

/**
 * Its members in the order in which they came. Instead of a `Set`: one that is added to and deleted from all the time
 * is built anew every few dozen times, and V8 keeps what stood in all of its earlier tables alive until the next full
 * collection, because each of them points to the next one. A request's whole
 * garbage was copied twice for that, and took a third of the time that the request took.
 */
export class LinkedList<T> {
  /** Between the last and the first. */
  readonly #gap = new InternalNode<T>(undefined);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The one that came first of all that are here. */
  get first(): T | undefined {
    return this.#gap.after.value;
  }

  /** Comes in as the last one. */
  add(value: T): ListNode<T> {
    const node = new InternalNode<T>(value);
    const last = this.#gap.before;
    node.before = last;
    node.after = this.#gap;
    last.after = node;
    this.#gap.before = node;
    this.#size++;
    return node;
  }

  /** False when it has left before. */
  remove(node: ListNode<T>): boolean {
    if (node.value === undefined) return false;
    node.before.after = node.after;
    node.after.before = node.before;
    node.before = node;
    node.after = node;
    node.value = undefined;
    this.#size--;
    return true;
  }

  /** One after another; the one in hand must not leave before the next is asked for. */
  *[Symbol.iterator](): Generator<T, void> {
    for (let node = this.#gap.after; node.value !== undefined; node = node.after) yield node.value;
  }

  /** All that are here at this moment; who leaves or enters meanwhile changes nothing. */
  all(): T[] {
    return [...this];
  }

  /** Lists the values that fit, with their places. */
  where(fits: (value: T) => boolean): ListNode<T>[] {
    const found: ListNode<T>[] = [];
    for (let node = this.#gap.after; node.value !== undefined; node = node.after) {
      if (fits(node.value)) found.push(node);
    }
    return found;
  }
}
