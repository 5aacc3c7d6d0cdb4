/**
 * Receipts in a file beside the store, for as long as the store cannot take them (promises M5). One line a receipt,
 * synced before anybody is told; read back before anything is admitted at the next start.
 */

import { type CloseEntry, type Entry, entrySchema } from "./entries.ts";

const FILE = "receipts.jsonl";

export class Spool {
  readonly #path: string;
  #last: Promise<void> = Promise.resolve();

  /** `folder` is made when missing. Throws what the file system says. */
  constructor(folder: string) {
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#path = `${folder}/${FILE}`;
  }

  /** Resolves when the entries are on the disk. */
  append(entries: readonly Entry[]): Promise<void> {
    // Begins on a line of its own, whatever a write that failed has left.
    const text = `\n${entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")}`;
    return this.#next(async () => {
      using file = await Deno.open(this.#path, { append: true, create: true, mode: 0o600 });
      const bytes = new TextEncoder().encode(text);
      for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
      await file.syncData();
    });
  }

  /** What is in the store is needed no more. */
  clear(): Promise<void> {
    return this.#next(async () => {
      try {
        using file = await Deno.open(this.#path, { write: true });
        await file.truncate(0);
        await file.syncData();
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    });
  }

  /** The receipts that earlier runs have left. A line that is not whole was promised to nobody. */
  read(): readonly CloseEntry[] {
    let text: string;
    try {
      text = Deno.readTextFileSync(this.#path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
    return text.split("\n").flatMap(entriesOf);
  }

  #next(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {
      // A failure is told to whoever asked; the next one has its own try.
    });
    return done;
  }
}

function entriesOf(line: string): readonly CloseEntry[] {
  if (line === "") return [];
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    // Cut off by a crash or a full disk before it was synced.
    return [];
  }
  const entry = entrySchema.parse(json);
  return entry.type === "close" ? [entry] : [];
}
