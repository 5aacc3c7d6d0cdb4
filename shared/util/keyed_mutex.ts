/** One at a time for each name: for what reads a row, reckons and writes it. */

export class KeyedMutex {
  // deno-lint-ignore tollgate/kept-promises -- it holds ends, none of which rejects
  readonly #last = new Map<string, Promise<void>>();

  /** Runs `work` when all that was handed in before under this name is over. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const running = (this.#last.get(name) ?? Promise.resolve()).then(work);
    const over = running.then(() => {}, () => {
      // Told to everyone who asked; the next one has its own try.
    });
    this.#last.set(name, over);
    try {
      return await running;
    } finally {
      if (this.#last.get(name) === over) this.#last.delete(name);
    }
  }
}
