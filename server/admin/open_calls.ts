/** Which calls of a key are under way in this process, so that disabling it can end them when asked to. */

export class OpenCalls {
  readonly #calls = new Map<string, Set<() => void>>();

  /** `end` is called at most once and must not throw. The function given back forgets it; harmless twice. */
  add(keyHash: string, end: () => void): () => void {
    const calls = this.#calls.get(keyHash) ?? new Set();
    this.#calls.set(keyHash, calls.add(end));
    return () => {
      calls.delete(end);
      if (calls.size === 0 && this.#calls.get(keyHash) === calls) this.#calls.delete(keyHash);
    };
  }

  /** Ends every call of the key and says how many there were. */
  end(keyHash: string): number {
    const calls = this.#calls.get(keyHash) ?? new Set();
    this.#calls.delete(keyHash);
    for (const end of calls) end();
    return calls.size;
  }

  /** The keys that have calls under way. */
  keys(): readonly string[] {
    return [...this.#calls.keys()];
  }
}
