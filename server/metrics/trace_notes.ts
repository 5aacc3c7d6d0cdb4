/** Traces of requests that are over, until their receipts are counted. */

/** Receipts wait for a commit: a moment, or until the store is back. The oldest are forgotten then. */
const MOST = 10_000;

export class TraceNotes {
  readonly #ids = new Map<string, string>();

  /** The request of a generation is in a trace that is exported. */
  note(generation: string, traceId: string): void {
    const { value: oldest } = this.#ids.keys().next();
    if (oldest !== undefined && this.#ids.size >= MOST) this.#ids.delete(oldest);
    this.#ids.set(generation, traceId);
  }

  /** Its id, once; undefined where it is in none. */
  take(generation: string): string | undefined {
    const id = this.#ids.get(generation);
    if (id !== undefined) this.#ids.delete(generation);
    return id;
  }
}
