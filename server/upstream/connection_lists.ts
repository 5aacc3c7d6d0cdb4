/** Lists by key; one that is empty takes no room. */
export class Lists<Item> {
  readonly #lists = new Map<string, Item[]>();

  add(key: string, item: Item): void {
    const list = this.#lists.get(key);
    if (list === undefined) this.#lists.set(key, [item]);
    else list.push(item);
  }

  /** The item that was added last. */
  last(key: string): Item | undefined {
    return this.#lists.get(key)?.at(-1);
  }

  /** Harmless for one that is not there. */
  remove(key: string, item: Item): void {
    const list = this.#lists.get(key);
    const position = list?.lastIndexOf(item) ?? -1;
    if (list === undefined || position === -1) return;
    list.splice(position, 1);
    if (list.length === 0) this.#lists.delete(key);
  }
}
