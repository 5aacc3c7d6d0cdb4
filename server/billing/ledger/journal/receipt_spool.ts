/**
 * Receipts in a file beside the store, for as long as the store cannot take them (promises M5). One line a receipt,
 * synced before anybody is told; read back before anything is admitted at the next start. Each instance has a file
 * of its own, which it holds locked: the folder may serve several.
 */

import { tryParseJson } from "../../../../shared/util/json.ts";
import { type CloseEntry, type JournalEntry, journalEntrySchema } from "./journal_batch.ts";

const NAME = /^receipts-([\w-]+)\.jsonl$/;

interface ReceiptSpoolOptions {
  /** Made when missing. */
  readonly folder: string;
  readonly instance: string;
}

/** Receipts that one instance has left. */
export interface SpoolFile {
  readonly instance: string;
  readonly entries: readonly CloseEntry[];
  /** Everything in it is in the store. */
  remove(): void;
  /** Leaves it for the next start. */
  close(): void;
}

export class ReceiptSpool {
  readonly #path: string;
  readonly #folder: string;
  #file: Deno.FsFile | undefined;
  #last: Promise<void> = Promise.resolve();

  /** Throws what the file system says. */
  constructor({ folder, instance }: ReceiptSpoolOptions) {
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
    this.#path = `${folder}/receipts-${instance}.jsonl`;
  }

  /** Resolves when the entries are on the disk. */
  append(entries: readonly JournalEntry[]): Promise<void> {
    // Begins on a line of its own, whatever a write that failed has left.
    const text = `\n${entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")}`;
    return this.#next(async () => {
      this.#file ??= this.#open();
      const bytes = new TextEncoder().encode(text);
      await this.#file.seek(0, Deno.SeekMode.End);
      for (let at = 0; at < bytes.length;) at += await this.#file.write(bytes.subarray(at));
      await this.#file.syncData();
    });
  }

  /** Empties the file when all its receipts are in the store. */
  clear(): Promise<void> {
    return this.#next(async () => {
      await this.#file?.truncate(0);
      await this.#file?.syncData();
    });
  }

  /**
   * Lists the files that earlier runs have left, without those of instances that run. Throws what the file system
   * says.
   */
  abandonedFiles(): readonly SpoolFile[] {
    const files = [...Deno.readDirSync(this.#folder)].sort((a, b) => a.name < b.name ? -1 : 1);
    return files.flatMap(({ name }) => {
      const instance = NAME.exec(name)?.[1];
      const file = instance === undefined ? undefined : take(`${this.#folder}/${name}`, instance);
      return file ? [file] : [];
    });
  }

  /** Waits for what is being written. An empty file goes. */
  async close(): Promise<void> {
    // Ends when the disk has answered; the ledger's own end waits for two seconds (ledger_close.ts).
    await this.#last;
    const file = this.#file;
    this.#file = undefined;
    if (!file) return;
    const { size } = await file.stat();
    if (size === 0) await Deno.remove(this.#path);
    file.close();
  }

  #open(): Deno.FsFile {
    const file = Deno.openSync(this.#path, { create: true, read: true, write: true, mode: 0o600 });
    file.lockSync(true);
    return file;
  }

  #next(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {
      // A failure is told to everyone who asked; the next one has its own try.
    });
    return done;
  }
}

/** Undefined when the instance runs that it belongs to. */
function take(path: string, instance: string): SpoolFile | undefined {
  const file = Deno.openSync(path, { read: true, write: true });
  if (!file.tryLockSync(true)) {
    file.close();
    return undefined;
  }
  return {
    instance,
    // A line that is not whole was promised to nobody.
    entries: Deno.readTextFileSync(path).split("\n").flatMap(entriesOf),
    remove: () => {
      Deno.removeSync(path);
      file.close();
    },
    close: () => file.close(),
  };
}

function entriesOf(line: string): readonly CloseEntry[] {
  const json = tryParseJson(line);
  // Empty, or cut off by a crash or a full disk before it was synced.
  if (json === undefined) return [];
  const entry = journalEntrySchema.parse(json);
  return entry.type === "close" ? [entry] : [];
}
